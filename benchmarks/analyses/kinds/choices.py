"""The analysis "choices": what people's choices between two answers say of metrics, systems and
raters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
from django import forms
from django.core.paginator import Paginator

from benchmarks.analyses import leaderboards, samples
from benchmarks.analyses.kind import ADDED_LATER, AnalysisKind
from benchmarks.analyses.page import AnalysisPage, Choices, Context, FormField, Opened
from benchmarks.analyses.parameters import BootstrapParameters
from benchmarks.analyses.queries import AnalysisQuery, with_parameters
from benchmarks.analyses.run_names import RunName
from benchmarks.runs.models import MetricRun, Submission
from benchmarks.sets.models import JudgmentSet, PairChoice
from benchmarks.sets.services import frames, hidden, judged_pairs
from concord.bounds import choice
from concord.documents.description import ChoiceCounts
from concord.formats.choices import AS_TIE, LEAVE_OUT
from concord.formats.preferences import Preference, counted_preferences, preferences_of
from concord.formats.records import Choice
from concord.inference import Estimate
from concord.meta.inference import Progress
from concord.meta.judged_pairs import (
    ChoiceAccuracy,
    JudgedPairs,
    choice_accuracy,
    compare_choices,
    share_of_first,
)
from concord.preferences import (
    Ranking,
    choices_agreement,
    rank_systems,
    side_bias,
    side_sentence,
)
from core.refusals import RefusedError

Judged = Submission.Judged
PAIRS_PER_PAGE = 20
COUNTED = {AS_TIE: "counts as a tie", LEAVE_OUT: "is left out"}


@dataclass(frozen=True, kw_only=True)
class ChoicesParameters(BootstrapParameters):
    """Of the ranking of systems, the agreement and the effect of the side; the accuracy of metrics
    counts what is both bad as a tie in any case."""

    both_bad: str = field(
        default=AS_TIE,
        metadata={
            **choice(
                (AS_TIE, LEAVE_OUT),
                help="What a choice that both candidates are bad counts in the ranking of systems: "
                "a tie, or it is left out.",
            ),
            ADDED_LATER: True,
        },
    )


@dataclass(frozen=True, kw_only=True)
class MetricChoices(RunName, ChoiceAccuracy):
    """A metric run on the pairs."""


@dataclass(frozen=True, kw_only=True)
class ChoicesAnalysis:
    """People's choices between two answers, metrics on them, and the ranking of systems by them."""

    tied: Annotated[int | None, "Pairs without a majority."]
    alpha: Annotated[float | None, "Krippendorff's alpha (nominal) on the same two answers."]
    alpha_reason: Annotated[str | None, "Why it is undefined."]
    first_wins: Annotated[
        float | None,
        "Share of decided choices for the answer that was shown first; of sets, whose best was "
        "shown before the worst.",
    ]
    first_wins_p: Annotated[float | None, "P-value of one half; of sets as in the ranking."]
    side_note: Annotated[str, "This effect in a sentence."]
    metrics: Annotated[
        list[MetricChoices],
        "Accuracy on pairs with a majority, by the majority's share, and with ties; best first.",
    ]
    ranking: Annotated[
        dict[str, Any] | None, "As `concord ranking --format json`; null without two systems."
    ]


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], parameters: ChoicesParameters
) -> Generator[Progress, None, ChoicesAnalysis]:
    """Metrics on the pairs with a majority, agreement of raters, side effect, and the ranking of
    systems."""
    yield Progress(0, 1)
    records = list(judged_pairs.load(judgment_set))
    if not records:
        raise RefusedError("the set has no pairs that people judged", "analysis-refused")
    both_bad = parameters.both_bad
    preferences = counted_preferences(preferences_of(records, named_systems=False), both_bad)
    pairs = _pairs(judgment_set)
    alpha = choices_agreement(preferences)
    ranking = _rank(counted_preferences(preferences_of(records), both_bad), parameters)
    # The pairs that a set implies are dependent: its best and worst count once.
    of_sets = ranking is not None and ranking.best_worst is not None
    first_wins = ranking.first_wins if ranking and of_sets else side_bias(preferences)
    metrics = [
        MetricChoices.of(run, **vars(_accuracy(run, pairs)))
        for run in runs
        if _judged(run) != Judged.MINIMAL_PAIRS
    ]
    metrics.sort(key=_order)
    return ChoicesAnalysis(
        tied=int((~pairs.is_decided).sum()),
        alpha=alpha.value,
        alpha_reason=alpha.reason,
        first_wins=None if first_wins is None else first_wins.value,
        first_wins_p=None if first_wins is None else first_wins.p,
        side_note="" if first_wins is None else side_sentence(first_wins, of_sets=of_sets),
        metrics=metrics,
        ranking=None if ranking is None else ranking.to_json(),
    )


