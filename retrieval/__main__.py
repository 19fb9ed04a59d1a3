"""Command line: `python -m retrieval sample | add | cognify | search`."""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from retrieval.bootstrap import build
from retrieval.engine import Engine
from retrieval.errors import MemoryLensError
from retrieval.model import Progress
from retrieval.options import Request
from retrieval.recipes import RECIPES
from retrieval.settings import load

WIDTH = 28


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code of one command: 0, or 1 with the error's message on stderr."""
    options = _parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(
            errors="backslashreplace"
        )  # a terminal without the letters of a name still gets the rest
    settings = load()
    try:
        engine = build(settings)
        options.run(engine, settings.default_user, options)
    except MemoryLensError as error:
        sys.stderr.write(f"{error.name}: {error.message}\n")
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m retrieval", description=__doc__)
    commands = parser.add_subparsers(required=True)
    commands.add_parser("sample", help="build the sample memory if there is none").set_defaults(run=_sample)
    add = commands.add_parser("add", help="store files; nothing is processed yet")
    add.add_argument("files", nargs="+", type=Path)
    add.set_defaults(run=_add)
    cognify = commands.add_parser("cognify", help="process what waits")
    cognify.set_defaults(run=_cognify)
    search = commands.add_parser("search", help="ask")
    search.add_argument("question")
    search.add_argument("--type", default="GRAPH_COMPLETION", choices=list(RECIPES))
    search.add_argument("--top-k", type=int, default=15)
    search.add_argument("--context", action="store_true", help="show the context instead of an answer")
    search.set_defaults(run=_search)
    for command in (add, cognify, search):
        command.add_argument("--dataset", default=None if command is search else "main_dataset")
    return parser


def _sample(engine: Engine, user: str, options: argparse.Namespace) -> None:
    _show(engine.ensure_sample(user))


def _add(engine: Engine, user: str, options: argparse.Namespace) -> None:
    known = {d.name: d for d in engine.datasets(user)}
    dataset = known.get(options.dataset) or engine.create_dataset(user, options.dataset)
    for file in options.files:
        document = engine.add(user, dataset.id, file.name, file.read_bytes())
        sys.stdout.write(f"added {document.name}\n")


def _cognify(engine: Engine, user: str, options: argparse.Namespace) -> None:
    for dataset in engine.access.resolve(user, options.dataset, None, "write"):
        _show(engine.cognify(user, dataset.id))
        for document in engine.documents(user, dataset.id):
            sys.stdout.write(f"{document.name}: {json.dumps(document.report, ensure_ascii=False)}\n")


def _search(engine: Engine, user: str, options: argparse.Namespace) -> None:
    request = Request(
        options.question,
        options.type,
        user,
        datasets=options.dataset,
        top_k=options.top_k,
        only_context=options.context,
    )
    for turn in engine.ask(request):
        answer = turn.read()
        sys.stdout.write(f"{answer or turn.found.context}\n")
        for source in turn.found.sources if answer else ():
            if f"[{source.number}]" in answer:
                page = f", page {source.page}" if source.page else ""
                sys.stdout.write(f"[{source.number}] {source.document_name}{page}, chunk {source.chunk_index + 1}\n")


def _show(steps: Iterator[Progress]) -> None:
    """One line that is rewritten on a terminal, one line per document elsewhere."""
    live = sys.stdout.isatty()
    for step in steps:
        bar = "#" * round(step.done * WIDTH)
        line = f"[{bar:<{WIDTH}}] {step.done:4.0%}  {step.document[:30]:<30} {step.stage:<10}"
        if live:
            sys.stdout.write(f"\r{line}")
        elif step.stage in {"done", "failed", "deleted"}:
            sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    if live:
        sys.stdout.write("\n")


if __name__ == "__main__":
    sys.exit(main())
