"""Messages to a language model from the templates in `retrieval/prompts`."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

Messages = list[tuple[str, str]]
SEPARATOR = "\n---\n"
PLACE = re.compile(r"\{(\w+)\}")


def messages(name: str, system_prompt: str | None = None, **values: str) -> Messages:
    """The (role, text) messages of a template: system, then user; `system_prompt` takes the place of the first.

    A value is inserted as it is: braces in it stay what they are.
    """
    system, _, user = template(name).rpartition(SEPARATOR)
    told = [("system", system_prompt or system), ("user", user)]
    return [(role, PLACE.sub(lambda place: values[place[1]], text).strip()) for role, text in told if text.strip()]


@cache
def template(name: str) -> str:
    """The text of prompts/<name>.md."""
    return files("retrieval.prompts").joinpath(f"{name}.md").read_text(encoding="utf-8").strip()
