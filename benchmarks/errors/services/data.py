"""Search in a set's candidates, with all systems' answers to an instance side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Max, Min, QuerySet, StdDev

from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import Candidate, Instance, JudgmentSet
from benchmarks.sets.services import hidden
from concord.meta.json_values import number_or_none
from core.pages.queries import FormValues
from core.pages.searching import with_words
from core.refusals import RefusedError

INSTANCES_PER_PAGE = 5
MAX_SORTED = 10_000
"""Candidates that are sorted by disagreement; nobody pages beyond them."""
TEXT_FIELDS = (
    "text",
    "instance__question",
    "instance__passage",
    "instance__conversation__turn_texts",
)
INSTANCE_LABELS = ("constituent", "split", "category")
SORTS = ("position", "score-low", "score-high", "disagreement")


@dataclass(frozen=True)
class ScoredAnswerRow:
    """A candidate: matched by the search or not, with the scores of the chosen runs."""

    candidate: Candidate
    is_match: bool
    gold: float | None
    scores: list[float | None]


@dataclass(frozen=True)
class ScoredInstance:
    instance: Instance
    answers: list[ScoredAnswerRow]


def search(judgment_set: JudgmentSet, query: FormValues) -> QuerySet[Candidate]:
    """The candidates that match all of the query's conditions.

    words: every one occurs in the answer, the question, the passage or a turn, in any case; part of
    a word suffices, so that texts of any script are searched. Labels must be equal. low, high:
    bounds of the gold score. disagreement: the least standard deviation of a candidate's ratings.
    Raises RefusedError for conditions on labels that are hidden from the set's viewer.
    """
    rows: QuerySet[Candidate] = judgment_set.candidates.all()
    on_labels = [name for name in ("low", "high", "disagreement") if query[name] is not None]
    if (on_labels or query["sort"] != "position") and hidden.viewer_masks(judgment_set):
        raise RefusedError(
            "Scores of this set are hidden: search by texts and labels.", "value-refused"
        )
    rows = with_words(rows, query["q"], TEXT_FIELDS)
    if query["system"]:
        rows = rows.filter(system=query["system"])
    for name in INSTANCE_LABELS:
        if query[name]:
            rows = rows.filter(**{f"instance__{name}": query[name]})
    if query["low"] is not None:
        rows = rows.filter(gold__gte=query["low"])
    if query["high"] is not None:
        rows = rows.filter(gold__lte=query["high"])
    if query["disagreement"] is not None:
        spread = rows.annotate(spread=StdDev("ratings__value"))
        rows = rows.filter(pk__in=spread.filter(spread__gte=query["disagreement"]).values("pk"))
    return rows


# Rows of a query, or a list of such rows.
def instance_page(matches: QuerySet[Candidate], sort: str, number: int) -> Page[Any]:
    """A page of the matches' instances, as rows with `instance_id`; beyond the last, the last.

    sort: by position, by the lowest or highest gold score of a match, or by the largest standard
    deviation of a match's ratings.
    """
    grouped = matches.order_by().values("instance_id").annotate(first=Min("position"))
    if sort == "score-low":
        grouped = grouped.filter(gold__isnull=False).annotate(key=Min("gold"))
        grouped = grouped.order_by("key", "first")
    elif sort == "score-high":
        grouped = grouped.filter(gold__isnull=False).annotate(key=Max("gold"))
        grouped = grouped.order_by("-key", "first")
    elif sort == "disagreement":
        spread = matches.order_by().annotate(spread=StdDev("ratings__value"))
        ordered = spread.filter(spread__isnull=False).order_by("-spread", "position")
        instances = dict.fromkeys(ordered.values_list("instance_id", flat=True)[:MAX_SORTED])
        rows = [{"instance_id": pk} for pk in instances]
        return Paginator(rows, INSTANCES_PER_PAGE).get_page(number)
    else:
        grouped = grouped.order_by("first")
    return Paginator(grouped, INSTANCES_PER_PAGE).get_page(number)


def instance_answers(
    judgment_set: JudgmentSet,
    instances: Sequence[int],
    matches: QuerySet[Candidate],
    runs: Sequence[MetricRun],
) -> list[ScoredInstance]:
    """All answers to these instances, in their order, with people's scores and those of runs.

    Scores of items whose labels are hidden from the viewer are None, since a metric's score beside
    many of them says little and a gold score everything.
    """
    masked = hidden.viewer_masks(judgment_set).candidates
    rows = judgment_set.candidates.filter(instance_id__in=instances).with_instance()
    matched = set(matches.filter(instance_id__in=instances).values_list("pk", flat=True))
    by_instance: dict[int, list[Candidate]] = {pk: [] for pk in instances}
    for candidate in rows.order_by("position"):
        by_instance[candidate.instance_id].append(candidate)
    scores = [run.score_array for run in runs]
    return [
        ScoredInstance(
            candidates[0].instance,
            [
                ScoredAnswerRow(
                    one,
                    one.pk in matched,
                    None if masked[one.position] else one.gold,
                    [
                        None if masked[one.position] else number_or_none(column[one.position])
                        for column in scores
                    ],
                )
                for one in candidates
            ],
        )
        for candidates in by_instance.values()
    ]
