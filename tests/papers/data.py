"""The examples that the papers print, read from `examples/`.

`examples/PAPER.toml` is written by people: what the paper prints, and why a value here differs.
`examples/PAPER.here.json` is written by `python -m tests.papers.record`: the values here. The tests
and the page docs/reference/papers.md (`python -m tests.papers.table`) are both made of these two
files.

In the TOML file, `metrics` maps a name that the paper uses to the metrics that stand for it here.
`reasons` holds texts, and `reason_of` says which of them explains a metric's differences; that of
an entry comes first. Each of `entries` is one printed example or table:

- id, where: a name of its own, and the place in the paper.
- kind: "score" (one answer), "pair" (two answers, the better one first), or a computation of
  `computing`, to which `arguments` go.
- question, references, candidate or candidates, passage: the example, with the ASCII apostrophes of
  MOCHA's files in place of the printed ones; `shortened` where the
  passage is only a part of the printed one. people: the judgment printed beside it.
- printed: what the paper prints, by row, one text for each of `columns`; none where the paper gives
  no value. With `by_hand` the paper prints a formula, and the value was worked out by hand.

`missing` lists what cannot be compared, with the reason.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scorers import Item

FOLDER = Path(__file__).parent / "examples"
#: In the order of docs/reference/papers.md.
PAPERS = ("kpqa", "mocha", "ava", "soricut_brill")

#: Kinds of entries whose rows are metrics, to which `metrics` applies.
KINDS_OF_METRICS = ("score", "pair", "kpqa_row", "kpqa_correlation", "kpqa_rank_pairs")

#: Values here by row, one for each column (for a pair: the two answers' scores).
Values = dict[str, list[float]]


@dataclass(frozen=True)
class Entry:
    """One printed example or table; the fields are described above."""

    id: str
    where: str
    kind: str
    printed: Mapping[str, list[str]]
    what: str = ""
    question: str = ""
    references: tuple[str, ...] = ()
    candidate: str = ""
    candidates: tuple[str, ...] = ()
    passage: str = ""
    shortened: bool = False
    people: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    columns: tuple[str, ...] = ("score",)
    by_hand: bool = False
    reason_of: Mapping[str, str] = field(default_factory=dict)

    @property
    def items(self) -> list[Item]:
        """The example's answers, each with question, references and passage."""
        answers = self.candidates or (self.candidate,)
        return [Item(a, tuple(self.references), self.question, self.passage) for a in answers]

    @property
    def needs_files(self) -> bool:
        """Whether the values are computed from KPQA's judgment files."""
        return "file" in self.arguments


@dataclass(frozen=True)
class Paper:
    """A paper's examples with the values recorded here, by entry and row."""

    slug: str
    name: str
    source: str
    metrics: Mapping[str, list[str]]
    reasons: Mapping[str, str]
    reason_of: Mapping[str, str]
    entries: tuple[Entry, ...]
    missing: tuple[Mapping[str, str], ...]
    here: dict[str, Values]

    def rows(self, entry: Entry) -> list[tuple[str, str]]:
        """Each printed row with its row here; for scores, a row for each metric."""
        metrics = self.metrics if entry.kind in KINDS_OF_METRICS else {}
        return [(name, row) for name in entry.printed for row in metrics.get(name, [name])]

    def entry(self, name: str) -> Entry:
        return next(entry for entry in self.entries if entry.id == name)

    def reason(self, entry: Entry, row: str) -> str | None:
        """The key in `reasons` that explains a difference in this row; None without one."""
        base = row.split("(")[0].split(" ")[0]
        for source in (entry.reason_of, self.reason_of):
            for key in (row, base):
                if key in source:
                    return source[key]
        return None


def recorded_path(slug: str) -> Path:
    return FOLDER / f"{slug}.here.json"


def read_paper(slug: str) -> Paper:
    """Read one paper's two files. Raises TypeError for an unknown field."""
    document = tomllib.loads((FOLDER / f"{slug}.toml").read_text(encoding="utf-8"))
    path = recorded_path(slug)
    here = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    document["entries"] = tuple(Entry(**entry) for entry in document["entries"])
    document["missing"] = tuple(document["missing"])
    return Paper(slug=slug, here=here, **document)
