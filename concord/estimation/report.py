"""Estimates from a judgment frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from concord.arrays import Floats
from concord.documents.conversion import to_json
from concord.estimation.differences import MeanDifference, differences
from concord.estimation.estimates import Method, SystemEstimate, estimate_systems
from concord.estimation.raters import KnownRatings, ratings_in
from concord.estimation.sample import EstimationError, EstimationSample
from concord.estimation.system_data import Target
from concord.formats.errors import quote_names
from concord.frames import cluster_codes, complete_frame
from concord.inference.two_way import MIN_RATERS
from concord.meta.inference.multiplicity import MetricRank
from concord.sentences import counted
from concord.tables import ResultColumn, ResultTable, count, figure, number, text
from concord.tables.result import PlottedResult

if TYPE_CHECKING:
    import pandas as pd

UNNAMED = "(no system)"
TOO_FEW_RATERS = f"fewer than {MIN_RATERS} share the ratings"

TARGETS: dict[Target, str] = {
    "set": "the mean over this file",
    "new": "the mean over new passages of this kind",
}


@dataclass(frozen=True)
class DrawnWaves:
    """waves: number of complete waves. units: number of units that they drew. pending: number of
    units that later waves drew. of: number of all units. confidence: of the intervals."""

    waves: int
    units: int
    pending: int
    of: int
    confidence: float


@dataclass(frozen=True)
class EstimateReport(PlottedResult):
    """Each system's estimate, the differences of all pairs, and ranks in the same order.

    fixed_raters: why intervals are for these raters alone; empty where they are for others.
    sampling: of candidates that were drawn by a design.
    """

    systems: list[SystemEstimate]
    differences: list[MeanDifference]
    ranks: list[MetricRank]
    target: Target
    metrics: tuple[str, ...]
    fixed_raters: str = ""
    sampling: DrawnWaves | None = None

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

    @property
    def ordered(self) -> list[tuple[SystemEstimate, MetricRank]]:
        """The systems with their ranks, the best mean first."""
        rows = zip(self.systems, self.ranks, strict=True)
        return sorted(rows, key=lambda row: -np.inf if row[0].mean is None else row[0].mean,
                      reverse=True)  # fmt: skip

    def tables(self) -> Iterable[ResultTable]:
        def mean(heading: str, value: str, ends: str) -> ResultColumn:
            return figure(heading, lambda row: (row[value], row[ends]), interval="interval")

        columns = [text("system"), count("rank"), count("group"), mean("mean", "mean", "ci")]
        rated = [count("rated"), count("of", "candidates")]
        if self.metrics:
            columns += [mean("plain mean", "plain_mean", "plain_ci"), *rated]
            columns += [count("as many as", "effective_n"), number("correlation"), text("method")]
        by = f", by {', '.join(self.metrics)}" if self.metrics else ""
        rows = [{**vars(row), **vars(rank)} for row, rank in self.ordered]
        yield ResultTable(
            f"{TARGETS[self.target]}{by}",
            columns if by else [*columns, *rated],
            rows,
            plot=TARGETS[self.target],
            from_zero=False,
        )

    def sentences(self) -> Iterable[str]:
        yield from (f"{row.system}: {row.reason}." for row, _ in self.ordered if row.reason)
        yield self.note
        if len(self.systems) > 1:
            yield (
                "Rank: 1 + the number of systems that are significantly better, paired by passage, "
                "with Holm's correction."
            )
        lead = "Ratings must be of a random sample of passages."
        if (drawn := self.sampling) is not None:
            lead = (
                f"By the probabilities of {drawn.waves} waves; {drawn.units:,} of {drawn.of:,} "
                f"units drawn and rated, {drawn.pending:,} drawn and not rated; intervals of "
                f"{drawn.confidence:.1%}."
            )
        if self.metrics:
            lead += (
                ' "as many as": how many ratings the plain mean would need for the same interval.'
            )
        yield lead

    def to_json(self) -> dict[str, Any]:
        hidden = ("system", "influence", "plain_influence")
        systems = {
            row.system: {
                **{name: value for name, value in vars(row).items() if name not in hidden},
                "rank": rank.rank,
                "group": rank.group,
            }
            for row, rank in zip(self.systems, self.ranks, strict=True)
        }
        for row in systems.values():
            if not row["reason"]:
                del row["reason"]
        differences = [vars(row) | {"difference": row.value} for row in self.differences]
        for row in differences:
            del row["value"]
        document: dict[str, Any] = to_json({
            "target": self.target,
            "note": self.note,
            "metrics": self.metrics,
            "systems": systems,
            "differences": differences,
            **({} if self.sampling is None else {"sampling": self.sampling}),
        })  # fmt: skip
        return document


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
    gaps, ranks = differences(rows)
    return EstimateReport(
        systems=rows, differences=gaps, ranks=ranks, target=target, metrics=sample.metrics,
        fixed_raters=known.reason,
    )  # fmt: skip


def to_sample(
    frame: pd.DataFrame, scores: pd.DataFrame, metrics: Sequence[str] | None = None
) -> EstimationSample:
    """The arrays of a judgment frame and its scores; arguments and errors as in `estimate`."""
    judged = complete_frame(frame)
    values, names = to_scores(judged, scores, metrics)
    systems, codes = np.unique(judged["system"].to_numpy(dtype=np.str_), return_inverse=True)
    return EstimationSample(
        outcomes=judged["score"].to_numpy(np.float64),
        scores=values,
        systems=codes.astype(np.int64),
        passages=cluster_codes(judged),
        names=tuple(str(name) or UNNAMED for name in systems),
        metrics=names,
    )


def to_scores(
    judged: pd.DataFrame, scores: pd.DataFrame, metrics: Sequence[str] | None = None
) -> tuple[Floats, tuple[str, ...]]:
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


def _with_joint(metrics: Sequence[str], columns: pd.Index) -> list[str]:
    """The metrics; `NAME/joint` for NAME if only that column exists (as AVA's was once named)."""
    joint = {name: f"{name}/joint" for name in metrics if name not in columns}
    return [joint[name] if joint.get(name) in columns else name for name in metrics]
