"""The alternative annotator test of Calderon, Reichart and Dror (2025).

For each rater j and each item i that j and another rater labelled, the judge and j are both
compared with the other raters' labels of i. The judge wins where it agrees with them at least as
well as j does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy

from concord.arrays import Floats, Integers
from concord.inference import (
    Estimate,
    clustered_error,
    estimates_of_sums,
    resampled_sums,
    sums_by_cluster,
    t_above,
    too_few_clusters,
    wilson,
)
from concord.judges.labels import HumanLabels
from concord.sentences import counted

MIN_ITEMS = 30
"""A rater with fewer items is not tested: the t-test needs about as many."""
PASSING_RATE = 0.5
EPSILONS = {"crowdworkers": 0.1, "skilled raters": 0.15, "experts": 0.2}
"""Usual values of epsilon, by the raters whom the judge would replace."""
# Losses that differ by a smaller share of the largest possible are equal: sums of squared decimal
# grades differ by rounding.
_TOLERANCE = 1e-9


@dataclass(frozen=True, kw_only=True)
class AltTestOptions:
    """Options of the alternative annotator test.

    epsilon: how much worse than a rater the judge may be, because it costs less; see EPSILONS. q:
    false discovery rate over raters. draws, seed: of the bootstrap interval of rho. by_cluster:
    items of one cluster are dependent, so standard errors are cluster-robust with clusters - 1
    degrees of freedom; without it items are independent, as in the paper. min_items: raters with
    fewer compared items are not tested.
    """

    epsilon: float = 0.2
    q: float = 0.05
    draws: int = 1000
    seed: int = 0
    by_cluster: bool = False
    min_items: int = MIN_ITEMS


@dataclass(frozen=True)
class RaterTest:
    """One rater against the judge.

    items: the items compared. judge_wins, rater_wins: the shares of items where the judge (the
    rater) agrees with the other raters at least as well; both win a tie. p: one-sided p-value of
    H0 "the rater's advantage is epsilon or more"; None with a `reason` for a rater with too few
    items. rejected: H0 is rejected after the correction for several raters.
    """

    items: int
    judge_wins: float | None = None
    rater_wins: float | None = None
    p: float | None = None
    rejected: bool = False
    reason: str = ""


@dataclass(frozen=True)
class AltTest:
    """The test of one judge.

    winning_rate (omega): share of tested raters for whom H0 is rejected, in [0, 1]; the judge
    passes (`passed`) at 0.5. advantage (rho): mean over tested raters of `judge_wins`, in [0, 1],
    with its 95% interval over resampled clusters, or Wilson's of the clusters where rho is 0 or 1.
    Both are undefined where no rater is tested; the reason of `advantage` says why, and how much
    data is missing. missing: items of people that the judge did not label; they are not compared.
    """

    winning_rate: float | None
    advantage: Estimate
    raters: dict[str, RaterTest]
    missing: int

    @property
    def reason(self) -> str:
        """Why no rater is tested; empty where one is."""
        return self.advantage.reason if self.winning_rate is None else ""

    @property
    def passed(self) -> bool | None:
        return None if self.winning_rate is None else self.winning_rate >= PASSING_RATE


@dataclass(frozen=True, eq=False)
class RaterComparison:
    """A judge and each rater against the other raters.

    judge_wins, rater_wins: float64 (items, m) of 0 and 1, in the shape of `people.values`: whether
    the judge (the rater) agrees with the other raters at least as well as the rater (the judge).
    NaN without a label, a second rater or a judge's label. missing: items without a judge's label.
    """

    people: HumanLabels
    judge_wins: Floats
    rater_wins: Floats
    missing: int

    def positions(self, rater: int) -> tuple[Integers, Integers]:
        """(rows, columns) of a rater's compared labels."""
        rows, columns = np.nonzero((self.people.rater_codes == rater) & ~np.isnan(self.judge_wins))
        return rows, columns

    def advantage(self, *, min_items: int = MIN_ITEMS) -> float | None:
        """rho: the mean of the judge's wins over raters with `min_items` items; None without."""
        wins = [
            float(self.judge_wins[rows, columns].mean())
            for rows, columns in map(self.positions, range(len(self.people.raters)))
            if len(rows) >= min_items
        ]
        return float(np.mean(wins)) if wins else None


def alternative_annotator_test(
    people: HumanLabels, judge: Floats, options: AltTestOptions | None = None
) -> AltTest:
    """Test whether a judge may replace a random rater.

    judge: (items,), the judge's values by `people.codes_of`, NaN where it has none. For each rater
    and item, d = (rater wins) - (judge wins). A one-sided t-test of each rater has the null
    hypothesis that the mean of d is at least epsilon; Benjamini and Yekutieli's correction over
    raters has the rate q. Agreement is equality for categories and minus the root mean squared
    error for grades, as in the paper.
    """
    options = options or AltTestOptions()
    comparison = compare_with_raters(people, judge)
    rng = np.random.default_rng(options.seed)
    return with_interval(apply_test(comparison, options), comparison, draws=options.draws, rng=rng)


