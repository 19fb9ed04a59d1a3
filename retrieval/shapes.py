"""What `search()` returns: the legacy shapes of reference 1.5 as a view on turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.model import Json


@dataclass(frozen=True, slots=True)
class Payload:
    """One dataset's result: completion, context and objects, of which any may be missing."""

    dataset_id: str
    dataset_name: str
    completion: Json = None
    context: Json = None
    objects: Json = None
    only_context: bool = False
    trace: Json = None
    evidence: Json = None
    error: str = ""

    @property
    def result(self) -> Json:
        """The context where only that was asked for; else the first of completion, context, objects that holds something."""
        if self.only_context:
            return self.context
        return self.completion or self.context or self.objects or []


def shaped(payloads: Sequence[Payload], *, access_control: bool, verbose: bool) -> list[Json]:
    """The return value of `search()` (reference 1.5; D10 to D12)."""
    if not access_control and not verbose:
        results = [payload.result for payload in payloads]
        if len(results) == 1 and isinstance(results[0], list):
            return list(results[0])
        return results
    return [_entry(payload, labelled=access_control, verbose=verbose) for payload in payloads]


def _entry(payload: Payload, *, labelled: bool, verbose: bool) -> dict[str, Json]:
    entry: dict[str, Json] = {}
    if labelled:
        entry |= {"dataset_id": payload.dataset_id, "dataset_name": payload.dataset_name, "dataset_tenant_id": None}
    if verbose:
        entry |= {
            "text_result": payload.completion,
            "context_result": payload.context,
            "objects_result": payload.objects,
            "trace": payload.trace,
            "evidence": payload.evidence,
        }
    else:
        entry["search_result"] = payload.result
    return entry | ({"error": payload.error} if payload.error else {})
