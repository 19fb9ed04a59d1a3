"""Turns of a session and their ratings, async (reference 6.6)."""

from __future__ import annotations

import asyncio

from retrieval.errors import SessionParameterError
from retrieval.feedback import rating
from retrieval.model import StoredTurn
from retrieval.process import caller, engine


async def get_session(
    session_id: str | None = None, last_n: int | None = None, user: str | None = None
) -> list[StoredTurn]:
    """The turns of a session, oldest first; without an id those of the newest dataset's default session."""
    return await asyncio.to_thread(_turns, session_id, last_n, caller(user))


def _turns(session_id: str | None, last_n: int | None, user: str) -> list[StoredTurn]:
    if last_n is not None and (isinstance(last_n, bool) or not isinstance(last_n, int) or last_n < 1):
        raise SessionParameterError(f"last_n must be a positive integer or None, not {last_n!r}.")
    if session_id is not None and (not isinstance(session_id, str) or not session_id.strip()):
        raise SessionParameterError("session_id must be a non-empty string, or None for the default session.")
    own = engine()
    if session_id is None:
        readable = own.datasets(user)
        session_id = own.default_session(readable[0].id if readable else None)
    return own.conversations.turns(user, session_id, last_n)


async def add_feedback(
    session_id: str,
    qa_id: str,
    feedback_text: str | None = None,
    feedback_score: int | None = None,
    user: str | None = None,
) -> bool:
    """Whether the turn was there to be rated; a score outside 1..5 raises SessionParameterError."""
    if feedback_score is not None:
        rating(feedback_score)
    return await asyncio.to_thread(_rate, session_id, qa_id, feedback_text or "", feedback_score, user)


def _rate(session_id: str, qa_id: str, text: str, score: int | None, user: str | None) -> bool:
    own, who = engine(), caller(user)
    turn = own.conversations.turn(who, qa_id)
    if turn is None or turn.session_id != session_id:
        return False
    own.rate(who, qa_id, score, text)
    return True


async def delete_feedback(session_id: str, qa_id: str, user: str | None = None) -> bool:
    """Whether the turn was there; its rating is withdrawn and the weights it moved move back."""
    return await asyncio.to_thread(_withdraw, session_id, qa_id, user)


def _withdraw(session_id: str, qa_id: str, user: str | None) -> bool:
    own, who = engine(), caller(user)
    turn = own.conversations.turn(who, qa_id)
    if turn is None or turn.session_id != session_id:
        return False
    own.withdraw(who, qa_id)
    return True
