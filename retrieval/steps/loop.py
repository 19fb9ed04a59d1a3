"""Loops around a search: condense, follow up, extend, decompose. Each gives one result with its context."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from retrieval.errors import LLMPaymentRequiredError, MemoryLensError
from retrieval.model import Act, Draft, Found, Query
from retrieval.recipe import Loop, Recipe, Run
from retrieval.steps.complete import answer
from retrieval.steps.evidence import numbered_as, with_sources
from retrieval.steps.merge import merged

CITATION = re.compile(r"\s*\[\d+(?:,\s*\d+)*\]")
MOST_SUBQUERIES = 5
TOOL_RESULTS, LONGEST_OUTPUT = 5, 8000
COMBINED = "combined_triplets_context"


def condense(run: Run, query: Query) -> Found:
    """A search whose context is condensed before it is answered from (reference 3.5)."""
    found = run.search(query)
    if not found.items:
        return found
    with run.observe.stage("condense") as record:
        text = run.deps.reasoner.condense(query.text, with_sources(query, found, run.deps), query.system_prompt)
        found = replace(found, context=text)
        record(found)
    return found


def follow_up(run: Run, query: Query) -> Found:
    """Rounds of validating the answer so far and asking what it lacks; ends when nothing is lacking (reference 3.6)."""
    rounds, reasoner = int(query.config["max_iter"]), run.deps.reasoner
    found = run.search(query)
    if not found.items:
        return found
    said, asked = _draft(run, query, found), [query.text]
    for number in range(1, rounds + 1):
        with run.observe.stage("judge") as record:
            verdict = reasoner.validate(query.text, said, with_sources(query, found, run.deps))
            record({"complete": verdict.complete, "reasoning": verdict.reasoning})
        if verdict.complete:
            break
        with run.observe.stage("follow_up") as record:
            question = reasoner.follow_up(query.text, said, verdict, found, asked).strip()
            record({"question": question})
        if not question or question in asked:
            break
        asked.append(question)
        more = run.search(query.asking(question))
        found = run.render(query, replace(merged([found, more]), drafts=(*found.drafts, Draft(question, ""))))
        if number < rounds:
            said = _draft(run, query, found)
    return found


def extend(run: Run, query: Query) -> Found:
    """Rounds in which the answer is the next question, until a round finds nothing new (reference 3.7)."""
    found = run.search(query)
    for _ in range(int(query.config["context_extension_rounds"])):
        if not found.items:
            break
        said = _draft(run, replace(query, response_model=None), found)
        if not said:
            break
        grown = merged([found, run.search(query.asking(said))])
        if len(grown.items) == len(found.items):
            break
        found = run.render(query, replace(grown, drafts=(*found.drafts, Draft(said, ""))))
    return found


def decompose(run: Run, query: Query) -> Found:
    """One search for each part of the question; the answers of the parts, or all their triplets, are the context
    (reference 3.8).
    """
    with run.observe.stage("decompose") as record:
        parts = subqueries(query.text, run.deps.reasoner.decompose(query.text))
        record({"subqueries": list(parts)})
    founds = run.search_all(query, parts)
    whole = merged(founds)
    if not whole.items:
        return run.render(query, whole)
    if query.config["decomposition_mode"] == COMBINED:
        return run.render(query, replace(whole, drafts=tuple(Draft(part, "") for part in parts)))
    deps = replace(run.deps, history="")
    whole = with_sources(query, whole, deps)
    drafts = []
    for part, found in zip(parts, founds, strict=True):
        asked = replace(query.asking(part), response_model=None)
        own = numbered_as(whole.sources, with_sources(asked, found, deps)) if found.items else found
        drafts.append(Draft(part, _draft(replace(run, deps=deps), asked, own, cited=True)))
    return replace(whole, drafts=tuple(drafts), context=told(drafts))


def agent(tools: Mapping[str, Recipe]) -> Loop:
    """A loop in which the reasoner calls tools until it answers; `tools` are searches by name (reference 3.14)."""

    def loop(run: Run, query: Query) -> Found:
        found = run.search(query)
        if query.only_context or not found.items:
            return found
        founds, used = [found], [next(iter(tools))]
        sections = [f"# Memory\n{found.context}"]
        abouts = {name: tool.about for name, tool in tools.items()}
        for number in range(1, int(query.config["max_iter"]) + 1):
            with run.observe.stage("act") as record:
                act = run.deps.reasoner.act(query.text, "\n\n".join(sections), abouts, used)
                record({"thought": act.thought, "tool": act.tool})
            if act.answer or not act.tool:
                break
            used.append(act.tool)
            output, more = _called(run, query, tools, act)
            founds.append(more)
            sections.append(f"# Tool call {number}: {act.tool}\n{output[:LONGEST_OUTPUT]}")
        whole = merged(founds)
        return replace(whole, context="\n\n".join(sections), answer=act.answer)

    return loop


def _called(run: Run, query: Query, tools: Mapping[str, Recipe], act: Act) -> tuple[str, Found]:
    """(what the tool gave as text, what it found); a failure is text that starts with ERROR, which the agent reads."""
    tool = tools.get(act.tool)
    if tool is None:
        return f"ERROR: there is no tool {act.tool}. Tools: {', '.join(tools)}.", Found()
    asked = act.arguments.get("query")
    text = asked if isinstance(asked, str) and asked.strip() else query.text
    top_k = act.arguments.get("top_k")
    own = replace(
        query.asking(text),
        top_k=top_k if isinstance(top_k, int) and not isinstance(top_k, bool) and top_k > 0 else TOOL_RESULTS,
        config=dict(tool.config),
    )
    try:
        found = tool.loop(Run(tool.find, tool.render, run.deps, run.observe), own)
    except LLMPaymentRequiredError:
        raise
    except MemoryLensError as error:
        return f"ERROR: {error.message}", Found()
    return found.context or "(nothing found)", found


def subqueries(question: str, proposed: list[str]) -> list[str]:
    """The proposed parts without blanks and repeats, at most five; the question itself where none is left."""
    stripped = (part.strip() for part in proposed if isinstance(part, str))
    return list(dict.fromkeys(part for part in stripped if part))[:MOST_SUBQUERIES] or [question.strip()]


def told(drafts: list[Draft]) -> str:
    """The context of a decomposed question: its parts and what was answered to each."""
    blocks = [
        f"Subquery {number}: {draft.question}\nSubquery {number} Answer:\n{draft.answer}"
        for number, draft in enumerate(drafts, start=1)
    ]
    return "\n\n".join(["Question decomposition results:", *blocks])


def _draft(run: Run, query: Query, found: Found, *, cited: bool = False) -> str:
    """An answer on the way: plain text, without the Evidence block, and without citations unless they are wanted."""
    if not found.context:
        return ""
    evidenced = found if found.sources else with_sources(query, found, run.deps)
    with run.observe.stage("draft") as record:
        text = "".join(answer(replace(query, include_references=False), evidenced, run.deps))
        record({"characters": len(text)})
    return text if cited else CITATION.sub("", text)
