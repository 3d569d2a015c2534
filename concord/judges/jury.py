"""A jury: several judges as one, beside the best single judge.

Passages are divided into two halves. What is learned (the weights of the votes, which judge is the
best one) is learned on one half and used on the other, and figures are means over both: so neither
the jury nor the best judge has the advantage of its own choice. Judges' errors are dependent; the
bootstrap over passages takes them together and needs no model of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np

from concord.arrays import Floats, Integers
from concord.inference import (
    MIN_CLUSTERS,
    Estimate,
    Scale,
    moment_sums,
    pearson_of_sums,
    resampled_estimate,
    resampled_sums,
    sums_by_cluster,
)
from concord.judges.jury_rules import TIE, JuryRule, decide, fitted_weights, rules_for
from concord.meta.correlation import pearson_rows
from concord.metrics.signature import format_signature, installed_version
from concord.reliability import RatingsError
from concord.sentences import counted
from concord.tables import ResultTable, count, figure, number, text
from concord.tables.result import PlottedResult

JuryStatistic = Literal["pearson", "accuracy"]
JURY_STATISTICS: dict[JuryStatistic, str] = {"pearson": "Pearson's r", "accuracy": "accuracy"}
MAX_JUDGES = 100
MAX_FRONTIER_JUDGES = 10
"""The frontier is of all juries of so many judges, those that agree best on the train half."""
_CONSTANT = "the judge or people gave all items of a half the same value"


@dataclass(frozen=True)
class Juror:
    """One judge. cost: of one answer. missing: items of people without an answer. weights: of its
    vote in the rule "weighted", as fitted on each half of the passages; they sum to 1. chosen: on
    how many of the two halves it was the best single judge."""

    name: str
    cost: float
    missing: int
    agreement: Estimate
    weights: list[float]
    chosen: int


@dataclass(frozen=True)
class Jury:
    """All judges as one, by a rule. gain: its agreement less that of the best single judge. ties:
    items where several labels share the first place, which count as a random choice among these."""

    rule: JuryRule
    agreement: Estimate
    gain: Estimate
    ties: int


@dataclass(frozen=True)
class FrontierJury:
    """A jury that no other one of the same or a lower cost exceeds on the train half. cost: of the
    answers about one item. train: its agreement there; test: on the other half. gain: test less
    the agreement there of the best single judge on the train half."""

    judges: list[str]
    cost: float
    train: float
    test: Estimate
    gain: Estimate


@dataclass(frozen=True)
class JuryReport(PlottedResult):
    """Several judges as one, beside the best single judge.

    statistic: of agreement with people: Pearson's r of grades with people's mean, accuracy of
    categories by people's most frequent label. items: those that people and every judge judged,
    by which all are compared; left_out: the other ones of people, also those where people's first
    place is shared. is_priced: whether the costs are those of the judges' answers; else each
    answer costs 1. single: agreement of the judge that is best on the other half. frontier: by
    rising cost, of the mean of grades or the majority of labels.
    """

    signature: str
    graded: bool
    statistic: JuryStatistic
    items: int
    passages: int
    left_out: int
    is_priced: bool
    judges: list[Juror]
    single: Estimate
    juries: list[Jury]
    frontier: list[FrontierJury]

    def tables(self) -> Iterable[ResultTable]:
        statistic = JURY_STATISTICS[self.statistic]
        judges = counted(len(self.judges), "judge")
        columns = [
            text("", "name"),
            figure(statistic, "agreement"),
            figure("gain", sign="+"),
            count("ties"),
            number("cost"),
            count("missing"),
        ]
        rows = [{"name": one.name, "agreement": one.agreement, "cost": f"{one.cost:g}",
                 "missing": one.missing} for one in self.judges]  # fmt: skip
        rows.append({"name": "best single judge", "agreement": self.single})
        cost = f"{sum(one.cost for one in self.judges):g}"
        rows += [{**vars(one), "name": f"jury: {one.rule}", "cost": cost} for one in self.juries]
        passages = counted(self.passages, "passage")
        title = f"{judges}, {counted(self.items, 'item')} of {passages}"
        yield ResultTable(title, columns, rows, from_zero=False)
        columns = [
            text("jury", lambda row: " + ".join(row.judges)),
            number("cost", lambda row: f"{row.cost:g}"),
            number("chosen by", "train"),
            figure(statistic, "test"),
            figure("gain", sign="+"),
        ]
        title = "Juries for a budget: chosen on half of the passages, tested on the other"
        yield ResultTable(title, columns, self.frontier)

    def sentences(self) -> Iterable[str]:
        if self.left_out:
            yield f"Left out, without an answer of every judge: {counted(self.left_out, 'item')}."
        yield (
            "gain: over the judge that is best on the other half of the passages, on which the "
            "weights are fitted too. Figures are means over both halves."
        )
        figures = [one.agreement for one in self.judges]
        figures += [figure for one in self.juries for figure in (one.agreement, one.gain)]
        reasons = dict.fromkeys(one.reason for one in figures if not one.ci)
        yield from (f"No interval: {reason}." for reason in reasons if reason)
        yield self.signature


def check_judges(judges: Mapping[str, Floats]) -> None:
    """Raise RatingsError for a number of judges that is no jury."""
    if not 2 <= len(judges) <= MAX_JUDGES:
        raise RatingsError(f"a jury has 2 to {MAX_JUDGES} judges; there are {len(judges)}")


def jury_report(
    judges: Mapping[str, Floats],
    gold: Floats,
    clusters: Integers,
    *,
    graded: bool,
    costs: Mapping[str, float] | None = None,
    seed: int = 0,
    draws: int = 1000,
) -> JuryReport:
    """All judges as one by each rule, the gain over the best single judge, and juries for a budget.

    judges: the answers of each, (n,), NaN where it has none: grades, or codes of categories. gold:
    (n,), people's mean grade or most frequent category (`HumanLabels.verdicts`), NaN where there is
    none. clusters: (n,), passages; items of one passage are in one half and are drawn together.
    Items without gold, or without an answer of every judge, are left out. costs: of one answer of
    each judge; 1 by default, so that a jury costs the number of its judges.

    "dawid-skene" is fitted on the judges' answers about all items, without people's labels. The
    intervals resample passages, with the weights as they are and the best judge chosen anew; they
    are of new passages that the same judges judge. Raises RatingsError with fewer than two judges
    or more than MAX_JUDGES, and where a half has fewer than MIN_CLUSTERS passages.
    """
    check_judges(judges)
    names = tuple(judges)
    every = np.stack([judges[name] for name in names])
    of_people = np.isfinite(gold)
    rows = np.flatnonzero(of_people & np.isfinite(every).all(axis=0))
    data = _Data.divided(every[:, rows], gold[rows], clusters[rows], graded, seed)
    weights = [data.weights(1 - side) for side in (0, 1)]
    juries = {rule: data.verdicts(rule, weights) for rule in rules_for(data.answers, graded=graded)}
    table = np.stack([*data.single, *(values for values, _ in juries.values())])
    rng = np.random.default_rng(seed)
    figures = _Figures.of(data, table, (0, 1), rng, draws)
    best = figures.best_judges(len(names))
    figures = figures.with_best(len(names))
    first, single = len(names), len(table)
    prices = [float((costs or {}).get(name, 1.0)) for name in names]
    statistic: JuryStatistic = "pearson" if graded else "accuracy"
    fields = {
        "judges": "+".join(names),
        "agreement": statistic,
        "halves": "2",
        "seed": str(seed),
        "draws": str(draws),
        "version": installed_version("concord-judgments"),
    }
    return JuryReport(
        signature=format_signature("jury", fields),
        graded=graded,
        statistic=statistic,
        items=len(rows),
        passages=sum(half.passages for half in data.halves),
        is_priced=bool(costs),
        left_out=int(np.count_nonzero(of_people)) - len(rows),
        judges=[
            Juror(
                name=name,
                cost=prices[j],
                missing=int(np.count_nonzero(of_people & ~np.isfinite(every[j]))),
                agreement=figures.value(j),
                weights=[float(of_half[j]) for of_half in weights],
                chosen=int(np.count_nonzero(best == j)),
            )
            for j, name in enumerate(names)
        ],
        single=figures.value(single),
        juries=[
            Jury(
                rule=rule,
                agreement=figures.value(row),
                gain=figures.difference(row, single),
                ties=ties,
            )
            for row, (rule, (_, ties)) in enumerate(juries.items(), start=first)
        ],
        frontier=_frontier(data, names, prices, int(best[1]), rng, draws),
    )


@dataclass(frozen=True, eq=False)
class _Half:
    """Half of the passages. rows: its items. codes: (rows,), the passage of each, from 0."""

    rows: Integers
    codes: Integers
    passages: int


@dataclass(frozen=True, eq=False)
class _Data:
    """Answers (judges, n) and gold (n,) without NaN. single: (judges, n), what figures are of: the
    grades of each judge, or whether its labels are people's."""

    answers: Floats
    gold: Floats
    graded: bool
    single: Floats
    halves: list[_Half]

    @classmethod
    def divided(
        cls, answers: Floats, gold: Floats, clusters: Integers, graded: bool, seed: int
    ) -> _Data:
        """The passages in two halves at random."""
        codes = np.unique(clusters, return_inverse=True)[1].reshape(-1)
        passages = int(codes.max(initial=-1)) + 1
        if passages < 2 * MIN_CLUSTERS:
            raise RatingsError(
                f"{counted(passages, 'passage has', 'passages have')} labels of people and answers "
                f"of every judge; two halves need {2 * MIN_CLUSTERS} or more"
            )
        half = (np.random.default_rng([seed, 1]).permutation(passages) % 2)[codes]
        halves = []
        for side in (0, 1):
            rows = np.flatnonzero(half == side)
            within = np.unique(codes[rows], return_inverse=True)[1].reshape(-1)
            halves.append(_Half(rows, within, int(within.max()) + 1))
        single = answers if graded else (answers == gold).astype(np.float64)
        return cls(answers, gold, graded, single, halves)

    def weights(self, side: int) -> Floats:
        """The weights of the judges that are fitted on one half."""
        rows = self.halves[side].rows
        return fitted_weights(self.answers[:, rows], self.gold[rows], graded=self.graded)

    def verdicts(self, rule: JuryRule, weights: Sequence[Floats]) -> tuple[Floats, int]:
        """(as of `single`, (n,), the number of ties) of all judges, by a rule; "weighted" with the
        weights for each half."""
        if rule != "weighted":
            one = decide(rule, self.answers, graded=self.graded)
            values = one.grades if self.graded else one.shares(self.gold)
            return values, int(np.count_nonzero(one.tied))
        values, ties = np.empty(len(self.gold)), 0
        for half, own in zip(self.halves, weights, strict=True):
            one = decide(rule, self.answers[:, half.rows], graded=self.graded, weights=own)
            values[half.rows] = one.grades if self.graded else one.shares(self.gold[half.rows])
            ties += int(np.count_nonzero(one.tied))
        return values, ties

    def verdicts_of(self, jury: tuple[int, ...]) -> Floats:
        """As of `single`, the mean or the majority of these judges, (n,)."""
        part = replace(self, answers=self.answers[list(jury)])
        return part.verdicts("mean" if self.graded else "majority", ())[0]

    def agreement(self, verdicts: Floats) -> float:
        """Of verdicts (n,) with people on the first half; NaN where undefined."""
        rows = self.halves[0].rows
        if not self.graded:
            return float(verdicts[rows].mean())
        return float(pearson_rows(verdicts[None, rows], self.gold[rows])[0])


