"""The analysis "criteria": agreement of raters on each criterion, and halo between every two."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from itertools import combinations

from benchmarks.analyses import rater_agreement
from benchmarks.analyses.kind import AnalysisKind, AnalysisRefusedError
from benchmarks.analyses.page import AnalysisPage
from benchmarks.analyses.parameters import BootstrapParameters
from benchmarks.analyses.queries import AnalysisQuery, with_parameters
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria, frames
from concord.documents.criteria import (
    CriteriaAnalysis,
    CriteriaPairRow,
    CriterionAlphaRow,
    GroupHaloRow,
)
from concord.documents.description import CriterionCounts
from concord.meta import pearson
from concord.meta.inference import Progress
from concord.meta.table import COEFFICIENTS
from concord.reliability import Ratings, halo
from core.pages.queries import choice

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
        raise AnalysisRefusedError("the set has no criteria besides its score")
    steps = len(on_each) + len(on_each) * (len(on_each) - 1) // 2
    ratings: RatingsBy = {}
    rows: list[CriterionAlphaRow] = []
    for done, one in enumerate(on_each):
        yield Progress(done, steps)
        rows += _alphas(one, ratings, parameters)
    pairs: list[CriteriaPairRow] = []
    for done, (first, second) in enumerate(combinations(on_each, 2), len(on_each)):
        yield Progress(done, steps)
        pairs.append(_pair(first, second, ratings, parameters))
    return {"raters": rows, "pairs": pairs}


def _alphas(
    judgment_set: JudgmentSet, ratings: RatingsBy, parameters: BootstrapParameters
) -> list[CriterionAlphaRow]:
    """The rows of the set's chosen criterion; adds its ratings to `ratings`."""
    name = criteria.chosen(judgment_set)
    rows: list[CriterionAlphaRow] = []
    for group, own, report in rater_agreement.by_group(
        judgment_set, seed=parameters.seed, draws=parameters.draws
    ):
        ratings[name, group] = own
        rows.append({**report, "criterion": name, "group": group, "raters": own.n_raters})
    return rows


def _pair(
    first: JudgmentSet, second: JudgmentSet, ratings: RatingsBy, parameters: BootstrapParameters
) -> CriteriaPairRow:
    names = criteria.chosen(first), criteria.chosen(second)
    frame, other = frames.frame(first), frames.frame(second)
    both = frame.judged & other.judged
    groups = dict.fromkeys(group for _, group in ratings)
    halo_rows: list[GroupHaloRow] = []
    for group in groups:
        if all((name, group) in ratings for name in names):
            of_group = [ratings[name, group] for name in names]
            row = halo(*of_group, seed=parameters.seed, draws=parameters.draws)
            halo_rows.append({"group": group, **row.to_json()})
    return {
        "first": names[0],
        "second": names[1],
        "gold": pearson(frame.gold[both], other.gold[both], frame.clusters[both]).to_json(),
        "halo": halo_rows,
    }


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
