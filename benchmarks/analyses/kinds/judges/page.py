"""May a metric stand in for raters, and how few ratings would have been enough?"""

from __future__ import annotations

from collections.abc import Iterable

from django.urls import reverse

from benchmarks.analyses.kinds import sentinel_judges
from benchmarks.analyses.kinds.judges.computation import (
    JudgesAnalysis,
    JudgesParameters,
    NamedJudge,
)
from benchmarks.analyses.page import (
    AnalysisPage,
    Context,
    FormField,
    Opened,
    PageTab,
    check_raters,
    rater_choices,
)
from benchmarks.analyses.views import analysis_state
from concord.judges import EPSILONS

EPSILON = FormField(
    "epsilon",
    "The raters are",
    [(f"{epsilon:g}", f"{raters} (ε = {epsilon:g})") for raters, epsilon in EPSILONS.items()],
)


def arrange(opened: Opened, result: JudgesAnalysis) -> Context:
    """The metrics, best first, and which may stand in for a rater, in words."""
    return {
        "metrics": sorted(result.metrics, key=lambda row: -(row.rho or 0.0)),
        "finding": result.finding,
        "blind_rho": blind_rho(result.baselines),
    }


def blind_rho(baselines: Iterable[NamedJudge]) -> float | None:
    """The highest rho of judges that do not read the candidate, a line in the plot of rho."""
    return max((row.rho for row in baselines if row.rho is not None), default=None)


def sentinels(opened: Opened) -> Context:
    """The state of the analysis of sentinels as judges, and its rows once it is complete.

    Visitors start it with the default options only: each run encodes the whole set.
    """
    judgment_set, query = opened.judgment_set, opened.query
    state = analysis_state.started_context(
        opened.request,
        sentinel_judges.KIND.name,
        judgment_set,
        query,
        is_usual=has_default_options(opened),
    )
    return {
        "sentinels_state": state,
        "also_active": state["analysis"] is not None and state["analysis"].is_active,
        "sentinels_url": reverse("compute-sentinel-judges", args=[str(judgment_set)]),
        "sentinels": sentinel_rows(state),
    }


def has_default_options(opened: Opened) -> bool:
    """Whether raters and epsilon are those of the page without a query."""
    raters, epsilon = opened.query["raters"], opened.query["epsilon"]
    first = opened.groups[0] if opened.groups else ""
    return bool(raters == first and epsilon == JudgesParameters.epsilon)


def sentinel_rows(state: Context) -> list[NamedJudge]:
    """The rows of an `analysis_context` of the kind "sentinel-judges", if it is complete."""
    analysis = analysis_state.complete_analysis(state)
    return [] if analysis is None else sentinel_judges.KIND.result_of(analysis).sentinels


PAGE = AnalysisPage(
    name="judges",
    tab=PageTab("Judges", "Judges", before="model-judges"),
    form=(FormField("raters", "Raters", rater_choices), EPSILON),
    complete=check_raters,
    beside=sentinels,
    arrange=arrange,
)
