"""Guesses which of the formats a file is in, to say so when it is not the one named."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass

# A name of a JSON member. Inside a string value the quotation marks would be escaped.
_NAME = re.compile(r'(?<!\\)"([\w-]{1,40})"\s*:')


@dataclass(frozen=True)
class Guess:
    """A format, and whether the file holds single candidates or minimal pairs."""

    kind: str
    format: str

    def __str__(self) -> str:
        if self.kind == "pairs":
            return f"minimal pairs in the format {self.format}"
        return f"judgments in the format {self.format}"

    @property
    def command(self) -> str:
        verb = "import_pairs" if self.kind == "pairs" else "import_judgments"
        return f"{verb} --format {self.format}"


_JSON_SIGNS: list[tuple[Guess, Callable[[set[str]], bool]]] = [
    (Guess("judgments", "thumb"), {"SYS", "seg_id", "hyp"}.issubset),
    (Guess("judgments", "squality"), {"passage-id", "questions"}.issubset),
    (Guess("judgments", "evouna"), {"golden_answer", "question"}.issubset),
    (Guess("pairs", "concord"), {"candidate1", "candidate2", "references"}.issubset),
    (Guess("pairs", "mocha"), {"candidate1", "candidate2", "reference"}.issubset),
    (Guess("judgments", "concord"), {"candidate", "references"}.issubset),
    (Guess("judgments", "mocha"), {"candidate", "context", "reference"}.issubset),
]


def guesses(head: str) -> list[Guess]:
    """The formats whose marks the beginning of a file bears; empty when it bears none."""
    start = head.lstrip()
    if start.startswith(("{", "[")):
        names = set(_NAME.findall(head))
        return [guess for guess, signs in _JSON_SIGNS if signs(names)]
    try:
        header = next(csv.reader([start.partition("\n")[0]]), [])
    except csv.Error:
        return []
    columns = {cell.strip().casefold() for cell in header}
    return [Guess("judgments", "kpqa")] if {"question", "answer"} <= columns else []
