"""Ratings, the weights that follow from them, and the query log, in a database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Row, delete, insert, select

from retrieval.adapters import tables
from retrieval.adapters.conversations import RATING, TURN, stored_turn, with_feedback
from retrieval.adapters.database import Database
from retrieval.model import Feedback, LoggedQuery, StoredTurn

WEIGHT = tables.weights.c
LOGGED = tables.query_log.c


class SqlFeedback:
    """The FeedbackStore port over a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def rate(self, user: str, turn_id: str, feedback: Feedback | None) -> bool:
        """Set, change or (None) withdraw the user's rating of a turn; False for an unknown turn."""
        with self._database.writing() as connection:
            own = select(TURN.id).where(TURN.user == user, TURN.id == turn_id, ~TURN.deleted)
            if connection.execute(own).first() is None:
                return False
            if feedback is None:
                connection.execute(delete(tables.ratings).where(RATING.user_id == user, RATING.turn_id == turn_id))
                return True
            row = {
                "user_id": user,
                "turn_id": turn_id,
                "score": feedback.score,
                "comment": feedback.text,
                "first_rated_at": feedback.updated_at,
                "updated_at": feedback.updated_at,
            }
            self._database.put(connection, tables.ratings, row, kept=["first_rated_at"])
            return True

    def ratings(self, dataset_id: str) -> list[tuple[StoredTurn, Feedback]]:
        """All rated turns of a dataset (their payload left out), ordered by (first rated at, turn id)."""
        wanted = with_feedback(without=["payload"]).where(TURN.dataset_id == dataset_id, RATING.turn_id.is_not(None))
        with self._database.reading() as connection:
            rows = connection.execute(wanted.order_by(RATING.first_rated_at, TURN.id))
            turns = [stored_turn(row) for row in rows]
        return [(turn, turn.feedback) for turn in turns if turn.feedback is not None]

    def weights(self, dataset_id: str) -> Mapping[str, float]:
        """Feedback weight of each node and edge id that has one."""
        wanted = select(WEIGHT.element_id, WEIGHT.weight).where(WEIGHT.dataset_id == dataset_id)
        with self._database.reading() as connection:
            return {row.element_id: row.weight for row in connection.execute(wanted)}

    def set_weights(self, dataset_id: str, weights: Mapping[str, float]) -> None:
        """Make these the dataset's weights."""
        rows = [{"dataset_id": dataset_id, "element_id": i, "weight": weight} for i, weight in weights.items()]
        with self._database.writing() as connection:
            connection.execute(delete(tables.weights).where(WEIGHT.dataset_id == dataset_id))
            if rows:
                connection.execute(insert(tables.weights), rows)

    def log(self, entry: LoggedQuery) -> None:
        """Append to the query log."""
        row = {name: getattr(entry, name) for name in LoggedQuery.__dataclass_fields__}
        with self._database.writing() as connection:
            connection.execute(insert(tables.query_log).values(row))

    def logged(self, limit: int = 1000) -> list[LoggedQuery]:
        """Newest first."""
        wanted = select(tables.query_log).order_by(LOGGED.created_at.desc(), LOGGED.number.desc()).limit(max(limit, 0))
        with self._database.reading() as connection:
            return [_logged(row) for row in connection.execute(wanted)]


def _logged(row: Row[Any]) -> LoggedQuery:
    known = row._asdict()
    del known["number"]
    return LoggedQuery(**known)
