"""The reference of all settings (docs/reference/settings.md), from where the environment is read.

A variable is read by environs: `env.int("WEB_WORKERS", 2)`. Its type is the method's name, its
help the comment above the line. A comment `# -- Title --` begins a
section.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

FILES = (
    "config/settings.py",
    "config/web/server.py",
    "config/web/exposure.py",
    "config/web/log.py",
)
TYPES = {
    "str": "text",
    "int": "whole number",
    "float": "number",
    "bool": "true or false",
    "list": "texts, comma-separated",
}
HEAD = """\
# Settings

Every setting is a variable of the environment. With none set, the embedded default runs on this
machine. Do not edit this page: it is written from the code by
`manage.py settings_reference > docs/reference/settings.md`.

Instead of a variable, the same name with `_FILE` may be set to the path of a file that holds the
value: `SECRET_KEY_FILE=/run/secrets/secret_key`.

A rate limit such as `10/15m` lets 10 requests in at once, then 10 more spread over 15 minutes; the
units are s, m, h and d. `unlimited` is no limit.

Read elsewhere: `make run` reads `HOST` (127.0.0.1), `PORT` (8000) and `SERVE` (0: print the
leaderboard and end). Providers read their credentials: `PROLIFIC_TOKEN`, and Amazon's as boto3
documents them. The client of the API reads `CONCORD_URL` and `CONCORD_TOKEN`, tests `CONCORD_DATA`.
"""
SECTION = "-- "


COLUMNS = "| variable | type | default | what it is |\n|---|---|---|---|\n"


@dataclass(frozen=True)
class Variable:
    """A variable of the environment. `default` is as one would write it in the environment; empty
    where there is none or `help` says what it is."""

    name: str
    kind: str
    default: str
    help: str
    section: str


def readings() -> list[Variable]:
    """Every reading of a variable, in the order of the code. One that is read in several places is
    described at one of them; `help` is empty at the others."""
    return [one for file in FILES for one in _of(settings.BASE_DIR / file)]


def reference() -> str:
    """The page, in Markdown."""
    parts, section = [HEAD], ""
    for one in filter(lambda one: one.help, readings()):
        if one.section != section:
            section = one.section
            parts.append(f"\n## {section}\n\n{COLUMNS}")
        default = f"`{one.default}`" if one.default else ""
        parts.append(f"| `{one.name}` | {one.kind} | {default} | {one.help} |\n")
    return "".join(parts)


def _of(path: Path) -> Iterator[Variable]:
    source = path.read_text()
    comments = dict(_comments(source))
    calls = sorted(_readings(ast.parse(source)), key=lambda call: call.lineno)
    for call in calls:
        name, default = call.args
        yield Variable(
            ast.literal_eval(name),
            TYPES[call.func.attr],
            _as_in_the_environment(default),
            _above(call.lineno, comments),
            _section(call.lineno, comments),
        )


def _comments(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of each comment that has a line to itself."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and token.line.lstrip().startswith("#"):
            yield token.start[0], token.string.removeprefix("# ")


def _readings(tree: ast.Module) -> Iterator[Any]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="env" | "_env"), attr=kind)):
                if kind in TYPES:
                    yield node


def _above(line: int, comments: dict[int, str]) -> str:
    found: list[str] = []
    while (text := comments.get(line - 1 - len(found), SECTION)) and not text.startswith(SECTION):
        found.insert(0, text)
    return " ".join(found)


def _section(line: int, comments: dict[int, str]) -> str:
    titles = [
        text.strip("- ") for at, text in comments.items() if at < line and text.startswith(SECTION)
    ]
    return titles[-1] if titles else ""


def _as_in_the_environment(default: ast.expr) -> str:
    """The default as one would write it in the environment; empty where it is computed."""
    names = [node for node in ast.walk(default) if isinstance(node, ast.Name | ast.Call)]
    if names:
        return ""
    value = eval(compile(ast.Expression(default), "", "eval"))  # constants and arithmetic
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, list) else str(value)
