"""The last step: an answer from what was found."""

from __future__ import annotations

from collections.abc import Iterator

from retrieval.conversation import with_history
from retrieval.model import Found, Prompt, Query
from retrieval.ports import Deps
from retrieval.prompting import template
from retrieval.steps.evidence import evidence_block


def answer(query: Query, found: Found, deps: Deps) -> Iterator[str]:
    """Pieces of the answer to the question, and the Evidence block where it was asked for."""
    if found.answer:
        yield found.answer
        return
    prompt = Prompt(
        question=query.text,
        context=found.context,
        system_prompt=with_history(query.system_prompt or default_system_prompt(), deps.history),
        history=deps.history,
        sources=found.sources,
        statements=found.statements,
        drafts=found.drafts,
        response_model=query.response_model,
    )
    said = []
    for piece in deps.answerer.answer(prompt):
        said.append(piece)
        yield piece
    if query.include_references and query.response_model is None:
        block = evidence_block("".join(said), found.sources)
        if block:
            yield f"\n\n{block}"


def default_system_prompt() -> str:
    """The text of prompts/answer_simple_question.md."""
    return template("answer_simple_question")
