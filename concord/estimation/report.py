"""Estimates from a judgment frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from concord.estimation.differences import MeanDifference, differences
from concord.estimation.estimates import Method, SystemEstimate, estimate_systems
from concord.estimation.raters import KnownRatings, ratings_in
from concord.estimation.sample import EstimationError, EstimationSample
from concord.estimation.system_data import Target
from concord.formats.errors import quote_names
from concord.frames import cluster_codes, complete_frame
from concord.inference.two_way import MIN_RATERS
from concord.meta.inference.multiplicity import MetricRank
from concord.plots.forest import IntervalPlot
from concord.plots.notebooks import PlottedResult
from concord.sentences import counted

if TYPE_CHECKING:
    import pandas as pd

UNNAMED = "(no system)"
TOO_FEW_RATERS = f"fewer than {MIN_RATERS} share the ratings"

TARGETS: dict[Target, str] = {
    "set": "the mean over this file",
    "new": "the mean over new passages of this kind",
}


@dataclass(frozen=True)
class EstimateReport(PlottedResult):
    """Each system's estimate, the differences of all pairs, and ranks in the same order.

    fixed_raters: why intervals are for these raters alone; empty where they are for others.
    """

    systems: list[SystemEstimate]
    differences: list[MeanDifference]
    ranks: list[MetricRank]
    target: Target
    metrics: tuple[str, ...]
    fixed_raters: str = ""

    @property
    def note(self) -> str:
        """What the intervals say of raters, and what the best mean does not say."""
        note = "Intervals are for other raters of this kind."
        if not any("raters" in row.over for row in self.systems):
            reason = self.fixed_raters or TOO_FEW_RATERS
            note = f"Intervals are for these raters: {reason}."
        if len(self.systems) > 2:
            note += " The highest of several means is too high on average."
        return note

    def forest(self) -> IntervalPlot:
        """The systems' means, the best first."""
        rows = sorted(
            ((row.system, row.mean, row.ci) for row in self.systems),
            key=lambda row: -(row[1] if row[1] is not None else float("-inf")),
        )
        return IntervalPlot(TARGETS[self.target], rows, zero=False)

    def to_json(self) -> dict[str, Any]:
        return {
            "target": self.target,
            "note": self.note,
            "metrics": list(self.metrics),
            "systems": {
                row.system: _system_json(row, rank)
                for row, rank in zip(self.systems, self.ranks, strict=True)
            },
            "differences": [
                {
                    "first": row.first,
                    "second": row.second,
                    "difference": row.value,
                    "ci": list(row.ci),
                    "p": row.p,
                    "adjusted_p": row.adjusted_p,
                    "over": row.over,
                }
                for row in self.differences
            ],
        }


def estimate(
    frame: pd.DataFrame,
    scores: pd.DataFrame,
    *,
    metrics: Sequence[str] | None = None,
    target: Target = "set",
    method: Method = "auto",
) -> EstimateReport:
    """Estimate each system's mean rating from a frame in which some candidates have a `score`.

    scores: one column for each metric, with the ids of candidates as index (`read_scores`), or in
    the frame's order. metrics: the columns to use, all by default; `ava` also means a column
    `ava/joint` if there is no other; several are combined by regression. Raises EstimationError
    where no candidate is rated, where a candidate has no score, and for an unknown metric.
    """
    judged = complete_frame(frame)
    sample = to_sample(judged, scores, metrics)
    return report_sample(sample, ratings_in(judged), target=target, method=method)


def report_sample(
    sample: EstimationSample,
    known: KnownRatings,
    *,
    target: Target = "set",
    method: Method = "auto",
) -> EstimateReport:
    """As `estimate`, from arrays."""
    rows = estimate_systems(sample, target=target, method=method, ratings=known.ratings)
    compared, ranks = differences(rows)
    return EstimateReport(
        systems=rows,
        differences=compared,
        ranks=ranks,
        target=target,
        metrics=sample.metrics,
        fixed_raters=known.reason,
    )


def to_sample(
    frame: pd.DataFrame, scores: pd.DataFrame, metrics: Sequence[str] | None = None
) -> EstimationSample:
    """The arrays of a judgment frame and its scores; arguments and errors as in `estimate`."""
    judged = complete_frame(frame)
    values, names = to_scores(judged, scores, metrics)
    codes, systems = to_systems(judged)
    outcomes = judged["score"].to_numpy(np.float64)
    return EstimationSample(
        outcomes=outcomes,
        scores=values,
        systems=codes,
        passages=cluster_codes(judged),
        names=systems,
        metrics=names,
    )


def to_scores(
    judged: pd.DataFrame, scores: pd.DataFrame, metrics: Sequence[str] | None = None
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """(scores (N, k) in the order of a complete frame, names of the k metrics)."""
    import pandas as pd

    names = tuple(scores.columns if metrics is None else _with_joint(metrics, scores.columns))
    if not names:
        raise EstimationError("no metric is given")
    if unknown := [name for name in names if name not in scores.columns]:
        known = ", ".join(map(str, scores.columns))
        raise EstimationError(f"there are no scores of '{unknown[0]}'; there are those of {known}")
    if isinstance(scores.index, pd.RangeIndex) and len(scores) == len(judged):
        return scores[list(names)].to_numpy(np.float64), names
    values = scores[list(names)].reindex(judged["id"])
    for name in names:
        if len(missing := values.index[~np.isfinite(values[name])]):
            others = scores.index.difference(values.index)
            stray = f"; its id {quote_names(others[:1])} is of none" if len(others) else ""
            raise EstimationError(
                f"{scores.attrs.get('file', 'scores')}: the metric '{name}' has no score for "
                f"{len(missing):,} of {counted(len(values), 'candidate')}, such as "
                f"{quote_names(missing[:3])}{stray}; score every candidate"
            )
    return values.to_numpy(np.float64), names


def to_systems(judged: pd.DataFrame) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """(codes (N,) of the systems of a complete frame, their names)."""
    names, codes = np.unique(judged["system"].to_numpy(dtype=np.str_), return_inverse=True)
    return codes.astype(np.int64), tuple(str(name) or UNNAMED for name in names)


def _with_joint(metrics: Sequence[str], columns: pd.Index) -> list[str]:
    """The metrics; `NAME/joint` for NAME if only that column exists (as AVA's was once named)."""
    joint = {name: f"{name}/joint" for name in metrics if name not in columns}
    return [joint[name] if joint.get(name) in columns else name for name in metrics]


def _system_json(row: SystemEstimate, rank: MetricRank) -> dict[str, Any]:
    return {
        "mean": row.mean,
        "se": row.se,
        "ci": None if row.ci is None else list(row.ci),
        "over": row.over,
        "method": row.method,
        "effective_n": row.effective_n,
        "rated": row.rated,
        "candidates": row.candidates,
        "passages": row.passages,
        "correlation": row.correlation,
        "plain_mean": row.plain_mean,
        "plain_ci": None if row.plain_ci is None else list(row.plain_ci),
        "rank": rank.rank,
        "group": rank.group,
        **({"reason": row.reason} if row.reason else {}),
    }
