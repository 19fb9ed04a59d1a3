"""Reasoner and Answerer over a language model: each step one call, structured where a structure is needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel, Field

from retrieval.errors import LLMPaymentRequiredError, ModelError
from retrieval.graph import Graph
from retrieval.labels import told
from retrieval.model import Act, Choice, Found, GraphSchema, Json, Prompt, Verdict, Window
from retrieval.ports import LanguageModel
from retrieval.prompting import Messages, messages


class QueryDecomposition(BaseModel):
    """The parts of a question."""

    subqueries: list[str]


class AnswerVerdict(BaseModel):
    """Whether an answer is complete."""

    complete: bool = False
    reasoning: str = ""


class Timestamp(BaseModel):
    """A calendar date and time."""

    year: int = Field(ge=1, le=9999)
    month: int = Field(1, ge=1, le=12)
    day: int = Field(1, ge=1, le=31)
    hour: int = Field(0, ge=0, le=23)
    minute: int = Field(0, ge=0, le=59)
    second: int = Field(0, ge=0, le=59)


class QueryInterval(BaseModel):
    """The time that a question asks of; an end that is None is open."""

    starts_at: Timestamp | None = None
    ends_at: Timestamp | None = None


class TypeChoice(BaseModel):
    """A search type and why it fits."""

    search_type: str
    reason: str = ""


class AgentStep(BaseModel):
    """One step of an agent."""

    thought: str = ""
    tool: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict)
    answer: str | None = None


class ModelReasoner:
    """Thinks with a language model."""

    generates = True

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    def condense(self, question: str, found: Found, system_prompt: str | None) -> str:
        """The model's condensed context."""
        return self._text(messages("condense_context", system_prompt, question=question, context=found.context))

    def validate(self, question: str, answer: str, found: Found) -> Verdict:
        """The model's verdict."""
        asked = messages("validate_answer", question=question, answer=answer, context=found.context)
        said = self._model.structured(asked, AnswerVerdict)
        return Verdict(said.complete, said.reasoning)

    def follow_up(self, question: str, answer: str, verdict: Verdict, found: Found, asked: Sequence[str]) -> str:
        """The model's next question."""
        listed = "\n".join(f"- {text}" for text in asked)
        return self._text(
            messages("follow_up_question", question=question, answer=answer, reasoning=verdict.reasoning, asked=listed)
        )

    def decompose(self, question: str) -> list[str]:
        """The model's parts of the question; the question itself where the model fails."""
        try:
            return self._model.structured(
                messages("decompose_question", question=question), QueryDecomposition
            ).subqueries
        except LLMPaymentRequiredError:
            raise
        except ModelError:
            return [question]

    def interval(self, question: str, now: datetime) -> Window | None:
        """The model's interval; None where it names no time, or an impossible one."""
        asked = messages("query_interval", question=question, now=f"{now:%A, %d %B %Y}")
        said = self._model.structured(asked, QueryInterval)
        try:
            start, until = _milliseconds(said.starts_at), _milliseconds(said.ends_at)
        except ValueError:
            return None
        if (start is None and until is None) or (start is not None and until is not None and start >= until):
            return None
        return Window(start, until)

    def choose(self, question: str, hints: Mapping[str, str]) -> Choice | None:
        """The model's choice; None where it fails or names something else."""
        types = "\n".join(f"- {name}: {hint}" for name, hint in hints.items())
        try:
            said = self._model.structured(messages("choose_search_type", question=question, types=types), TypeChoice)
        except LLMPaymentRequiredError:
            raise
        except ModelError:
            return None
        name = said.search_type.strip(" `\"'.").upper()
        return Choice(name, said.reason) if name in hints else None

    def cypher(self, question: str, schema: GraphSchema, graph: Graph, attempts: Sequence[tuple[str, str]]) -> str:
        """The model's statement."""
        tried = "\n".join(f"- {statement}: {outcome}" for statement, outcome in attempts) or "none"
        said = self._text(messages("question_to_cypher", question=question, schema=told(schema), attempts=tried))
        return said.removeprefix("```cypher").removeprefix("```").removesuffix("```").strip()

    def act(self, question: str, context: str, tools: Mapping[str, str], used: Sequence[str]) -> Act:
        """The model's next step."""
        listed = "\n".join(f"- {name}: {about}" for name, about in tools.items())
        said = self._model.structured(
            messages("agent_step", question=question, context=context or "(empty)", tools=listed), AgentStep
        )
        arguments: dict[str, Json] = dict(said.arguments)
        return Act(said.thought, said.tool or "", arguments, (said.answer or "").strip())

    def _text(self, asked: Messages) -> str:
        return "".join(self._model.stream(asked)).strip()


class Generative:
    """Answers with a language model."""

    generates = True

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def answer(self, prompt: Prompt) -> Iterator[str]:
        """Pieces of the model's answer; with a response model, its JSON in one piece."""
        asked = [
            ("system", prompt.system_prompt),
            *messages("answer_question", question=prompt.question, context=prompt.context),
        ]
        if prompt.response_model is None:
            yield from self._model.stream(asked)
        else:
            yield self._model.structured(asked, prompt.response_model).model_dump_json(indent=2)


def _milliseconds(stamp: Timestamp | None) -> int | None:
    """Milliseconds since 1970; ValueError for a day that its month does not have."""
    if stamp is None:
        return None
    parts = (stamp.year, stamp.month, stamp.day, stamp.hour, stamp.minute, stamp.second)
    return round((datetime(*parts, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1000)
