"""Asking: a request becomes turns, one per dataset. Permissions, history, tracing and the record wrap a search here."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from threading import Lock
from time import perf_counter

from retrieval import conversation, custom, feedback
from retrieval.errors import (
    LLMNotConfiguredError,
    MemoryLensError,
    NoDataError,
    QueryValidationError,
    SearchTypeDisabledError,
    SessionParameterError,
)
from retrieval.graph import Graph
from retrieval.library import Library, Parts
from retrieval.model import Choice, Dataset, Edge, Feedback, Floats, Found, LoggedQuery, Node, Query, StoredTurn
from retrieval.options import Request, batch, validated
from retrieval.ports import Conversations, Deps, Embedder, FeedbackStore, GraphQueries
from retrieval.recipe import Recipe, retrieve
from retrieval.recipes import FALLBACK, RECIPES
from retrieval.recipes import recipe as recipe_of
from retrieval.steps.evidence import with_sources
from retrieval.trace import Trace
from retrieval.turn import Turn

QUERIES_OFF = "Graph queries are switched off here. Set ALLOW_CYPHER_QUERY=true, or choose another search type."


@dataclass(frozen=True, slots=True)
class WeightChange:
    """How a rating moved the feedback weight of one node or edge."""

    id: str
    name: str
    kind: str
    before: float
    after: float


class Engine(Library):
    """The whole product behind one object: what is stored (Library), and asking about it."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self._custom: dict[str, Recipe] = {}

    @property
    def conversations(self) -> Conversations:
        """Sessions and turns."""
        return self.parts.conversations

    @property
    def feedback(self) -> FeedbackStore:
        """Ratings, weights and the query log."""
        return self.parts.feedback

    def default_session(self, dataset_id: str | None) -> str:
        """The session of a dataset that is used where none is named."""
        return conversation.default_session_id(dataset_id)

    def warm_up(self) -> None:
        """Load the embedding model and the newest snapshots, so that the first question does not wait for them."""
        self.parts.embedder.embed(["warm up"])
        for dataset in self.parts.catalog.datasets():
            if dataset.version:
                self.memory(dataset.id).titles(dataset.version)
                self.memory(dataset.id).timeline(dataset.version)
                self.memory(dataset.id).stores.vectors.warm_up()

    # ---------------------------------------------------------------- asking

    def ask(self, request: Request) -> list[Turn]:
        """One turn per dataset, in request order, each with its evidence and not yet answered.

        Everything is checked before a store or model is touched. One dataset's failure is in its own turn; where all
        fail, the first error is raised.
        """
        start = perf_counter()
        recipe = self.recipe(request.query_type)
        if recipe.queries and not self.settings.allow_cypher_query:
            raise SearchTypeDisabledError(f"{recipe.name}: {QUERIES_OFF}")
        queries = batch(request, recipe)
        if request.response_model is not None and not self.parts.answerer.generates:
            raise LLMNotConfiguredError(
                "response_model needs a language model, and none is configured. Set LLM_MODEL and LLM_API_KEY, or leave it out."
            )
        datasets = self.access.resolve(request.user, request.datasets, request.dataset_ids)
        if not datasets:
            raise NoDataError("There is no dataset to search yet. Create one on the Memory page and add data first.")
        if recipe.one_dataset and len(datasets) != 1:
            raise QueryValidationError(
                f"{recipe.name} searches exactly one dataset, and {len(datasets)} were chosen. Name one of them: "
                f"{', '.join(d.name for d in datasets)}."
            )
        checked = (perf_counter() - start) * 1000
        vectors = _Together(self.parts.embedder, [query.text for query in queries])

        def turns_of(dataset: Dataset) -> list[Turn]:
            return [
                self._turn(request, recipe, query, dataset, checked, vectors if request.query_batch else None)
                for query in queries
            ]

        if len(datasets) == 1:
            turns = turns_of(datasets[0])
        else:
            with ThreadPoolExecutor(max_workers=4) as pool:
                turns = [turn for own in pool.map(turns_of, datasets) for turn in own]
        errors = [t.error for t in turns if t.error is not None]
        if len(errors) == len(turns):
            self._log_failures(turns)
            raise _all_failed(turns, errors)
        return turns

    def use_retriever(self, search_type: str, cls: type | None) -> None:
        """Run a class in place of a search type, or under a new name; None brings the built-in type back."""
        name = str(search_type)
        if cls is None:
            self._custom.pop(name, None)
        else:
            self._custom[name] = custom.recipe_of(name, custom.checked(name, cls), RECIPES.get(name))

    def recipe(self, search_type: object) -> Recipe:
        """The row of a search type: a registered one before a built-in one."""
        own = self._custom.get(search_type) if isinstance(search_type, str) else None
        return own or recipe_of(search_type)

    def _turn(
        self,
        request: Request,
        recipe: Recipe,
        query: Query,
        dataset: Dataset,
        checked: float,
        vectors: _Together | None,
    ) -> Turn:
        trace = Trace()
        trace.add("validate", checked)
        found, deps, error = Found(), None, None
        session = self._session(request, dataset)
        try:
            deps = self._deps(request, recipe, dataset, session)
            recipe, query, note = self._effective(request, recipe, query, dataset, deps, trace)
            if vectors is not None:
                self._check_data(recipe, dataset)
                query = query.asking(query.text, vectors.vector(query.text))
            found = self._found(recipe, query, dataset, deps, trace)
            found = replace(found, notes=(*note, *found.notes))
        except MemoryLensError as failure:
            error = failure
        started = StoredTurn(
            id=str(uuid.uuid4()),
            session_id=session,
            user=request.user,
            dataset_id=dataset.id,
            search_type=str(request.query_type),
            question=query.text,
            answer="",
            created_at=self.parts.now(),
            remembered=recipe.remembers and not query.only_context and vectors is None,
            options=_asked(request),
        )
        return Turn(started, dataset, recipe, query, found, trace, deps, self._keep, error)

    def _effective(
        self, request: Request, recipe: Recipe, query: Query, dataset: Dataset, deps: Deps, trace: Trace
    ) -> tuple[Recipe, Query, tuple[str, ...]]:
        """The row that is run and its query: the row itself, or the one that it chooses, with a note that says why."""
        if not recipe.chooses:
            return recipe, query, ()
        self._check_data(recipe, dataset)
        held = self.memory(dataset.id).stores.vectors.counts()
        usable = [
            r
            for r in RECIPES.values()
            if r.hint
            and all(held.get(c) for c in r.needs)
            and not r.one_dataset
            and (self.settings.allow_cypher_query or not r.queries)
        ]
        with trace.stage("choose") as record:
            choice = deps.reasoner.choose(query.text, {r.name: r.hint for r in usable})
            choice = choice or Choice(FALLBACK, "No type could be told from the question.")
            record({"search_type": choice.search_type, "reason": choice.reason})
        chosen = RECIPES[choice.search_type]
        return chosen, validated(request, chosen), (f"Runs {chosen.name}: {choice.reason}",)

    def _found(self, recipe: Recipe, query: Query, dataset: Dataset, deps: Deps, trace: Trace) -> Found:
        """What the search finds; NoDataError where nothing is stored or processed, empty where nothing matches."""
        with trace.stage("check") as record:
            graph = self._check_data(recipe, dataset)
            record({"nodes": len(graph), "edges": graph.edge_count})
        if query.node_sets is not None:
            missing = [name for name in query.node_sets.names if name not in graph.set_names]
            if missing:
                known = ", ".join(graph.set_names) or "none"
                return Found(notes=(f"No node set named {', '.join(missing)}. Existing node sets: {known}.",))
        found = retrieve(recipe, query, deps, trace)
        if not found.items:
            return found
        if not found.sources:
            with trace.stage("evidence") as record:
                found = with_sources(query, found, deps)
                record(found)
        return replace(found, notes=(*found.notes, *_relevance(found, self.settings.low_relevance_distance)))

    def _check_data(self, recipe: Recipe, dataset: Dataset) -> Graph:
        """The dataset's graph; NoDataError where no document of it can be searched."""
        graph = self.memory(dataset.id).graph(dataset.version)
        if not graph.documents:
            waiting = len(self.parts.catalog.documents(dataset.id))
            reason = (
                f"it holds {waiting} data item(s), but the graph is empty. Run cognify to process them."
                if waiting
                else "no data has been added. Add data first, then run cognify."
            )
            raise NoDataError(f"{dataset.name} (id: {dataset.id}) has no searchable memory: {reason}")
        self._same_model(dataset)
        collections = self.memory(dataset.id).stores.vectors.counts()
        missing = [name for name in recipe.needs if not collections.get(name)]
        if missing:
            raise NoDataError(
                f"{recipe.name} needs {', '.join(missing)}, which {dataset.name} does not have. Run cognify."
            )
        return graph

    def _deps(self, request: Request, recipe: Recipe, dataset: Dataset, session: str) -> Deps:
        parts, memory = self.parts, self.memory(dataset.id)
        history = ""
        if recipe.remembers and not request.only_context and request.query_batch is None:
            last = self.settings.session_history_last_n
            history = conversation.rendered(parts.conversations.turns(request.user, session, last, history=True))

        def cypher() -> GraphQueries:
            if not self.settings.allow_cypher_query:
                raise SearchTypeDisabledError(QUERIES_OFF)
            return memory.queries(dataset.version)

        def provenance(ids: Sequence[str]) -> Mapping[str, list[str]]:
            said = parts.operations.about(dataset.id, ids)
            return {i: [c.chunk_id for c in said.get(i, ()) if c.chunk_id] for i in ids}

        return Deps(
            embedder=parts.embedder,
            answerer=parts.answerer,
            reasoner=parts.reasoner,
            vectors=memory.stores.vectors,
            lexical=memory.stores.lexical,
            graph=lambda: memory.graph(dataset.version),
            cypher=cypher,
            titles=lambda: memory.titles(dataset.version),
            timeline=lambda: memory.timeline(dataset.version),
            nodes=memory.stores.graph.nodes,
            provenance=provenance,
            now=parts.now(),
            history=history,
        )

    def _session(self, request: Request, dataset: Dataset) -> str:
        if request.session_id is None:
            return self.default_session(dataset.id)
        if not isinstance(request.session_id, str) or not request.session_id.strip():
            raise SessionParameterError(
                "session_id must be a non-empty string, or None for the dataset's default session."
            )
        return request.session_id

    def _keep(self, turn: StoredTurn) -> None:
        self.parts.conversations.append(turn)
        self._log(turn, "")

    def _log_failures(self, turns: Sequence[Turn]) -> None:
        for turn in turns:
            self._log(turn.stored, turn.error.name if turn.error else "")

    def _log(self, turn: StoredTurn, error: str) -> None:
        entry = LoggedQuery(
            turn.user, turn.dataset_id, turn.search_type, turn.question, turn.milliseconds, error, turn.created_at
        )
        self.parts.feedback.log(entry)

    # ---------------------------------------------------------------- rating

    def rate(self, user: str, turn_id: str, score: int | None, text: str = "") -> list[WeightChange]:
        """Store the user's rating of a turn; gives the weights that it moved, at once. [] for an unknown turn."""
        if score is not None:
            feedback.rating(score)
        return self._rated(user, turn_id, Feedback(score, text, self.parts.now()))

    def withdraw(self, user: str, turn_id: str) -> list[WeightChange]:
        """Take the user's rating back; gives the weights that this moved. [] for an unknown turn."""
        return self._rated(user, turn_id, None)

    def _rated(self, user: str, turn_id: str, rating: Feedback | None) -> list[WeightChange]:
        turn = self.parts.conversations.turn(user, turn_id)
        if turn is None or not self.parts.feedback.rate(user, turn_id, rating):
            return []
        dataset_id = turn.dataset_id
        before = self.parts.feedback.weights(dataset_id)
        after = feedback.fold(self.parts.feedback.ratings(dataset_id))
        self.parts.feedback.set_weights(dataset_id, after)
        self.memory(dataset_id).reweigh()
        moved = [i for i in (*turn.node_ids, *turn.edge_ids) if before.get(i, 0.5) != after.get(i, 0.5)]
        return [self._change(dataset_id, i, before, after) for i in moved]

    def _change(
        self, dataset_id: str, element: str, before: Mapping[str, float], after: Mapping[str, float]
    ) -> WeightChange:
        said = self.parts.operations.about(dataset_id, [element]).get(element, [])
        own = said[0].element if said else None
        kind = "edge" if isinstance(own, Edge) else "node"
        name = own.text or own.relationship if isinstance(own, Edge) else _called(own)
        return WeightChange(element, name or element, kind, before.get(element, 0.5), after.get(element, 0.5))


