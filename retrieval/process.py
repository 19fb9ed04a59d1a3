"""The engine that the async functions of this process share."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from retrieval.settings import load

if TYPE_CHECKING:
    from retrieval.engine import Engine


@lru_cache(maxsize=1)
def engine() -> Engine:
    """The engine over the data folder; built on first use."""
    from retrieval.bootstrap import build  # stores and models are heavy to import

    return build(load())


def caller(user: str | None) -> str:
    """The user named, else the one local user."""
    return user or load().default_user
