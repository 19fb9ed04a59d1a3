"""Registered retrievers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from retrieval.custom import BaseRetriever
from retrieval.errors import QueryValidationError, UnsupportedSearchTypeError
from retrieval.options import Request
from tests.world import World, world

BUILT: list[dict[str, Any]] = []


class Reversed(BaseRetriever):
    """Gives the question back to front."""

    def __init__(self, **parameters: Any) -> None:
        super().__init__(**parameters)
        BUILT.append(parameters)

    async def get_retrieved_objects(self, query: str) -> list[str]:
        return [query[::-1]]

    def get_context_from_objects(self, query: str, retrieved_objects: list[str]) -> str:
        return "\n".join(retrieved_objects)

    async def get_completion_from_context(self, query: str, retrieved_objects: list[str], context: str) -> list[str]:
        return [f"<{context}>"]


class Narrow:
    """Takes one parameter only."""

    def __init__(self, top_k: int) -> None:
        self.top_k = top_k

    def get_retrieved_objects(self, query: str) -> int:
        return self.top_k

    def get_context_from_objects(self, query: str, retrieved_objects: int) -> str:
        return str(retrieved_objects)

    def get_completion_from_context(self, query: str, retrieved_objects: int, context: str) -> str:
        return context


class Half(BaseRetriever):
    """Lacks two steps."""

    def get_retrieved_objects(self, query: str) -> list[str]:
        return []


@pytest.fixture
def made(tmp_path: Path) -> World:
    small = world(tmp_path)
    small.dataset()
    return small


def test_a_class_replaces_a_type_until_it_is_taken_back(made: World) -> None:
    made.engine.use_retriever("SUMMARIES", Reversed)
    [turn] = made.engine.ask(Request("abc", "SUMMARIES", top_k=3, node_name=None))
    assert turn.read() == "<cba>"
    assert turn.result() == {"text_result": ["<cba>"], "context_result": "cba", "objects_result": ["cba"]}
    assert BUILT[-1]["top_k"] == 3
    made.engine.use_retriever("SUMMARIES", None)
    [turn] = made.engine.ask(Request("Acme", "SUMMARIES"))
    assert turn.found.objects is None


def test_a_new_name_is_a_new_type(made: World) -> None:
    with pytest.raises(UnsupportedSearchTypeError, match="MINE"):
        made.engine.ask(Request("abc", "MINE"))
    made.engine.use_retriever("MINE", Narrow)
    [turn] = made.engine.ask(Request("abc", "MINE", top_k=7))
    assert turn.read() == "7"


def test_only_context_stops_before_the_third_step(made: World) -> None:
    made.engine.use_retriever("MINE", Reversed)
    [turn] = made.engine.ask(Request("abc", "MINE", only_context=True))
    assert (turn.read(), turn.found.context) == ("", "cba")


@pytest.mark.parametrize("cls", [Half, object, 7, "Reversed"])
def test_missing_steps_are_refused_at_once(made: World, cls: Any) -> None:
    with pytest.raises(QueryValidationError, match=r"get_completion_from_context|a class"):
        made.engine.use_retriever("MINE", cls)
    with pytest.raises(UnsupportedSearchTypeError):
        made.engine.ask(Request("abc", "MINE"))
