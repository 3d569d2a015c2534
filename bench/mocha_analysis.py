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
from scorers.datasets.judgments import Judgment

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
    differences = []
    size = np.abs(one - other)
    names = dict.fromkeys(judgment.constituent for judgment in judgments)
    for name in names:
        if name in SPAN_BASED:
            continue
        indices = np.array(
            [index for index, one in enumerate(judgments) if one.constituent == name]
        )
        order = np.argsort(-size[indices], kind="stable")[:count]
        differences += [
            Difference(
                judgments[index], human(judgments[index]), float(one[index]), float(other[index])
            )
            for index in indices[order].tolist()
        ]
    return differences


def human(judgment: Judgment) -> float:
    """People's score on MOCHA's scale, 1 to 5."""
    return LOW + (HIGH - LOW) * judgment.gold


def difference_rows(differences: Sequence[Difference]) -> list[list[str]]:
    """The cells of a table: constituent, texts, people's score, two scores and their difference."""
    return [
        [
            difference.judgment.constituent,
            _cell(difference.judgment.question),
            _cell(difference.judgment.references[0]),
            _cell(difference.judgment.candidate),
            f"{difference.human:.2f}",
            f"{difference.one:.2f}",
            f"{difference.other:.2f}",
            f"{difference.one - difference.other:+.2f}",
        ]
        for difference in differences
    ]


def share_over(differences: Sequence[Difference]) -> str:
    """How many of the candidates the first score is higher for; a reader groups them further."""
    over = sum(one.one > one.other for one in differences)
    return (
        f"{over} of {len(differences)} ({over / len(differences):.1%})" if differences else "none"
    )


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
            (candidate.key, str(position), rating.value)
            for position, rating in enumerate(candidate.ratings)
        ]
    alphas = {}
    for name, rows in by_constituent.items():
        value = alpha(Ratings.from_rows(rows), level).value if rows else None
        alphas[name] = float("nan") if value is None else value
    return alphas


def _cell(text: str) -> str:
    """A text that does not break a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|")
