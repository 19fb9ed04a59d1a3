"""The public interface: its names, and a run through it on the real stores and models."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path

import pytest

import retrieval
from retrieval import errors
from retrieval.process import engine
from retrieval.settings import Settings, load


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    monkeypatch.setenv("MEMORY_LENS_DATA", str(tmp_path / "data"))
    engine.cache_clear()
    yield tmp_path
    engine().parts.memories.close()
    engine.cache_clear()


def test_the_public_names() -> None:
    assert set(retrieval.__all__) == {
        "BaseRetriever", "SearchType", "add", "cognify", "datasets", "errors", "memify", "prune", "recall", "search",
        "session", "use_retriever",
    }  # fmt: skip
    assert all(hasattr(retrieval, name) for name in retrieval.__all__)


def test_add_cognify_search_rate_and_forget(fresh: Path) -> None:
    async def run() -> None:
        file = fresh / "alice.txt"
        file.write_text("Alice Johnson works at Acme in Berlin.", encoding="utf-8")
        await retrieval.add([str(file), "Bob Miller founded Initech in Paris.", b"Carol knows Bob Miller."], "people")
        await retrieval.add(io.BytesIO(b"Dora Smith lives in Rome."), "people", node_set=["later"])
        with pytest.raises(errors.NoDataError):
            await retrieval.search("Where does Alice work?", datasets="people")
        reports = await retrieval.cognify("people")
        assert [r["stage"] for r in reports["people"]] == ["done"] * 4  # type: ignore[call-overload, index]
        [answer] = await retrieval.search("Where does Alice Johnson work?", datasets="people")
        assert "Acme" in str(answer)
        rows = await retrieval.search("Rome", retrieval.SearchType.CHUNKS, datasets="people", node_name=["later"])
        assert [set(row) >= {"id", "text", "chunk_index", "chunk_size", "cut_type"} for row in rows] == [True]  # type: ignore[arg-type]
        [context] = await retrieval.search("Alice Johnson", datasets="people", only_context=True)
        assert str(context).startswith("Nodes:\n")
        [verbose] = await retrieval.search("Who founded Initech?", datasets="people", verbose=True)
        assert set(verbose) == {"text_result", "context_result", "objects_result", "trace", "evidence"}  # type: ignore[arg-type]
        [turn, *_] = await retrieval.session.get_session()
        assert await retrieval.session.add_feedback(turn.session_id, turn.id, "good", 5)
        assert not await retrieval.session.add_feedback(turn.session_id, "unknown", None, 5)
        assert await retrieval.session.delete_feedback(turn.session_id, turn.id)
        assert (await retrieval.datasets.describe("people")).processed == 4
        with pytest.raises(errors.QueryValidationError):
            await retrieval.prune()
        assert await retrieval.prune(confirm="forget everything") == 1
        assert await retrieval.datasets.list_datasets() == []

    asyncio.run(run())


@pytest.mark.parametrize("score", [0, 6, 9, True, "5", 2.5])
def test_scores_outside_one_to_five_are_refused(score: object) -> None:
    with pytest.raises(errors.SessionParameterError):
        asyncio.run(retrieval.session.add_feedback("s", "t", None, score))  # type: ignore[arg-type]


@pytest.mark.parametrize("last", [0, -1, True, "3"])
def test_a_history_length_is_a_positive_number(last: object) -> None:
    with pytest.raises(errors.SessionParameterError):
        asyncio.run(retrieval.session.get_session("s", last))  # type: ignore[arg-type]


def test_settings_come_from_the_environment_and_bad_ones_are_named() -> None:
    assert load({}).data_folder == Settings().data_folder.expanduser()
    assert load({"ENABLE_BACKEND_ACCESS_CONTROL": "TRUE"}).access_control
    assert not load({"ALLOW_CYPHER_QUERY": "false"}).allow_cypher_query
    assert load({"SESSION_HISTORY_LAST_N": "3"}).session_history_last_n == 3
    with pytest.raises(errors.QueryValidationError, match="SESSION_HISTORY_LAST_N"):
        load({"SESSION_HISTORY_LAST_N": "0"})
    with pytest.raises(errors.QueryValidationError, match="ALLOW_CYPHER_QUERY"):
        load({"ALLOW_CYPHER_QUERY": "maybe"})
