"""One frozen Settings; the only reader of the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from retrieval.errors import QueryValidationError


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting with its default; names of the environment variables are in `load`."""

    data_folder: Path = Path("~/.memory-lens")
    access_control: bool = False
    default_user: str = "local"
    allow_cypher_query: bool = True
    session_history_last_n: int = 10
    database_url: str = ""
    max_upload_bytes: int = 200 * 1024 * 1024
    max_pdf_pages: int = 5000
    chunk_tokens: int = 200
    sample_on_first_start: bool = True
    low_relevance_distance: float = 0.75


def load(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings of this environment; an unusable value is refused with its variable's name."""
    env = os.environ if environment is None else environment
    defaults = Settings()
    return Settings(
        data_folder=Path(env.get("MEMORY_LENS_DATA") or defaults.data_folder).expanduser(),
        access_control=_flag(env, "ENABLE_BACKEND_ACCESS_CONTROL", default=defaults.access_control),
        default_user=env.get("MEMORY_LENS_USER") or defaults.default_user,
        allow_cypher_query=_flag(env, "ALLOW_CYPHER_QUERY", default=defaults.allow_cypher_query),
        session_history_last_n=_whole(env, "SESSION_HISTORY_LAST_N", defaults.session_history_last_n),
        database_url=env.get("MEMORY_LENS_DATABASE_URL", defaults.database_url),
        max_upload_bytes=_whole(env, "MEMORY_LENS_MAX_UPLOAD_BYTES", defaults.max_upload_bytes),
        max_pdf_pages=_whole(env, "MEMORY_LENS_MAX_PDF_PAGES", defaults.max_pdf_pages),
        chunk_tokens=_whole(env, "MEMORY_LENS_CHUNK_TOKENS", defaults.chunk_tokens),
        sample_on_first_start=_flag(env, "MEMORY_LENS_SAMPLE", default=defaults.sample_on_first_start),
        low_relevance_distance=defaults.low_relevance_distance,
    )


def _flag(env: Mapping[str, str], name: str, *, default: bool) -> bool:
    value = env.get(name, "").strip().lower()
    if not value:
        return default
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off"}:
        return False
    raise QueryValidationError(f"{name} is {value!r}; set it to true or false.")


def _whole(env: Mapping[str, str], name: str, default: int) -> int:
    value = env.get(name, "").strip()
    if not value:
        return default
    if not value.isdigit() or int(value) < 1:
        raise QueryValidationError(f"{name} is {value!r}; set it to a whole number of at least 1.")
    return int(value)