@dataclass(frozen=True, eq=False)
class _Figures:
    """The agreement of M verdicts on each of some halves, (halves, M), and in each draw,
    (halves, M, draws). passages: of the smallest half."""

    observed: Floats
    draws: Floats
    passages: int
    graded: bool

    @classmethod
    def of(
        cls, data: _Data, table: Floats, sides: Sequence[int], rng: np.random.Generator, draws: int
    ) -> _Figures:
        """Of verdicts (M, n) on these halves."""
        statistic = pearson_of_sums if data.graded else _share
        observed, values = [], []
        for half in (data.halves[side] for side in sides):
            part = table[:, half.rows]
            sums = (
                moment_sums(part, data.gold[half.rows], half.codes)
                if data.graded
                else sums_by_cluster(np.stack([part, np.ones_like(part)]), half.codes)
            )
            observed.append(statistic(sums.sum(axis=-1)))
            values.append(statistic(resampled_sums(sums, rng, draws)))
        fewest = min(data.halves[side].passages for side in sides)
        return cls(np.stack(observed), np.stack(values), fewest, data.graded)

    def best_judges(self, judges: int) -> Integers:
        """Of the first `judges` verdicts the best one on the other half, for each half."""
        return _best(self.observed, judges)

    def with_best(self, judges: int) -> _Figures:
        """With a last row, of the `best_judges`.

        Every draw chooses anew. Were the choice fixed, the intervals would be too narrow where
        judges are nearly equal: the two choices and the two figures come from the same halves.
        """

        def chosen(values: Floats) -> Floats:
            best = np.expand_dims(_best(values, judges), 1)
            return np.concatenate([values, np.take_along_axis(values, best, axis=1)], axis=1)

        return replace(self, observed=chosen(self.observed), draws=chosen(self.draws))

    def value(self, row: int) -> Estimate:
        """The mean over the halves."""
        scale: Scale = "correlation" if self.graded else "share"
        return self._figure(self.observed[:, row], self.draws[:, row], scale)

    def difference(self, row: int, other: int) -> Estimate:
        """The mean over the halves of one verdict's agreement less that of another."""
        observed = self.observed[:, row] - self.observed[:, other]
        return self._figure(observed, self.draws[:, row] - self.draws[:, other], "difference")

    def _figure(self, observed: Floats, draws: Floats, scale: Scale) -> Estimate:
        value = float(observed.mean())
        if np.isnan(value):
            return Estimate(None, reason=_CONSTANT)
        return resampled_estimate(draws.mean(axis=0), value, self.passages, scale)


