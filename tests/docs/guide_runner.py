"""Find the commands that a how-to guide shows, and run them as they are written.

A block of commands is an indented block, one command a line, where a line may end in a backslash.
A block that no test can run is followed by a paragraph `*Not run by a test: REASON.*`, which the
reader of the page sees, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# What begins a command, after variables: a program of the project, or of the system.
_COMMAND = re.compile(
    r"(?:\w+=\S+ )*(?:\S*/)?"
    r"(?:concord|manage\.py|python3?|pip|make|createdb|git|install|cp|useradd|systemctl|llama-server"
    r"|docker|nginx)\s"
)
_NOT_RUN = re.compile(r"\*Not run by a test: (.+)\.\*")


@dataclass(frozen=True)
class CommandBlock:
    """Lines of commands. line: the first one's in the page. not_run: why no test runs them."""

    line: int
    commands: tuple[str, ...]
    not_run: str = ""

    @property
    def script(self) -> str:
        return "\n".join(self.commands)


def command_blocks(page: Path) -> list[CommandBlock]:
    """The blocks of commands in a page, in its order."""
    lines = page.read_text().split("\n")
    blocks = []
    for first, block in _indented(lines):
        commands = re.sub(r"\\\n\s*", "", "\n".join(block)).split("\n")
        if not any(_COMMAND.match(command) for command in commands):
            continue
        following = next((line for line in lines[first + len(block) :] if line.strip()), "")
        matched = _NOT_RUN.fullmatch(following.strip())
        blocks.append(CommandBlock(first + 1, tuple(commands), matched[1] if matched else ""))
    return blocks


def _indented(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """(position, lines without indent) of each indented block that follows a blank line and is in
    no fence."""
    is_fenced, block = False, list[str]()
    for at, line in enumerate([*lines, ""]):
        is_fenced ^= line.startswith("```")
        is_code = line.startswith("    ") and not is_fenced
        if is_code and (block or not lines[at - 1].strip()):
            block.append(line[4:])
        elif block:
            yield at - len(block), block
            block = []
