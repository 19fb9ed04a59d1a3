"""Sessions, turns, ratings and the query log in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from retrieval.adapters.memory_tables import SessionRow, Tables
from retrieval.adapters.record_values import clean, cleaned, folded, searchable, title_of
from retrieval.model import Feedback, LoggedQuery, Session, StoredTurn


class MemoryConversations:
    """The Conversations port in memory."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def append(self, turn: StoredTurn) -> None:
        """Store a turn; creates its session when it is new, or anew when it was deleted. Equal ids replace."""
        tables, own = self._tables, replace(cleaned(turn), feedback=None)
        key, session = (own.user, own.id), (own.user, own.session_id)
        with tables.lock:
            known = tables.sessions.get(session)
            if known is None or known.deleted:
                known = SessionRow(title_of(own.question), own.created_at, own.created_at)
                tables.sessions[session] = known
            known.updated_at = max(known.updated_at, own.created_at)
            tables.turns[key] = own
            tables.deleted_turns.discard(key)

    def turns(self, user: str, session_id: str, last: int | None = None, *, history: bool = False) -> list[StoredTurn]:
        """The turns of a session with their feedback, oldest first; the last n with `last`."""
        with self._tables.lock:
            found = self._visible(user, session_id)
        if history:
            found = [turn for turn in found if turn.remembered and turn.state == "done"]
        return found if last is None else found[len(found) - min(max(last, 0), len(found)) :]

    def _visible(self, user: str, session_id: str) -> list[StoredTurn]:
        keys = [key for key, _ in self._tables.turns_of(clean(user), clean(session_id))]
        return [self._tables.rated(key) for key in keys if key not in self._tables.deleted_turns]

    def turn(self, user: str, turn_id: str) -> StoredTurn | None:
        """One turn with its feedback."""
        key = (clean(user), clean(turn_id))
        with self._tables.lock:
            known = key in self._tables.turns and key not in self._tables.deleted_turns
            return self._tables.rated(key) if known else None

    def sessions(self, user: str, text: str = "") -> list[Session]:
        """The user's sessions, last used first; with `text` those whose title, questions or answers contain it."""
        wanted = folded(text.strip())
        with self._tables.lock:
            own = [i for (owner, i), row in self._tables.sessions.items() if owner == clean(user) and not row.deleted]
            found = [self._session(user, i) for i in own if self._contains(user, i, wanted)]
        found.sort(key=lambda s: s.id)
        return sorted(found, key=lambda s: (s.updated_at, s.created_at), reverse=True)

    def _session(self, user: str, session_id: str) -> Session:
        row, turns = self._tables.sessions[clean(user), session_id], self._visible(user, session_id)
        last = turns[-1].question if turns else ""
        return Session(session_id, clean(user), row.title, row.created_at, row.updated_at, len(turns), last)

    def _contains(self, user: str, session_id: str, wanted: str) -> bool:
        title = self._tables.sessions[clean(user), session_id].title
        texts = [searchable(turn.question, turn.answer) for turn in self._visible(user, session_id)]
        return not wanted or any(wanted in text for text in (folded(title), *texts))

    def rename_session(self, user: str, session_id: str, title: str) -> bool:
        """Whether there was such a session."""
        with self._tables.lock:
            known = self._tables.sessions.get((clean(user), clean(session_id)))
            if known is None or known.deleted:
                return False
            known.title = clean(title)
            return True

    def delete_session(self, user: str, session_id: str, *, deleted: bool = True) -> bool:
        """Hide a session with its turns, or bring all of them back; whether there was one."""
        tables = self._tables
        with tables.lock:
            known = tables.sessions.get((clean(user), clean(session_id)))
            if known is None or (known.deleted and deleted):
                return False
            known.deleted = deleted
            keys = {key for key, _ in tables.turns_of(clean(user), clean(session_id))}
            tables.deleted_turns = tables.deleted_turns | keys if deleted else tables.deleted_turns - keys
            return True


class MemoryFeedback:
    """The FeedbackStore port in memory."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def rate(self, user: str, turn_id: str, feedback: Feedback | None) -> bool:
        """Set, change or (None) withdraw the user's rating of a turn; False for an unknown turn."""
        tables, key = self._tables, (clean(user), clean(turn_id))
        with tables.lock:
            if key not in tables.turns or key in tables.deleted_turns:
                return False
            if feedback is None:
                tables.ratings.pop(key, None)
                return True
            own = cleaned(feedback)
            first, _ = tables.ratings.get(key, (own.updated_at, own))
            tables.ratings[key] = (first, own)
            return True

    def ratings(self, dataset_id: str) -> list[tuple[StoredTurn, Feedback]]:
        """All rated turns of a dataset (their payload left out), ordered by (first rated at, turn id)."""
        with self._tables.lock:
            own = [key for key in self._tables.ratings if self._tables.turns[key].dataset_id == dataset_id]
            own.sort(key=lambda key: (self._tables.ratings[key][0], key[1]))
            turns = [replace(self._tables.rated(key), payload={}) for key in own]
        return [(turn, turn.feedback) for turn in turns if turn.feedback is not None]

    def weights(self, dataset_id: str) -> Mapping[str, float]:
        """Feedback weight of each node and edge id that has one."""
        with self._tables.lock:
            return dict(self._tables.weights.get(dataset_id, {}))

    def set_weights(self, dataset_id: str, weights: Mapping[str, float]) -> None:
        """Make these the dataset's weights."""
        with self._tables.lock:
            self._tables.weights[dataset_id] = {clean(i): weight for i, weight in weights.items()}

    def log(self, entry: LoggedQuery) -> None:
        """Append to the query log."""
        with self._tables.lock:
            self._tables.queries.append(cleaned(entry))

    def logged(self, limit: int = 1000) -> list[LoggedQuery]:
        """Newest first."""
        with self._tables.lock:
            newest = sorted(self._tables.queries, key=lambda entry: entry.created_at)[::-1]
        return newest[: max(limit, 0)]
