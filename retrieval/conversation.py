"""What a model is told of the conversation so far (reference 6.1, 6.3; D9)."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime

from retrieval.errors import SessionParameterError
from retrieval.model import StoredTurn


def rendered(turns: Sequence[StoredTurn]) -> str:
    """The turns as text, oldest first; '' without any. Stopped, failed and retrieval-only turns are left out."""
    told = [turn for turn in turns if turn.remembered and turn.state == "done" and turn.answer]
    if not told:
        return ""
    blocks = [f"[{_time(t.created_at)}]\nQUESTION: {t.question}\nANSWER: {t.answer}\n\n" for t in told]
    return "Previous conversation:\n\n" + "".join(blocks)


def _time(moment: datetime) -> str:
    local = moment.astimezone(UTC) if moment.tzinfo else moment
    return local.replace(tzinfo=None, microsecond=0).isoformat()


def with_history(system_prompt: str, history: str) -> str:
    """The system prompt with the conversation before it."""
    return f"{history}\nTASK:{system_prompt}" if history else system_prompt


def default_session_id(dataset_id: str | None) -> str:
    """The session that is used where none is named: one per dataset."""
    if dataset_id is None:
        return "default_session"
    try:
        uuid.UUID(dataset_id)
    except (ValueError, AttributeError, TypeError) as error:
        raise SessionParameterError(f"The dataset of a session is named by its id, a UUID, not {dataset_id!r}.") from error
    return f"default_session_{dataset_id}"


def last_turns(value: object) -> int | None:
    """A history length: None, or a whole number of at least 1."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise SessionParameterError(f"last_n must be a positive integer or None, not {value!r}.")
    return value