def _rank(preferences: list[Preference], parameters: ChoicesParameters) -> Ranking | None:
    if not preferences:
        return None
    has_ties = any(one.choice == "tie" for one in preferences)
    rng = np.random.default_rng(parameters.seed)
    return rank_systems(preferences, ties=has_ties, rng=rng)


def _pairs(judgment_set: JudgmentSet) -> JudgedPairs:
    votes: dict[int, list[Choice]] = defaultdict(list)
    rows = judgment_set.judged_pairs.order_by("position")
    for position, value in rows.values_list("position", "choices__choice"):
        votes[position].append(judged_pairs.choice_of(value))
    members = judged_pairs.members(judgment_set)
    first, second = np.array(members, dtype=np.int64).reshape(-1, 2).T
    shares = np.array([share_of_first(votes[position]) for position in sorted(votes)])
    return JudgedPairs(first, second, shares, frames.frame(judgment_set).clusters[first])


def _judged(run: MetricRun) -> str:
    """What the run's scores are of: a judge of minimal pairs says nothing of judged pairs."""
    return Judged.CANDIDATES if run.submission is None else run.submission.judged


def _accuracy(run: MetricRun, pairs: JudgedPairs) -> ChoiceAccuracy:
    """Of the scores of the candidates, or of a judge's own scores of each pair's members."""
    if run.submission is None or run.submission.choice_scores is None:
        return choice_accuracy(pairs, samples.oriented_scores(run))
    scores = np.frombuffer(bytes(run.submission.choice_scores), dtype="<f8")
    return compare_choices(pairs, scores.reshape(-1, 2))


def _order(row: MetricChoices) -> tuple[bool, float, str]:
    value = row.accuracy.value
    return (value is None, -(value or 0.0), row.metric)


def cost(judgment_set: JudgmentSet, metrics: int, parameters: ChoicesParameters) -> float:
    """Estimated seconds on one core."""
    counts: ChoiceCounts | None = judgment_set.statistics.get("judged_pairs")
    n = counts["choices"] if counts else 0
    systems = len(frames.system_positions(judgment_set))
    return 0.1 + 3e-5 * n + 2e-7 * n * systems + 1e-4 * systems**2 + 0.01 * metrics


@with_parameters(ChoicesParameters)
class ChoicesQuery(AnalysisQuery):
    """The page of the list of pairs."""

    split_fields = ("page",)
    page = forms.IntegerField(required=False, min_value=1, max_value=10**6, initial=1)


def _both_bad_choices(opened: Opened) -> Choices:
    """What "both bad" counts, of a set in which somebody answered so."""
    answers = PairChoice.objects.filter(pair__judgment_set=opened.judgment_set, is_both_bad=True)
    return COUNTED.items() if answers.exists() else ()


def beside(opened: Opened) -> Context:
    """The counts of choices and the list of pairs; figures are shown where no label is hidden."""
    judgment_set = opened.judgment_set
    counts = judgment_set.statistics.get("judged_pairs")
    labels_hidden = bool(hidden.viewer_masks(judgment_set))
    context: Context = {
        "counts": counts,
        "of_sets": judgment_set.judged_pairs.exclude(set_key="").exists(),
        "labels_hidden": labels_hidden,
        "is_shown": bool(counts) and not labels_hidden,
    }
    if context["is_shown"]:
        pairs = judgment_set.judged_pairs.select_related("candidate1__instance", "candidate2")
        pages = Paginator(pairs.prefetch_related("choices"), PAIRS_PER_PAGE)
        context["page"] = pages.get_page(opened.query["page"])
    return context


def arrange(opened: Opened, result: ChoicesAnalysis) -> Context:
    """The ranking of the systems."""
    ranking = result.ranking
    return {"systems": ranked_systems(opened.judgment_set, ranking) if ranking else []}


# ranking: JSON, as `concord ranking` writes it.
def ranked_systems(judgment_set: JudgmentSet, ranking: dict[str, Any]) -> list[dict[str, Any]]:
    """The systems of the ranking, best first, each with its name as `system` and, as `mean`, the
    mean of its gold scores."""
    means = {row.system: row.human for row in leaderboards.system_board(judgment_set).systems}
    undefined = Estimate(None, reason="no answer has a score")
    rows = [
        {**row, "system": system, "mean": means.get(system, undefined)}
        for system, row in ranking["systems"].items()
    ]
    return sorted(rows, key=lambda row: (-(row["win_probability"] or 0.0), row["system"]))


KIND = AnalysisKind(
    name="choices",
    parameters=ChoicesParameters,
    compute=compute,
    document=ChoicesAnalysis,
    cost=cost,
    reads=frozenset({"runs"}),
    min_runs=0,
    revision=3,
    page=AnalysisPage(
        name="choices",
        section_of="minimal-pairs",
        form=(FormField("both_bad", "Both bad, in the ranking", _both_bad_choices),),
        query=ChoicesQuery,
        beside=beside,
        arrange=arrange,
    ),
)
