"""Sessions and their turns in a database; every statement names the user whose they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select, update

from retrieval.adapters import tables
from retrieval.adapters.database import Database
from retrieval.adapters.record_values import clean, folded, searchable, title_of
from retrieval.model import Feedback, Session, StoredTurn

TURN = tables.turns.c
SESSION = tables.sessions.c
RATING = tables.ratings.c
OF_TURN = (RATING.user_id == TURN.user) & (RATING.turn_id == TURN.id)
JSON_TUPLES = ("node_ids", "edge_ids")
FIELDS = [name for name in StoredTurn.__dataclass_fields__ if name != "feedback"]


class SqlConversations:
    """The Conversations port over a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def append(self, turn: StoredTurn) -> None:
        """Store a turn; creates its session when it is new, or anew when it was deleted. Equal ids replace."""
        row = {name: getattr(turn, name) for name in FIELDS}
        row |= {"searchable": searchable(turn.question, turn.answer), "deleted": False}
        with self._database.writing() as connection:
            self._open_session(connection, turn)
            self._database.put(connection, tables.turns, row, ["user", "id"])

    def _open_session(self, connection: Connection, turn: StoredTurn) -> None:
        fresh = {"title": title_of(turn.question), "created_at": turn.created_at, "updated_at": turn.created_at}
        key = {"user_id": turn.user, "id": turn.session_id}
        self._database.put_new(connection, tables.sessions, key | fresh | {"deleted": False})
        own = (SESSION.user_id == turn.user, SESSION.id == turn.session_id)
        change = update(tables.sessions).where(*own)
        connection.execute(change.where(SESSION.deleted).values(fresh | {"deleted": False}))
        connection.execute(change.where(SESSION.updated_at < turn.created_at).values(updated_at=turn.created_at))

    def turns(self, user: str, session_id: str, last: int | None = None, *, history: bool = False) -> list[StoredTurn]:
        """The turns of a session with their feedback, oldest first; the last n with `last`."""
        wanted = with_feedback().where(TURN.user == user, TURN.session_id == session_id, ~TURN.deleted)
        if history:
            wanted = wanted.where(TURN.remembered, TURN.state == "done")
        wanted = wanted.order_by(TURN.created_at.desc(), TURN.number.desc())
        if last is not None:
            wanted = wanted.limit(max(last, 0))
        with self._database.reading() as connection:
            return [stored_turn(row) for row in connection.execute(wanted)][::-1]

    def turn(self, user: str, turn_id: str) -> StoredTurn | None:
        """One turn with its feedback."""
        wanted = with_feedback().where(TURN.user == user, TURN.id == turn_id, ~TURN.deleted)
        with self._database.reading() as connection:
            row = connection.execute(wanted).one_or_none()
        return stored_turn(row) if row is not None else None

    def sessions(self, user: str, text: str = "") -> list[Session]:
        """The user's sessions, last used first; with `text` those whose title, questions or answers contain it."""
        visible = (TURN.user == SESSION.user_id, TURN.session_id == SESSION.id, ~TURN.deleted)
        newest = select(TURN.question).where(*visible).order_by(TURN.created_at.desc(), TURN.number.desc()).limit(1)
        wanted = select(
            tables.sessions,
            select(func.count()).select_from(tables.turns).where(*visible).scalar_subquery().label("turns"),
            newest.scalar_subquery().label("last_question"),
        ).where(SESSION.user_id == user, ~SESSION.deleted)
        wanted = wanted.order_by(SESSION.updated_at.desc(), SESSION.created_at.desc(), SESSION.id)
        with self._database.reading() as connection:
            known = [_session(row) for row in connection.execute(wanted)]
            if not text.strip():
                return known
            matching = self._matching(connection, user, folded(text.strip()))
        return [s for s in known if s.id in matching or folded(text.strip()) in folded(s.title)]

    def _matching(self, connection: Connection, user: str, text: str) -> set[str]:
        """Sessions with a turn that contains the text, taken literally."""
        place = func.strpos if self._database.postgres else func.instr
        found = select(TURN.session_id).where(TURN.user == user, ~TURN.deleted, place(TURN.searchable, text) > 0)
        return set(connection.execute(found.distinct()).scalars())

    def rename_session(self, user: str, session_id: str, title: str) -> bool:
        """Whether there was such a session."""
        own = (SESSION.user_id == user, SESSION.id == session_id, ~SESSION.deleted)
        with self._database.writing() as connection:
            return bool(connection.execute(update(tables.sessions).where(*own).values(title=clean(title))).rowcount)

    def delete_session(self, user: str, session_id: str, *, deleted: bool = True) -> bool:
        """Hide a session with its turns, or bring all of them back; whether there was one."""
        own = [SESSION.user_id == user, SESSION.id == session_id]
        if deleted:
            own.append(~SESSION.deleted)
        turns = update(tables.turns).where(TURN.user == user, TURN.session_id == session_id)
        with self._database.writing() as connection:
            changed = connection.execute(update(tables.sessions).where(*own).values(deleted=deleted)).rowcount
            connection.execute(turns.values(deleted=deleted))
        return bool(changed)


def with_feedback(without: Sequence[str] = ()) -> Select[Any]:
    """Turns with their ratings, but for the columns named."""
    columns = [column for column in tables.turns.c if column.name not in {*without, "searchable"}]
    rating = (RATING.score, RATING.comment, RATING.updated_at.label("rated_at"))
    return select(*columns, *rating).outerjoin(tables.ratings, OF_TURN)


def stored_turn(row: Row[Any]) -> StoredTurn:
    """The turn of a row of `with_feedback`."""
    known = row._asdict()
    fields = {name: known[name] for name in FIELDS if name in known}
    fields |= {name: tuple(known[name]) for name in JSON_TUPLES}
    rated = known["rated_at"] is not None
    return StoredTurn(**fields, feedback=Feedback(row.score, row.comment, row.rated_at) if rated else None)


def _session(row: Row[Any]) -> Session:
    return Session(row.id, row.user_id, row.title, row.created_at, row.updated_at, row.turns, row.last_question or "")
