"""The coefficients that reports show beside Krippendorff's alpha, and what they say in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from concord.documents.agreement import CoefficientsRow, DominantRow, Level, ValueRow
from concord.documents.conversion import fields_to_json
from concord.formats.records import shown_value
from concord.inference import Estimate
from concord.reliability.gwet import gwet_ac2
from concord.reliability.icc import intraclass_correlation
from concord.reliability.pairwise import mean_weighted_kappa, percent_agreement
from concord.reliability.ratings import Ratings
from concord.sentences import counted, decimal

MAX_LISTED = 20
"""Different values that are listed."""
DOMINANT = 0.8
"""The share of ratings from which on one value dominates."""


def coefficient_names(level: Level) -> dict[str, str]:
    """Of the keys of the coefficients that a level has, their names."""
    names = {
        "percent": "equal pairs of ratings",
        "kappa": "mean pairwise kappa, quadratic weights",
        "ac1": "Gwet's AC1",
        "ac2": "Gwet's AC2, ordinal weights",
        "icc": "ICC(1), of a rating",
        "mean_icc": "ICC(1,k), of the mean of a candidate's ratings",
    }
    if level != "nominal":
        return names
    return {"percent": names["percent"], "kappa": "mean pairwise kappa", "ac1": names["ac1"]}


@dataclass(frozen=True, kw_only=True)
class Coefficients:
    """Agreement of ratings beside alpha, by what their level allows.

    percent: of equal pairs. kappa: mean over pairs of raters; quadratic weights, none at the
    nominal level. ac1, ac2: Gwet's; ac2 has ordinal weights. icc, mean_icc: of a single rating, and
    of the mean of a unit's. At the nominal level, where values are names, ac2, icc and mean_icc are
    None. values: the first MAX_LISTED of the n_values values that occur, ascending, words as words.
    dominant: the most frequent one, with its share of the ratings; None where no value has DOMINANT
    of them, or it is the only one.
    """

    percent: Estimate
    kappa: Estimate
    ac1: Estimate
    ac2: Estimate | None
    icc: Estimate | None
    mean_icc: Estimate | None
    values: tuple[ValueRow, ...]
    n_values: int
    dominant: DominantRow | None

    @classmethod
    def of(
        cls, ratings: Ratings, level: Level, scale: tuple[float, float] | None = None
    ) -> Coefficients:
        """The coefficients of ratings on a scale, whose values count for AC1 and AC2 though nobody
        gave them; None: the values that occur."""
        is_ordered = level != "nominal"
        values, counts = np.unique(ratings.values, return_counts=True)
        names = [shown_value(value, scale) for value in values.tolist()]
        dominant: DominantRow | None = None
        if len(values) > 1 and counts.max() >= DOMINANT * len(ratings):
            share = float(counts.max() / len(ratings))
            dominant = {"value": names[int(counts.argmax())], "share": share}
        rows = zip(names[:MAX_LISTED], counts.tolist(), strict=False)
        return cls(
            percent=percent_agreement(ratings),
            kappa=mean_weighted_kappa(ratings, "quadratic" if is_ordered else "nominal"),
            ac1=gwet_ac2(ratings, "nominal", scale=scale),
            ac2=gwet_ac2(ratings, scale=scale) if is_ordered else None,
            icc=intraclass_correlation(ratings) if is_ordered else None,
            mean_icc=intraclass_correlation(ratings, "mean") if is_ordered else None,
            values=tuple(ValueRow(value=value, ratings=count) for value, count in rows),
            n_values=len(values),
            dominant=dominant,
        )

    def notes(self, alpha: float | None) -> list[str]:
        """What the values are, and how to read the coefficients beside alpha, in sentences."""
        notes = []
        if self.values:
            notes.append(self._values_sentence())
        if self.dominant is not None and self.percent.value is not None:
            share, value = self.dominant["share"], _text(self.dominant["value"])
            notes.append(
                f"{share:.0%} of the ratings are {value}. Where one value dominates, equal ratings "
                f"are expected by chance, and alpha ({decimal(alpha)}) and kappa "
                f"({decimal(self.kappa.value)}) can be low although {self.percent.value:.0%} of "
                "the pairs are equal: they say how far raters agree on the exceptions. AC1 "
                f"({decimal(self.ac1.value)}) expects less agreement by chance."
            )
        corrected = (self.kappa, self.ac1, self.ac2, self.icc, self.mean_icc)
        figures = [alpha, *(one.value for one in corrected if one is not None)]
        if any(value is not None and value < 0 for value in figures):
            notes.append(
                "A coefficient below 0 means less agreement than by chance. Where its interval "
                "contains 0, chance may explain it; else raters may read the scale differently."
            )
        return notes

    def _values_sentence(self) -> str:
        if self.n_values > MAX_LISTED:
            return f"{self.n_values:,} different values occur."
        rows = [(row["value"], row["ratings"]) for row in self.values]
        listed = ", ".join(f"{_text(value)} ({number:,})" for value, number in rows)
        total = sum(number for _, number in rows)
        return f"Values of {counted(total, 'rating')}: {listed}."

    def to_json(self, alpha: float | None) -> CoefficientsRow:
        """As JSON, with the notes beside alpha."""
        return cast(CoefficientsRow, {**fields_to_json(self), "notes": self.notes(alpha)})


def _text(value: float | str) -> str:
    return f"{value:g}" if isinstance(value, float) else f"“{value}”"
