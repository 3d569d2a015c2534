"""Best-worst scores of systems and candidates, their reliability, and raters' agreement.

Louviere, Flynn and Marley (2015, Best-Worst Scaling); Kiritchenko and Mohammad (2017, Best-Worst
Scaling More Reliable than Rating Scales).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from concord.arrays import Booleans, Floats, Integers
from concord.formats.best_worst import NOT_IMPLIED, order_of
from concord.formats.preferences import Preference
from concord.inference import Estimate
from concord.preferences.uncertainty import choice_estimates, raters_of
from concord.reliability import Ratings, alpha
from concord.sentences import decimal
from concord.tables import ResultTable, count, figure, text
from concord.tables.result import PlottedResult

SPLITS = 100


@dataclass(frozen=True, slots=True)
class BestWorst:
    """One worker's choice of the best and the worst of a set.

    candidates, systems: the best first, the worst last. best_shown_first: whether the best was
    shown before the worst; None where unknown.
    """

    question: str
    set_key: str
    worker: str
    candidates: tuple[str, ...]
    systems: tuple[str, ...]
    best_shown_first: bool | None


@dataclass(frozen=True)
class SystemScore:
    """score: (best - worst) / appearances, from -1 to 1, with its 95% interval. best, worst,
    appearances: counted choices, over all candidates of it."""

    score: Estimate
    best: int
    worst: int
    appearances: int

    def to_json(self) -> dict[str, Any]:
        ci = self.score.ci
        return {
            "score": self.score.value,
            "score_ci": None if ci is None else list(ci),
            "best": self.best,
            "worst": self.worst,
            "appearances": self.appearances,
        }


@dataclass(frozen=True)
class SplitHalf:
    """Mean correlations of candidates' scores between random halves of the workers' choices on each
    set; None where they are undefined, as with one choice a set. candidates: mean number compared.
    """

    pearson: float | None
    spearman: float | None
    candidates: float
    splits: int


@dataclass(frozen=True)
class BestWorstReport(PlottedResult):
    """choices: how many. systems: scores by system. alpha_best, alpha_worst: Krippendorff's nominal
    alpha of the best and of the worst of the same set. candidates: score by candidate."""

    choices: int
    systems: dict[str, SystemScore]
    alpha_best: Estimate
    alpha_worst: Estimate
    split_half: SplitHalf
    candidates: dict[str, float]

    def tables(self) -> Iterable[ResultTable]:
        columns = [
            text("system"), figure("score"), count("best"), count("worst"), count("appearances")
        ]  # fmt: skip
        rows = [{"system": name, **vars(one)} for name, one in self.systems.items()]
        yield ResultTable("best-worst scores", columns, rows)

    def sentences(self) -> Iterable[str]:
        return self.reliability()

    def reliability(self) -> Iterable[str]:
        """Agreement of the raters, and the reliability of candidates' scores, in sentences."""
        for name, one in (("best", self.alpha_best), ("worst", self.alpha_worst)):
            if one.value is not None:
                yield f"Agreement on the {name} of a set: alpha {decimal(one.value)} (nominal)."
        half = self.split_half
        if half.pearson is not None:
            yield (
                f"Split-half reliability of candidates' scores: Pearson {decimal(half.pearson)}, "
                f"Spearman {decimal(half.spearman)} (mean of {half.splits} divisions)."
            )

    def to_json(self) -> dict[str, Any]:
        return {
            "choices": self.choices,
            "alpha_best": self.alpha_best.value,
            "alpha_worst": self.alpha_worst.value,
            "split_half_pearson": self.split_half.pearson,
            "split_half_spearman": self.split_half.spearman,
            "split_half_candidates": self.split_half.candidates,
            "splits": self.split_half.splits,
            "candidates": self.candidates,
        }


def best_worst_choices(preferences: Sequence[Preference]) -> list[BestWorst]:
    """The choices that imply the preferences, which have a `set_key`.

    Raises ValueError where they are not those that a best and a worst imply.
    """
    judgments: dict[tuple[str, str, str], list[Preference]] = defaultdict(list)
    for row in preferences:
        judgments[row.question, row.set_key, row.worker].append(row)
    choices = []
    for (question, set_key, worker), rows in judgments.items():
        preferred = [row.preferred for row in rows]
        candidates = order_of(preferred)
        if candidates is None:
            raise ValueError(f"{NOT_IMPLIED}: set '{set_key}', worker '{worker}'")
        systems = {
            name: system
            for row in rows
            for name, system in zip(row.candidates, (row.first, row.second), strict=True)
        }
        extreme = rows[preferred.index((candidates[0], candidates[-1]))]
        choices.append(
            BestWorst(
                question=question,
                set_key=set_key,
                worker=worker,
                candidates=candidates,
                systems=tuple(systems[name] for name in candidates),
                best_shown_first=extreme.first_shown_won,
            )
        )
    return choices