def _best(values: Floats, judges: int) -> Integers:
    return np.asarray(np.argmax(np.nan_to_num(values[:, :judges], nan=-np.inf)[::-1], axis=1))


def _share(totals: Floats) -> Floats:
    return np.asarray(totals[0] / totals[1])


def _frontier(
    data: _Data,
    names: tuple[str, ...],
    prices: list[float],
    best: int,
    rng: np.random.Generator,
    draws: int,
) -> list[FrontierJury]:
    """The juries that exceed all cheaper ones on the first half, with figures of the second.

    best: the single judge that is best on the first half.
    """
    single = np.nan_to_num([data.agreement(one) for one in data.single], nan=-1.0)
    members = sorted(np.argsort(-single, kind="stable")[:MAX_FRONTIER_JUDGES].tolist())
    rated = []
    for size in range(1, len(members) + 1):
        for jury in combinations(members, size):
            agreement = data.agreement(data.verdicts_of(jury))
            if not np.isnan(agreement):
                rated.append((sum(prices[j] for j in jury), -agreement, jury))
    chosen: list[tuple[float, float, tuple[int, ...]]] = []
    for cost, negative, jury in sorted(rated):
        if not chosen or -negative > chosen[-1][1] + TIE:
            chosen.append((cost, -negative, jury))
    table = np.stack([*(data.verdicts_of(jury) for _, _, jury in chosen), data.single[best]])
    figures = _Figures.of(data, table, (1,), rng, draws)
    return [
        FrontierJury(
            judges=[names[j] for j in jury],
            cost=cost,
            train=agreement,
            test=figures.value(row),
            gain=Estimate(0.0) if jury == (best,) else figures.difference(row, len(chosen)),
        )
        for row, (cost, agreement, jury) in enumerate(chosen)
    ]
