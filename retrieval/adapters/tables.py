"""The tables of all records, in types that SQLite and PostgreSQL share."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

from retrieval.adapters.record_values import clean, utc

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


class Words(TypeDecorator[str]):
    """Text that can always be encoded."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: object) -> str | None:  # noqa: ARG002
        """The clean text."""
        return None if value is None else clean(value)


class Moment(TypeDecorator[datetime]):
    """A time as microseconds since 1970 in UTC; given back aware."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: object) -> int | None:  # noqa: ARG002
        """Microseconds."""
        return None if value is None else (utc(value) - EPOCH) // MICROSECOND

    def process_result_value(self, value: int | None, dialect: object) -> datetime | None:  # noqa: ARG002
        """The aware time."""
        return None if value is None else EPOCH + value * MICROSECOND


metadata = MetaData()


def _number() -> Column[int]:
    """A key that keeps the order in which rows came."""
    return Column("number", Integer, primary_key=True, autoincrement=True)


datasets = Table(
    "datasets",
    metadata,
    _number(),
    Column("id", String(36), nullable=False, unique=True),
    Column("name", Words, nullable=False),
    Column("description", Words, nullable=False),
    Column("owner", Words, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("version", Integer, nullable=False, default=0),
    Column("embedding_model", Words, nullable=False, default=""),
    Column("embedding_dimensions", Integer, nullable=False, default=0),
    UniqueConstraint("owner", "name"),
)

grants = Table(
    "grants",
    metadata,
    Column("dataset_id", ForeignKey("datasets.id", ondelete="CASCADE"), primary_key=True),
    Column("user_id", Words, primary_key=True),
    Column("permission", String(16), primary_key=True),
)

documents = Table(
    "documents",
    metadata,
    Column("dataset_id", ForeignKey("datasets.id", ondelete="CASCADE"), primary_key=True),
    Column("id", Words, primary_key=True),
    Column("name", Words, nullable=False),
    Column("sha256", Words, nullable=False),
    Column("media_type", Words, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("status", String(16), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("node_sets", JSON, nullable=False),
    Column("report", JSON, nullable=False),
)


def _of_document() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(
        ["dataset_id", "document_id"], ["documents.dataset_id", "documents.id"], ondelete="CASCADE"
    )


operations = Table(
    "operations",
    metadata,
    _number(),
    Column("id", String(36), nullable=False, unique=True),
    Column("dataset_id", String(36), nullable=False),
    Column("document_id", Words, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("stage", Words, nullable=False),
    Column("started_at", Moment, nullable=False),
    UniqueConstraint("dataset_id", "document_id", "kind"),
    _of_document(),
)

contributions = Table(
    "contributions",
    metadata,
    Column("dataset_id", String(36), primary_key=True),
    Column("document_id", Words, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("element_id", Words, nullable=False),
    Column("chunk_id", Words, nullable=False),
    Column("kind", String(4), nullable=False),
    Column("payload", JSON, nullable=False),
    Index("contributions_by_element", "dataset_id", "element_id"),
    _of_document(),
)

sessions = Table(
    "sessions",
    metadata,
    Column("user_id", Words, primary_key=True),
    Column("id", Words, primary_key=True),
    Column("title", Words, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    Column("deleted", Boolean, nullable=False),
)

turns = Table(
    "turns",
    metadata,
    _number(),
    Column("id", Words, nullable=False),
    Column("session_id", Words, nullable=False),
    Column("user", Words, nullable=False),
    Column("dataset_id", Words, nullable=False),
    Column("search_type", Words, nullable=False),
    Column("question", Words, nullable=False),
    Column("answer", Words, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("state", String(16), nullable=False),
    Column("remembered", Boolean, nullable=False),
    Column("options", JSON, nullable=False),
    Column("node_ids", JSON, nullable=False),
    Column("edge_ids", JSON, nullable=False),
    Column("milliseconds", Float(53), nullable=False),
    Column("payload", JSON, nullable=False),
    Column("searchable", Words, nullable=False),
    Column("deleted", Boolean, nullable=False),
    UniqueConstraint("user", "id"),
    ForeignKeyConstraint(["user", "session_id"], ["sessions.user_id", "sessions.id"], ondelete="CASCADE"),
    Index("turns_by_session", "user", "session_id", "created_at"),
    Index("turns_by_dataset", "dataset_id"),
)

ratings = Table(
    "ratings",
    metadata,
    Column("user_id", Words, primary_key=True),
    Column("turn_id", Words, primary_key=True),
    Column("score", Integer),
    Column("comment", Words, nullable=False),
    Column("first_rated_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    ForeignKeyConstraint(["user_id", "turn_id"], ["turns.user", "turns.id"], ondelete="CASCADE"),
)

weights = Table(
    "weights",
    metadata,
    Column("dataset_id", Words, primary_key=True),
    Column("element_id", Words, primary_key=True),
    Column("weight", Float(53), nullable=False),
)

query_log = Table(
    "query_log",
    metadata,
    _number(),
    Column("user", Words, nullable=False),
    Column("dataset_id", Words, nullable=False),
    Column("search_type", Words, nullable=False),
    Column("question", Words, nullable=False),
    Column("milliseconds", Float(53), nullable=False),
    Column("error", Words, nullable=False),
    Column("created_at", Moment, nullable=False, index=True),
)