def compare_with_raters(people: HumanLabels, judge: Floats) -> RaterComparison:
    """Compare a judge's values (items,), NaN where missing, with each rater's."""
    values = people.values
    present = ~np.isnan(values)
    slack = _TOLERANCE
    if people.graded:
        slack *= np.ptp(np.concatenate([values[present], judge[~np.isnan(judge)]])) ** 2
    to_judge = people.disagreement(judge[:, None], values)
    judge_wins, rater_wins = np.full(values.shape, np.nan), np.full(values.shape, np.nan)
    for column in range(values.shape[1]):
        other = present.copy()
        other[:, column] = False
        between = people.disagreement(values[:, [column]], values)
        rater_loss = np.sum(between, axis=1, where=other)
        judge_loss = np.sum(to_judge, axis=1, where=other)
        compared = present[:, column] & other.any(axis=1) & ~np.isnan(judge)
        judge_wins[compared, column] = (judge_loss <= rater_loss + slack)[compared]
        rater_wins[compared, column] = (rater_loss <= judge_loss + slack)[compared]
    return RaterComparison(people, judge_wins, rater_wins, int(np.isnan(judge).sum()))


def apply_test(comparison: RaterComparison, options: AltTestOptions) -> AltTest:
    """The test of `alternative_annotator_test`, without an interval."""
    people, min_items = comparison.people, options.min_items
    tests: dict[str, RaterTest] = {}
    p_values: dict[str, float] = {}
    for code, name in enumerate(people.raters):
        rows, columns = comparison.positions(code)
        if len(rows) < min_items:
            shared = counted(len(rows), "item")
            reason = f"{shared} with another rater and the judge; {min_items} are needed"
            tests[name] = RaterTest(items=len(rows), reason=reason)
            continue
        wins = comparison.judge_wins[rows, columns]
        losses = comparison.rater_wins[rows, columns]
        clusters = people.clusters[rows] if options.by_cluster else np.arange(len(rows))
        p = _upper_bound_p(losses - wins, clusters, options.epsilon)
        tests[name] = RaterTest(len(rows), float(wins.mean()), float(losses.mean()), p)
        if p is not None:
            p_values[name] = p
    if not p_values:
        most = max(rater.items for rater in tests.values())
        reason = (
            "all items that raters and the judge labelled are of one passage; two are needed"
            if most >= min_items
            else f"a rater needs {min_items} items that another rater and the judge labelled too; "
            f"the rater with most has {most}, so {min_items - most:,} more are needed"
        )
        return AltTest(
            winning_rate=None,
            advantage=Estimate(None, reason=reason),
            raters=tests,
            missing=comparison.missing,
        )
    adjusted = scipy.stats.false_discovery_control(list(p_values.values()), method="by")
    for name, value in zip(p_values, adjusted, strict=True):
        tests[name] = replace(tests[name], rejected=bool(value <= options.q))
    tested = [tests[name] for name in p_values]
    return AltTest(
        winning_rate=float(np.mean([test.rejected for test in tested])),
        advantage=Estimate(float(np.mean([test.judge_wins for test in tested]))),
        raters=tests,
        missing=comparison.missing,
    )


def share_better(comparison: RaterComparison, options: AltTestOptions) -> float | None:
    """The share of tested raters whose advantage over the judge is shown to be above epsilon, by
    the test of the opposite hypothesis with the same correction; None where no rater is tested."""
    swapped = replace(
        comparison, judge_wins=comparison.rater_wins, rater_wins=comparison.judge_wins
    )
    return apply_test(swapped, replace(options, epsilon=-options.epsilon)).winning_rate


def with_interval(
    test: AltTest, comparison: RaterComparison, *, draws: int, rng: np.random.Generator
) -> AltTest:
    """The test with the interval of rho; unchanged where no rater is tested."""
    people = comparison.people
    codes = [code for code, name in enumerate(people.raters) if test.raters[name].p is not None]
    if not codes:
        return test
    # Of each rater and item: the judge's win, and whether it is compared.
    values = np.zeros((2, len(codes), len(people.items)))
    for row, code in enumerate(codes):
        rows, columns = comparison.positions(code)
        values[0, row, rows], values[1, row, rows] = comparison.judge_wins[rows, columns], 1.0
    sums = sums_by_cluster(values, people.clusters)
    resampled = resampled_sums(sums, rng, draws)
    (rho,) = estimates_of_sums(_advantage, sums, resampled, "share", unit="clusters")
    if rho.value in (0.0, 1.0) and not too_few_clusters(rho.clusters or 0):
        # No resample differs: the interval is that of a share of the clusters.
        low, high = wilson(rho.value, rho.clusters or 0)
        rho = replace(rho, low=low, high=high, reason="")
    return replace(test, advantage=rho)


def _advantage(totals: Floats) -> Floats:
    """The mean over raters (R,) of wins over items, of totals (2, R, k); (1, k)."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nanmean(totals[0] / totals[1], axis=0)[None])


def _upper_bound_p(differences: Floats, clusters: Integers, epsilon: float) -> float | None:
    """P-value of H0: mean >= epsilon, against a smaller mean; None with fewer than two clusters."""
    error, degrees = clustered_error(differences, clusters)
    if not degrees:
        return None
    mean = float(differences.mean())
    return float(mean >= epsilon) if error == 0 else t_above((epsilon - mean) / error, degrees)
