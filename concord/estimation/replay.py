"""Replay: estimates from random samples of a fully rated set, compared with the set's means."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from concord.estimation.differences import differences
from concord.estimation.estimates import Method, SystemEstimate, estimate_systems
from concord.estimation.sample import EstimationError, EstimationSample
from concord.meta.inference.draws import Progress
from concord.sentences import counted

SHARES = (0.05, 0.1, 0.2, 0.4)


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

    passages: int
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
    if not sample.is_rated.all():
        missing = int(np.count_nonzero(~sample.is_rated))
        raise EstimationError(
            f"{counted(missing, 'candidate is', 'candidates are')} not rated; a replay needs "
            "them all"
        )
    passages = np.unique(sample.passages)
    for size in sizes:
        if not 2 <= size < len(passages):
            raise EstimationError(
                f"{counted(size, 'passage')} cannot be drawn: choose from 2 to {len(passages) - 1}"
            )
    counts = np.bincount(sample.systems, minlength=len(sample.names))
    truth = np.bincount(sample.systems, sample.outcomes, minlength=len(counts)) / counts
    rows = []
    for position, size in enumerate(sizes):
        tally = _EstimateTally(truth)
        for draw in range(draws):
            shown = np.isin(sample.passages, rng.choice(passages, size, replace=False))
            seen = replace(sample, outcomes=np.where(shown, sample.outcomes, np.nan))
            tally.add(estimate_systems(seen, method=method), int(shown.sum()))
            yield Progress(position * draws + draw + 1, len(sizes) * draws)
        rows.append(tally.row(size))
    return rows


class _EstimateTally:
    """The results of the draws of one size."""

    def __init__(self, truth: NDArray[np.float64]) -> None:
        self._truth = truth
        self._rated: list[int] = []
        self._intervals: list[tuple[bool, bool, float, float, float]] = []
        self._methods: list[str] = []
        self._decisions: list[tuple[int, int]] = []
        self._plain_decisions: list[tuple[int, int]] = []

    def add(self, estimates: list[SystemEstimate], rated: int) -> None:
        self._rated.append(rated)
        for row, truth in zip(estimates, self._truth, strict=True):
            self._methods.append(row.method)
            if row.ci is None or row.plain_ci is None or row.effective_n is None:
                continue
            covers, plain_covers = (low <= truth <= high for low, high in (row.ci, row.plain_ci))
            widths = (row.ci[1] - row.ci[0], row.plain_ci[1] - row.plain_ci[0])
            self._intervals.append((covers, plain_covers, *widths, row.effective_n / row.rated))
        self._decisions += self._judge(estimates)
        self._plain_decisions += self._judge([_plain(row) for row in estimates])

    def _judge(self, estimates: list[SystemEstimate]) -> Iterator[tuple[int, int]]:
        """(right, wrong) of each pair of systems; (0, 0) where no order is significant."""
        truth = {row.system: value for row, value in zip(estimates, self._truth, strict=True)}
        for gap in differences(estimates)[0]:
            order = np.sign(truth[gap.first] - truth[gap.second])
            is_right = bool(np.sign(gap.value) == order)
            is_significant = gap.adjusted_p <= 0.05
            yield int(is_significant and is_right), int(is_significant and not is_right)

    def row(self, size: int) -> ReplayRow:
        intervals = np.array(self._intervals, dtype=np.float64).reshape(-1, 5)
        names = ("coverage", "plain_coverage", "width", "plain_width", "saving")
        means = (
            dict.fromkeys(names)
            if not len(intervals)
            else dict(zip(names, intervals.mean(axis=0).tolist(), strict=True))
        )
        decisions, plain = (
            np.array(each, dtype=np.float64).reshape(-1, 2)
            for each in (self._decisions, self._plain_decisions)
        )
        n = len(self._methods)
        return ReplayRow(
            size,
            float(np.mean(self._rated)),
            **means,
            used=float(np.mean([name not in ("mean", "all rated") for name in self._methods])),
            without_interval=1 - len(intervals) / n,
            correct=float(decisions[:, 0].mean()) if len(decisions) else None,
            plain_correct=float(plain[:, 0].mean()) if len(plain) else None,
            wrong=float(decisions[:, 1].mean()) if len(decisions) else None,
        )


def _plain(row: SystemEstimate) -> SystemEstimate:
    """The same system by its plain mean."""
    return replace(row, mean=row.plain_mean, ci=row.plain_ci, influence=row.plain_influence)
