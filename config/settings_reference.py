"""Generate the reference of all settings (docs/reference/settings.md) from the source code.

environs reads a variable: `env.int("WEB_WORKERS", 2)`. The method is its type, and the comment
above the line its help. A comment `# -- Title --` begins a section.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

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

Settings are environment variables. Without any, Concord runs on this machine with embedded servers.
Do not edit this page: `manage.py settings_reference > docs/reference/settings.md` generates it.

To read a value from a file, set the variable with the suffix `_FILE` to the path of the file:
`SECRET_KEY_FILE=/run/secrets/secret_key`.

A rate limit such as `10/15m` allows 10 requests at once, then 10 more spread over 15 minutes. The
units are s, m, h and d; `unlimited` means no limit.

Some variables are read elsewhere. `make run` reads `HOST` (127.0.0.1), `PORT` (8000) and `SERVE`
(0: print the leaderboard and exit). Crowd platforms need credentials: `PROLIFIC_TOKEN`, and
Amazon's variables as boto3 documents them; those on the page *Crowd accounts* win. The API client
reads `CONCORD_URL` and `CONCORD_TOKEN`, and tests read `CONCORD_DATA`.
"""
SECTION = "-- "


COLUMNS = "| Variable | Type | Default | Description |\n|---|---|---|---|\n"


@dataclass(frozen=True)
class Variable:
    """An environment variable. `default` is its text in the environment; empty if there is none or
    `help` describes it."""

    name: str
    kind: str
    default: str
    help: str
    section: str


def readings() -> list[Variable]:
    """All places where variables are read, in the order of the code.

    A variable that is read in several places has a comment at one of them; `help` is empty at the
    others.
    """
    return [variable for file in FILES for variable in _variables(settings.BASE_DIR / file)]


def reference() -> str:
    """The reference in Markdown."""
    parts, section = [HEAD], ""
    for variable in filter(lambda one: one.help, readings()):
        if variable.section != section:
            section = variable.section
            parts.append(f"\n## {section}\n\n{COLUMNS}")
        default = f"`{variable.default}`" if variable.default else ""
        parts.append(f"| `{variable.name}` | {variable.kind} | {default} | {variable.help} |\n")
    return "".join(parts)


def _variables(path: Path) -> Iterator[Variable]:
    source = path.read_text()
    comments = dict(_comments(source))
    calls = sorted(_calls(ast.parse(source)), key=lambda found: found[1].lineno)
    for kind, call in calls:
        name, default = call.args
        yield Variable(
            ast.literal_eval(name),
            TYPES[kind],
            _default_text(default),
            _comment_above(call.lineno, comments),
            _section(call.lineno, comments),
        )


def _comments(source: str) -> Iterator[tuple[int, str]]:
    """Line number and text of each comment on a line of its own."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and token.line.lstrip().startswith("#"):
            yield token.start[0], token.string.removeprefix("# ")


def _calls(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="env" | "_env"), attr=kind)):
                if kind in TYPES:
                    yield kind, node


def _comment_above(line: int, comments: dict[int, str]) -> str:
    lines: list[str] = []
    while (text := comments.get(line - 1 - len(lines), SECTION)) and not text.startswith(SECTION):
        lines.insert(0, text)
    return " ".join(lines)


def _section(line: int, comments: dict[int, str]) -> str:
    titles = [
        text.strip("- ") for at, text in comments.items() if at < line and text.startswith(SECTION)
    ]
    return titles[-1] if titles else ""


def _default_text(default: ast.expr) -> str:
    """The default as text in the environment; empty if it is computed."""
    names = [node for node in ast.walk(default) if isinstance(node, ast.Name | ast.Call)]
    if names:
        return ""
    value = eval(compile(ast.Expression(default), "", "eval"))  # constants and arithmetic
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, list) else str(value)
