"""What a session is called, and how its turns are told to a model (reference 6.1 and 6.3)."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime

from retrieval.errors import SessionParameterError
from retrieval.model import StoredTurn


def default_session_id(dataset_id: str | None) -> str:
    """The session of a dataset where none is named; an id that is no UUID raises SessionParameterError."""
    if dataset_id is None:
        return "default_session"
    try:
        uuid.UUID(str(dataset_id))
    except ValueError as error:
        raise SessionParameterError(
            f"A default session needs the dataset's id, not {dataset_id!r}. Pass the id, or name a session_id."
        ) from error
    return f"default_session_{dataset_id}"


def checked_last_n(last_n: object) -> int | None:
    """The number of turns to look back, at least 1, or None for all of them."""
    if last_n is None:
        return None
    if isinstance(last_n, bool) or not isinstance(last_n, int) or last_n < 1:
        raise SessionParameterError(f"last_n must be a whole number of at least 1, or None, not {last_n!r}.")
    return last_n


def rendered(turns: Sequence[StoredTurn], last_n: int | None = None) -> str:
    """The conversation as a model reads it, '' without one; only complete turns of types that remember are history."""
    history = [turn for turn in turns if turn.remembered and turn.state == "done"]
    limit = checked_last_n(last_n)
    told = history if limit is None else history[-limit:]
    if not told:
        return ""
    return "Previous conversation:\n\n" + "".join(_told(turn) for turn in told)


def _told(turn: StoredTurn) -> str:
    return f"[{_moment(turn.created_at)}]\nQUESTION: {turn.question}\nANSWER: {turn.answer}\n\n"


def _moment(time: datetime) -> str:
    """The time in UTC to the second; one without a zone is taken as UTC."""
    in_utc = time if time.tzinfo is None else time.astimezone(UTC)
    return in_utc.replace(tzinfo=None, microsecond=0).isoformat()


def with_history(system_prompt: str, history: str) -> str:
    """The system prompt with the conversation in front of it (D9)."""
    return f"{history}\nTASK:{system_prompt}" if history else system_prompt
