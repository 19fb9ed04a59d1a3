"""What every record store does to values on their way in and out, so that all of them give the same back."""

from __future__ import annotations

import json
import math
import unicodedata
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from retrieval.errors import DatasetNotFoundError, DocumentNotFoundError, QueryValidationError, StoreError
from retrieval.model import Edge, Json, Node, Operation
from retrieval.ports import Catalog, Conversations, FeedbackStore, OperationLog

PERMISSIONS = ("read", "write", "delete", "share")
STATUS_DURING = {"add": "processing", "delete": "deleting"}
CHANGEABLE = ("name", "description", "embedding_model", "embedding_dimensions")
NODE_FIELDS = tuple(field.name for field in fields(Node))
EDGE_FIELDS = tuple(field.name for field in fields(Edge))

Record = TypeVar("Record")


def _nothing() -> None:
    return None


@dataclass(frozen=True, slots=True)
class Records:
    """The four ports over one store of records."""

    catalog: Catalog
    operations: OperationLog
    conversations: Conversations
    feedback: FeedbackStore
    close: Callable[[], None] = _nothing


def now_utc() -> datetime:
    """This moment, aware."""
    return datetime.now(UTC)


def new_id() -> str:
    """A fresh UUID as text."""
    return str(uuid.uuid4())


def utc(moment: datetime) -> datetime:
    """The same moment in UTC; one without a zone is taken as UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def clean(text: str) -> str:
    """The text with surrogate pairs joined and lone surrogates replaced, so that it can be encoded."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def to_json(value: Json) -> str:
    """Valid JSON: NaN and infinities become null, text is clean."""
    try:
        return clean(json.dumps(value, ensure_ascii=False, allow_nan=False))
    except ValueError:
        return clean(json.dumps(_finite(value), ensure_ascii=False, allow_nan=False))


def _finite(value: Json) -> Json:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_finite(item) for item in value]
    return value


def cleaned(record: Record) -> Record:
    """The record as a store gives it back: clean text, times in UTC, mappings as JSON has them."""
    known = {field.name: getattr(record, field.name) for field in fields(record)}  # type: ignore[arg-type]
    changed = {name: _cleaned_value(value) for name, value in known.items()}
    return replace(record, **changed)  # type: ignore[type-var]


def _cleaned_value(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, datetime):
        return utc(value)
    if isinstance(value, tuple):
        return tuple(clean(item) for item in value)
    if isinstance(value, Mapping):
        return json.loads(to_json(value))
    return value


def payload_of(element: Node | Edge) -> tuple[str, dict[str, Json]]:
    """The kind of an element (node or edge) and its fields."""
    if isinstance(element, Node):
        return "node", {name: getattr(element, name) for name in NODE_FIELDS}
    return "edge", {name: getattr(element, name) for name in EDGE_FIELDS}


def element_of(kind: str, payload: Mapping[str, Any]) -> Node | Edge:
    """The element again; a field that JSON could not hold has its default."""
    known = {name: value for name, value in payload.items() if value is not None}
    if kind == "edge":
        return Edge(**known)
    return Node(**known | {"node_sets": tuple(known.get("node_sets", ()))})


def folded(text: str) -> str:
    """The text as searching compares it: composed, without case."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", clean(text)).casefold())


def searchable(question: str, answer: str) -> str:
    """What searching a turn looks at; the separator keeps a match from spanning both."""
    return folded(f"{question}\x1f{answer}")


def title_of(question: str) -> str:
    """The title that a session gets from its first question: one line of at most 200 characters."""
    return " ".join(clean(question).split())[:200]


def dataset_name(name: str) -> str:
    """The name as stored, without spaces around it; a blank one is refused."""
    stripped = clean(name).strip()
    if not stripped:
        raise QueryValidationError("A dataset needs a name.")
    return stripped


def permission(name: str) -> str:
    """The permission, if there is one of this name."""
    if name not in PERMISSIONS:
        raise QueryValidationError(f"permission must be one of {', '.join(PERMISSIONS)}, not {name!r}.")
    return name


def dataset_changes(changes: Mapping[str, str | int]) -> dict[str, str | int]:
    """The changes as stored; a field that can't be changed is refused by name."""
    unknown = sorted(set(changes) - set(CHANGEABLE))
    if unknown:
        raise QueryValidationError(f"A dataset has no changeable {', '.join(unknown)}; change {', '.join(CHANGEABLE)}.")
    kept = {name: clean(value) if isinstance(value, str) else value for name, value in changes.items()}
    return kept | {"name": dataset_name(str(kept["name"]))} if "name" in kept else kept


def name_taken(name: str) -> QueryValidationError:
    """The error for a second dataset of one owner with the same name."""
    return QueryValidationError(f"You already have a dataset named {clean(name)!r}. Choose another name.")


def no_dataset(dataset_id: str) -> DatasetNotFoundError:
    """The error for an unknown dataset."""
    return DatasetNotFoundError(f"There is no dataset with the id {clean(dataset_id)}; it may have been deleted.")


def no_document(document_id: str) -> DocumentNotFoundError:
    """The error for an unknown document."""
    return DocumentNotFoundError(f"There is no document with the id {clean(document_id)}; it may have been deleted.")


def being_deleted(document_id: str) -> DocumentNotFoundError:
    """The error for work on a document whose deletion is under way."""
    return DocumentNotFoundError(f"The document {clean(document_id)} is being deleted. Run cognify to finish that.")


def no_operation(operation: Operation) -> StoreError:
    """The error for going on with what another run has finished or overtaken."""
    return StoreError(
        f"The {operation.kind} of document {operation.document_id} is no longer under way: it was finished, or the "
        "document was deleted or added anew meanwhile. Run cognify again."
    )


def status_during(kind: str) -> str:
    """The status of a document during an operation of this kind; an unknown kind is refused."""
    if kind not in STATUS_DURING:
        raise QueryValidationError(f"An operation is one of {', '.join(STATUS_DURING)}, not {kind!r}.")
    return STATUS_DURING[kind]