def best_worst_report(
    choices: Sequence[BestWorst], decisions: Sequence[BestWorst], *, rng: np.random.Generator
) -> BestWorstReport:
    """Scores of systems with intervals and of candidates by the decisions (the choices, or what a
    person set in their place), and the reliability of the choices."""
    return BestWorstReport(
        choices=len(choices),
        systems=system_scores(decisions),
        alpha_best=_agreement(choices, 0),
        alpha_worst=_agreement(choices, -1),
        split_half=split_half(choices, rng=rng),
        candidates=candidate_scores(decisions),
    )


def candidate_scores(choices: Sequence[BestWorst]) -> dict[str, float]:
    """By candidate, (best - worst) / appearances, from -1 to 1; it compares candidates of one
    question only."""
    table = _Appearances.of([one.candidates for one in choices])
    return dict(zip(table.names, table.scores().tolist(), strict=True))


def system_scores(choices: Sequence[BestWorst]) -> dict[str, SystemScore]:
    """By system, the score of all its candidates, with an interval over questions and raters."""
    table = _Appearances.of([one.systems for one in choices])
    scores = table.scores()
    counts = [of.sum(axis=0) for of in (table.best, table.worst, table.shown)]
    influence = ((table.best - table.worst).toarray() - scores * table.shown.toarray()) / counts[-1]
    estimates = choice_estimates(scores, influence, raters_of(choices), "correlation")
    rows = zip(table.names, estimates, *(each.astype(int).tolist() for each in counts), strict=True)
    return {name: SystemScore(*row) for name, *row in sorted(rows, key=lambda row: row[0])}


def split_half(
    choices: Sequence[BestWorst], *, splits: int = SPLITS, rng: np.random.Generator
) -> SplitHalf:
    """Kiritchenko and Mohammad's split-half reliability.

    The choices on each set are divided at random into two halves, scores are computed from each,
    and correlated over the candidates that both halves have. Where a set has an odd number of
    choices, a random half has one more. The mean over `splits` divisions.
    """
    table = _Appearances.of([one.candidates for one in choices])
    sets = np.unique([f"{c.question}\0{c.set_key}" for c in choices], return_inverse=True)[1]
    correlations, compared = [], []
    for _ in range(splits):
        is_first = _first_half(sets, rng)
        first, second = (table.scores(half) for half in (is_first, ~is_first))
        both = np.isfinite(first) & np.isfinite(second)
        compared.append(both.sum())
        first, second = first[both], second[both]
        if len(np.unique(first)) > 1 and len(np.unique(second)) > 1:
            pearson = np.corrcoef(first, second)[0, 1]
            correlations.append((pearson, scipy.stats.spearmanr(first, second).statistic))
    means = np.mean(correlations, axis=0).tolist() if correlations else (None, None)
    return SplitHalf(means[0], means[1], float(np.mean(compared)), splits)


def _first_half(sets: Integers, rng: np.random.Generator) -> Booleans:
    order = np.lexsort((rng.random(len(sets)), sets))
    ordered = sets[order]
    starts = np.searchsorted(ordered, ordered)
    offsets = rng.integers(2, size=ordered.max() + 1)
    halves = np.empty(len(sets), dtype=bool)
    halves[order] = (np.arange(len(sets)) - starts + offsets[ordered]) % 2 == 0
    return halves


@dataclass(frozen=True, eq=False)
class _Appearances:
    """How often each of K names was best, worst and shown in each of n choices, sparse (n, K)."""

    names: list[str]
    best: scipy.sparse.csr_array
    worst: scipy.sparse.csr_array
    shown: scipy.sparse.csr_array

    @classmethod
    def of(cls, rows: Sequence[tuple[str, ...]]) -> _Appearances:
        """From the names of each choice, the best first and the worst last."""
        names = list(dict.fromkeys(name for row in rows for name in row))
        codes = {name: code for code, name in enumerate(names)}

        def count(part: slice) -> scipy.sparse.csr_array:
            cells = [(at, codes[name]) for at, row in enumerate(rows) for name in row[part]]
            shape = len(rows), len(names)
            return scipy.sparse.csr_array((np.ones(len(cells)), np.array(cells).T), shape=shape)

        return cls(names, count(slice(1)), count(slice(-1, None)), count(slice(None)))

    def scores(self, is_used: Booleans | slice = slice(None)) -> Floats:
        """(best - worst) / appearances in the used choices; NaN without any."""
        best, worst, shown = (of[is_used].sum(axis=0) for of in (self.best, self.worst, self.shown))
        with np.errstate(invalid="ignore"):
            return np.asarray((best - worst) / shown)


def _agreement(choices: Sequence[BestWorst], place: int) -> Estimate:
    """Nominal alpha of the candidates at a place: 0 the best, -1 the worst. A candidate is coded by
    its number in the set."""
    rows = [
        (
            f"{one.question}\0{one.set_key}",
            one.worker,
            float(sorted(one.candidates).index(one.candidates[place])),
        )
        for one in choices
    ]
    return alpha(Ratings.from_rows(rows), "nominal")
