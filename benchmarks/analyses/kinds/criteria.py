"""The analysis "criteria": agreement of raters on each criterion, and halo between every two."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated

from benchmarks.analyses import rater_agreement
from benchmarks.analyses.kind import AnalysisKind
from benchmarks.analyses.page import AnalysisPage
from benchmarks.analyses.parameters import BootstrapParameters
from benchmarks.analyses.queries import AnalysisQuery, with_parameters
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria, frames
from concord.documents.agreement import RatingsAlpha
from concord.documents.board import COEFFICIENTS
from concord.documents.conversion import INLINE
from concord.documents.description import CriterionCounts
from concord.inference import Estimate
from concord.meta import pearson
from concord.meta.inference import Progress
from concord.reliability import Halo, Ratings, halo
from core.pages.queries import choice
from core.refusals import RefusedError


@dataclass(frozen=True)
class CriterionAlpha:
    """Krippendorff's alpha of one group of raters on one criterion; `raters` is their number."""

    criterion: str
    group: str
    raters: int
    report: Annotated[RatingsAlpha, INLINE]


@dataclass(frozen=True)
class GroupHalo(Halo):
    """Halo among the ratings of one group of raters."""

    group: str


@dataclass(frozen=True)
class CriteriaPair:
    """Two criteria: the correlation of their gold scores, and halo by group of raters."""

    first: str
    second: str
    gold: Estimate
    halo: list[GroupHalo]


@dataclass(frozen=True)
class CriteriaAnalysis:
    """Agreement of raters by criterion, and halo between every two criteria."""

    raters: list[CriterionAlpha]
    pairs: list[CriteriaPair]


# Ratings by criterion and group of raters.
RatingsBy = dict[tuple[str, str], Ratings]


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], parameters: BootstrapParameters
) -> Generator[Progress, None, CriteriaAnalysis]:
    """Alpha at the usual level of every group of raters on every criterion, and the correlation
    of every two criteria. A group without ratings on a criterion has no row."""
    del runs
    on_each = criteria.on_each(judgment_set)
    if not on_each:
        raise RefusedError("the set has no criteria besides its score", "analysis-refused")
    steps = len(on_each) + len(on_each) * (len(on_each) - 1) // 2
    ratings: RatingsBy = {}
    rows: list[CriterionAlpha] = []
    for done, one in enumerate(on_each):
        yield Progress(done, steps)
        rows += _alphas(one, ratings, parameters)
    pairs: list[CriteriaPair] = []
    for done, (first, second) in enumerate(combinations(on_each, 2), len(on_each)):
        yield Progress(done, steps)
        pairs.append(_pair(first, second, ratings, parameters))
    return CriteriaAnalysis(rows, pairs)


def _alphas(
    judgment_set: JudgmentSet, ratings: RatingsBy, parameters: BootstrapParameters
) -> list[CriterionAlpha]:
    """The rows of the set's chosen criterion; adds its ratings to `ratings`."""
    name = criteria.chosen(judgment_set)
    rows: list[CriterionAlpha] = []
    for group, own, report in rater_agreement.by_group(
        judgment_set, seed=parameters.seed, draws=parameters.draws
    ):
        ratings[name, group] = own
        rows.append(CriterionAlpha(name, group, own.n_raters, report))
    return rows


def _pair(
    first: JudgmentSet, second: JudgmentSet, ratings: RatingsBy, parameters: BootstrapParameters
) -> CriteriaPair:
    names = criteria.chosen(first), criteria.chosen(second)
    frame, other = frames.frame(first), frames.frame(second)
    both = frame.judged & other.judged
    groups = dict.fromkeys(group for _, group in ratings)
    halo_rows: list[GroupHalo] = []
    for group in groups:
        if all((name, group) in ratings for name in names):
            of_group = [ratings[name, group] for name in names]
            row = halo(*of_group, seed=parameters.seed, draws=parameters.draws)
            halo_rows.append(GroupHalo(**vars(row), group=group))
    gold = pearson(frame.gold[both], other.gold[both], frame.clusters[both])
    return CriteriaPair(*names, gold, halo_rows)


def cost(judgment_set: JudgmentSet, metrics: int, parameters: BootstrapParameters) -> float:
    """Estimated seconds on one core."""
    del metrics
    counts: list[CriterionCounts] = judgment_set.statistics.get("criteria", [])
    ratings = sum(one["ratings"] for one in counts)
    return rater_agreement.cost(ratings, parameters.draws)


@with_parameters(BootstrapParameters)
class CriteriaQuery(AnalysisQuery):
    """The coefficient of the table of metrics by criteria, beside which raters are shown."""

    coefficient = choice(*COEFFICIENTS, default="pearson")


KIND = AnalysisKind(
    name="criteria",
    parameters=BootstrapParameters,
    compute=compute,
    document=CriteriaAnalysis,
    cost=cost,
    reads=frozenset(),
    min_runs=0,
    revision=3,
    page=AnalysisPage(name="criteria", part_of="criteria", query=CriteriaQuery),
)
