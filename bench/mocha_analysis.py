"""MOCHA's Tables 7 and 9 and its agreement of raters, for `bench.mocha_tables`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from concord.formats import ReadOptions
from concord.formats import read_judgments as read_rated
from concord.reliability import Level, Ratings, alpha
from scorers.judgments import Judgment

Vector = NDArray[np.float64]

#: MOCHA's constituents whose answers are spans; Tables 7 and 9 are of the generative ones.
SPAN_BASED = ("drop", "quoref")
#: The scale of MOCHA's scores, and of LERC's.
LOW, HIGH = 1.0, 5.0


@dataclass(frozen=True)
class Difference:
    """A candidate whose two scores are far apart."""

    judgment: Judgment
    human: float
    one: float
    other: float


def largest_differences(
    judgments: Sequence[Judgment], one: Vector, other: Vector, count: int
) -> list[Difference]:
    """The `count` candidates of each generative constituent with the largest absolute difference of
    two scores, both (n,), largest first; constituents in the order of the judgments.

    The scores are compared as they are, not by rank and not rescaled (MOCHA, sections 4.2 and 4.5:
    "the highest absolute difference"); of equal differences the first candidate counts.
    """
    found = []
    size = np.abs(one - other)
    names = dict.fromkeys(judgment.constituent for judgment in judgments)
    for name in names:
        if name in SPAN_BASED:
            continue
        places = np.array([at for at, one in enumerate(judgments) if one.constituent == name])
        order = np.argsort(-size[places], kind="stable")[:count]
        found += [
            Difference(judgments[at], human(judgments[at]), float(one[at]), float(other[at]))
            for at in places[order].tolist()
        ]
    return found


def human(judgment: Judgment) -> float:
    """People's score on MOCHA's scale, 1 to 5."""
    return LOW + (HIGH - LOW) * judgment.gold


def rows_of(found: Sequence[Difference]) -> list[list[str]]:
    """The cells of a table: constituent, texts, people's score, two scores and their difference."""
    return [
        [
            one.judgment.constituent,
            _cell(one.judgment.question),
            _cell(one.judgment.references[0]),
            _cell(one.judgment.candidate),
            f"{one.human:.2f}",
            f"{one.one:.2f}",
            f"{one.other:.2f}",
            f"{one.one - one.other:+.2f}",
        ]
        for one in found
    ]


def share_over(found: Sequence[Difference]) -> str:
    """How many of the candidates the first score is higher for; a reader groups them further."""
    over = sum(one.one > one.other for one in found)
    return f"{over} of {len(found)} ({over / len(found):.1%})" if found else "none"


def agreement(path: Path, level: Level = "ordinal") -> dict[str, float]:
    """Krippendorff's alpha of a file's single ratings by constituent (MOCHA, section 2.3).

    A unit is a candidate. MOCHA's files do not name workers, and alpha does not need to know them:
    a rating's place stands for its worker. NaN where no candidate has two ratings, or all are
    equal. The paper does not state the level; its scale is ordinal.
    """
    by_constituent: dict[str, list[tuple[str, str, float]]] = {}
    for candidate in read_rated([path], "mocha", ReadOptions()).candidates:
        rows = by_constituent.setdefault(candidate.instance.constituent, [])
        rows += [
            (candidate.key, str(place), rating.value)
            for place, rating in enumerate(candidate.ratings)
        ]
    found = {}
    for name, rows in by_constituent.items():
        value = alpha(Ratings.from_rows(rows), level).value if rows else None
        found[name] = float("nan") if value is None else value
    return found


def _cell(text: str) -> str:
    """A text that does not break a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|")
