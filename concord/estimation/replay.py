"""Replay: estimates from random samples of a fully rated set, compared with the set's means."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from concord.arrays import Floats, Integers
from concord.estimation.differences import differences
from concord.estimation.estimates import Method, SystemEstimate, estimate_systems
from concord.estimation.sample import EstimationError, EstimationSample
from concord.meta.inference.draws import Progress
from concord.sentences import counted
from concord.tables import ResultTable, count, number, share
from concord.tables.result import Result

SHARES = (0.05, 0.1, 0.2, 0.4)
LEVEL = 0.05
NO_MEAN = {"is_mean": False}
"""Of a field of a result that is no mean over draws."""


@dataclass(frozen=True)
class ReplayRow:
    """Results of estimates from `passages` random passages, over all draws and systems.

    rated: mean number of rated candidates. coverage, plain_coverage: share of 95% intervals of the
    estimate and of the plain mean that contain the set's mean. width, plain_width: mean widths of
    these intervals. saving: mean of effective_n / rated, the number of ratings that the plain mean
    would need for each. used: share of estimates that used the metric. without_interval: share of
    estimates without an interval. correct, wrong: share of pairs of systems and draws with a
    significant difference (after Holm's correction) in the right, and in the wrong direction.
    plain_correct: as `correct`, by the plain mean. Shares are in [0, 1]; None where there was
    nothing to count.
    """

    passages: int = field(metadata=NO_MEAN)
    rated: float
    coverage: float | None
    plain_coverage: float | None
    width: float | None
    plain_width: float | None
    saving: float | None
    used: float
    without_interval: float
    correct: float | None
    plain_correct: float | None
    wrong: float | None


@dataclass(frozen=True)
class SampleReplay(Result):
    """Samples of fixed sizes of a rated set with the scores of metrics, and what the estimates from
    them are. passages: of the set."""

    metrics: list[str]
    method: Method
    draws: int
    seed: int
    passages: int
    systems: list[str]
    rows: list[ReplayRow]

    def tables(self) -> Iterable[ResultTable]:
        def digits(name: str) -> Callable[[ReplayRow], str]:
            return lambda row: "" if getattr(row, name) is None else f"{getattr(row, name):.3g}"

        columns = [
            count("passages"),
            count("ratings", "rated"),
            share("coverage"),
            share("plain", "plain_coverage"),
            number("width", digits("width")),
            number("plain", digits("plain_width")),
            number("one rating counts as", digits("saving")),
            share("metric used", "used"),
            share("pairs resolved", "correct"),
            share("plain", "plain_correct"),
            share("wrong"),
        ]
        title = f"{counted(self.passages, 'passage')}, by {', '.join(self.metrics)}"
        yield ResultTable(title, columns, self.rows)

    def sentences(self) -> Iterable[str]:
        yield (
            "Coverage: 95% intervals that hold the set's own mean. Pairs resolved: pairs of "
            "systems whose order is significant and right."
        )


def default_sizes(passages: int) -> list[int]:
    """The default sample sizes for a set of `passages` passages: SHARES of them, at least 2."""
    return sorted({max(2, round(share * passages)) for share in SHARES})


def replay_steps(
    sample: EstimationSample,
    sizes: list[int],
    *,
    method: Method = "auto",
    draws: int = 200,
    rng: np.random.Generator,
) -> Generator[Progress, None, list[ReplayRow]]:
    """For each of `sizes`, draw so many passages `draws` times, and estimate the set's means.

    Yields its progress. Raises EstimationError for a candidate without an outcome, and for a size
    below 2 or above the number of passages - 1.
    """
    truth = true_means(sample.systems, sample.outcomes)
    passages = np.unique(sample.passages)
    for size in sizes:
        if not 2 <= size < len(passages):
            raise EstimationError(
                f"{counted(size, 'passage')} cannot be drawn: choose from 2 to {len(passages) - 1}"
            )
    rows = []
    for position, size in enumerate(sizes):
        tally = Tally()
        for draw in range(draws):
            shown = np.isin(sample.passages, rng.choice(passages, size, replace=False))
            seen = replace(sample, outcomes=np.where(shown, sample.outcomes, np.nan))
            tally.add("rated", shown.sum())
            _count(tally, estimate_systems(seen, method=method), truth)
            yield Progress(position * draws + draw + 1, len(sizes) * draws)
        rows.append(ReplayRow(size, **tally.means(ReplayRow)))
    return rows


def true_means(systems: Integers, outcomes: Floats) -> Floats:
    """The mean outcome of each system, (S,). Raises EstimationError where one is missing."""
    if missing := int(np.count_nonzero(np.isnan(outcomes))):
        raise EstimationError(
            f"{counted(missing, 'candidate is', 'candidates are')} not rated; a replay needs "
            "them all"
        )
    return np.asarray(np.bincount(systems, outcomes) / np.bincount(systems))


class Tally:
    """Figures of many draws, by name."""

    def __init__(self) -> None:
        self.values: defaultdict[str, list[float]] = defaultdict(list)

    def add(self, name: str, value: float) -> None:
        self.values[name].append(float(value))

    # What a result's constructor takes.
    def means(self, result: type) -> dict[str, Any]:
        """The mean of each figure that is a field of this class; None of one without values."""
        names = (one.name for one in fields(result) if one.metadata != NO_MEAN)
        return {
            name: float(np.mean(found)) if (found := self.values[name]) else None for name in names
        }


def _count(tally: Tally, estimates: list[SystemEstimate], truth: Floats) -> None:
    for row, value in zip(estimates, truth.tolist(), strict=True):
        tally.add("used", row.method not in ("mean", "all rated"))
        if row.ci is None or row.plain_ci is None or row.effective_n is None:
            tally.add("without_interval", True)
            continue
        tally.add("without_interval", False)
        tally.add("saving", row.effective_n / row.rated)
        for name, (low, high) in (("", row.ci), ("plain_", row.plain_ci)):
            tally.add(f"{name}coverage", low <= value <= high)
            tally.add(f"{name}width", high - low)
    by_name = {row.system: value for row, value in zip(estimates, truth, strict=True)}
    plain = [
        replace(row, mean=row.plain_mean, ci=row.plain_ci, influence=row.plain_influence)
        for row in estimates
    ]
    for name, rows in (("", estimates), ("plain_", plain)):
        for gap in differences(rows)[0]:
            is_right = np.sign(gap.value) == np.sign(by_name[gap.first] - by_name[gap.second])
            is_significant = gap.adjusted_p <= LEVEL
            tally.add(f"{name}correct", is_significant and is_right)
            tally.add(f"{name}wrong", is_significant and not is_right)