class _Together:
    """Vectors of a batch of questions, made in one call when the first of them is needed."""

    def __init__(self, embedder: Embedder, texts: Sequence[str]) -> None:
        self._embedder = embedder
        self._texts = list(dict.fromkeys(texts))
        self._lock = Lock()
        self._vectors: dict[str, Floats] = {}

    def vector(self, text: str) -> Floats:
        with self._lock:
            if not self._vectors:
                self._vectors = dict(zip(self._texts, self._embedder.embed(self._texts), strict=True))
            return self._vectors[text]


def _called(node: Node | Edge | None) -> str:
    return (node.name or node.text[:40]) if isinstance(node, Node) else ""


def _asked(request: Request) -> dict[str, object]:
    """The options of a request as JSON, so that a turn can be repeated."""
    known = asdict(request)
    shape = request.response_model
    named = {"response_model": shape.__name__ if isinstance(shape, type) else None}
    return {key: value for key, value in known.items() if key not in {"query_text", "user"}} | named


def _relevance(found: Found, threshold: float) -> tuple[str, ...]:
    """A note where even the nearest hit is far from the question."""
    nearest = [float(hits.distances[0]) for hits in found.seeds if len(hits.distances)]
    if not nearest or min(nearest) < threshold:
        return ()
    return (
        f"Low relevance: the nearest element is at distance {min(nearest):.2f}; nothing here may answer the question.",
    )


def _all_failed(turns: Sequence[Turn], errors: Sequence[MemoryLensError]) -> MemoryLensError:
    """The first real error; where every dataset is empty, one NoDataError that names each."""
    real = [error for error in errors if not isinstance(error, NoDataError)]
    if real:
        return real[0]
    if len(turns) == 1:
        return errors[0]
    listed = "; ".join(
        f"'{t.dataset.name}' (id: {t.dataset.id}): {e.message}" for t, e in zip(turns, errors, strict=True)
    )
    return NoDataError(f"None of the {len(turns)} datasets has searchable memory. {listed}")
