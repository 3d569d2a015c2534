"""Search in a study's candidates, with all answers to an instance and their ratings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import Avg, Count, QuerySet, StdDev

from annotation.quality.models import Adjudication
from annotation.quality.services.ledgers import ledger_state, removed_ratings
from annotation.quality.services.rating_data import (
    cached,
    gold_stages,
    kept_ratings,
    usable_ratings,
)
from annotation.rating.models import Rating
from annotation.studies.models import Study, StudyCandidate, StudyInstance
from core.pages.queries import FormValues
from core.pages.searching import with_words

INSTANCES_PER_PAGE = 5
MAX_NAMES = 200
"""Systems, constituents or splits that a filter lists."""
TEXT_FIELDS = (
    "text",
    "instance__question",
    "instance__passage",
    "instance__conversation__turn_texts",
)
SORTS = ("position", "mean-low", "mean-high", "disagreement")
STATES = {
    "rated": "rated",
    "unrated": "not rated",
    "removed": "with removed ratings",
    "adjudicated": "adjudicated",
    "skipped": "left out by a rule",
    "test": "test items",
    "check": "hidden checks",
}
USES = {
    "skipped": StudyCandidate.Use.DROPPED,
    "test": StudyCandidate.Use.QUALIFICATION,
    "check": StudyCandidate.Use.GOLD,
}


@dataclass(frozen=True)
class RatingFigures:
    """Of a candidate's ratings that count after the ledger: number, mean, population SD."""

    n: int
    mean: float
    sd: float


@dataclass(frozen=True)
class RatingLine:
    """A rating; `removed_by` is the number of the ledger's step that removes it.

    counts: whether its stage counts for the gold score.
    """

    rating: Rating
    removed_by: int | None
    counts: bool


@dataclass(frozen=True)
class RatedAnswer:
    """A candidate: matched by the search or not. A duplicate has its original's ratings."""

    candidate: StudyCandidate
    is_match: bool
    ratings: list[RatingLine]
    figures: RatingFigures | None
    adjudication: Adjudication | None


@dataclass(frozen=True)
class RatedInstance:
    instance: StudyInstance
    answers: list[RatedAnswer]


@dataclass(frozen=True)
class StudyFigures:
    """Of a study's ratings after the ledger: figures by candidate, the step that removes a rating
    by rating, and the stages that count."""

    by_candidate: Mapping[int, RatingFigures]
    removed: Mapping[int, int]
    stages: Sequence[str]


def study_figures(study: Study) -> StudyFigures:
    """Cached. Raises LedgerError."""
    stages = gold_stages(study)

    def compute() -> StudyFigures:
        removed = removed_ratings(study)
        rows = usable_ratings(study, stages).exclude(pk__in=removed)
        figures = (
            rows.order_by()
            .values("candidate")
            .annotate(n=Count("pk"), mean=Avg("value"), sd=StdDev("value"))
        )
        by_candidate = {
            row["candidate"]: RatingFigures(row["n"], float(row["mean"]), float(row["sd"]))
            for row in figures
        }
        return StudyFigures(by_candidate, removed, stages)

    return cached(study, ("study figures", ledger_state(study), *stages), compute)


def names(study: Study) -> dict[str, list[str]]:
    """The systems, constituents and splits of the study's candidates; those with several."""
    instances, candidates = study.instances.order_by(), study.candidates.order_by()
    lists = {
        "system": candidates.values_list("system", flat=True),
        "constituent": instances.values_list("constituent", flat=True),
        "split": instances.values_list("split", flat=True),
    }
    distinct = {name: sorted(set(rows.distinct()) - {""}) for name, rows in lists.items()}
    return {name: values[:MAX_NAMES] for name, values in distinct.items() if len(values) > 1}


def search(study: Study, query: FormValues, data: StudyFigures) -> list[tuple[int, int]]:
    """The candidates that match all conditions, as (candidate, instance), in the query's order.

    q: every word occurs in the answer, the question, the passage or a turn. system, constituent,
    split must be equal. stage: in which the candidate is or was rated. low, high: bounds of the
    mean. disagreement: the least SD. state: one of STATES. Means and SDs are of the ratings that
    count after the ledger.
    """
    rows: QuerySet[StudyCandidate] = study.candidates.all()
    rows = with_words(rows, query["q"], TEXT_FIELDS)
    if query["system"]:
        rows = rows.filter(system=query["system"])
    for name in ("constituent", "split"):
        if query[name]:
            rows = rows.filter(**{f"instance__{name}": query[name]})
    if query["stage"]:
        in_stage = study.candidates.filter(memberships__hit__stage__kind=query["stage"])
        rows = rows.filter(pk__in=in_stage.values("pk")) | rows.filter(
            same_as__in=in_stage.values("pk")
        )
    rows = _in_state(rows, query["state"], data)
    matches = [
        (pk, instance, data.by_candidate.get(original or pk))
        for pk, instance, original in rows.order_by("position").values_list(
            "pk", "instance_id", "same_as_id"
        )
    ]
    if query["state"] in ("rated", "unrated"):
        matches = [one for one in matches if (one[2] is not None) == (query["state"] == "rated")]
    for name, fits in _BOUNDS.items():
        bound = query[name]
        if bound is not None:
            matches = [one for one in matches if one[2] is not None and fits(one[2], bound)]
    if query["sort"] != "position":
        key = _SORT_KEYS[query["sort"]]
        rated = [(key(figures), pk, instance) for pk, instance, figures in matches if figures]
        rated.sort(key=lambda row: row[0])
        return [(pk, instance) for _, pk, instance in rated]
    return [(pk, instance) for pk, instance, _ in matches]


_BOUNDS: dict[str, Callable[[RatingFigures, float], bool]] = {
    "low": lambda figures, bound: figures.mean >= bound,
    "high": lambda figures, bound: figures.mean <= bound,
    "disagreement": lambda figures, bound: figures.sd >= bound,
}
_SORT_KEYS: dict[str, Callable[[RatingFigures], float]] = {
    "mean-low": lambda figures: figures.mean,
    "mean-high": lambda figures: -figures.mean,
    "disagreement": lambda figures: -figures.sd,
}


def _in_state(
    rows: QuerySet[StudyCandidate], state: str, data: StudyFigures
) -> QuerySet[StudyCandidate]:
    """Candidates in one of STATES; without one, all that are to be rated.

    Whether they are rated is decided by their figures.
    """
    if state in USES:
        return rows.filter(use=USES[state])
    rows = rows.filter(use=StudyCandidate.Use.RATED)
    if state == "adjudicated":
        return rows.filter(adjudications__isnull=False).distinct()
    if state == "removed":
        return rows.filter(ratings__in=data.removed).distinct()
    return rows


def instance_page(matches: list[tuple[int, int]], number: int) -> Page[int]:
    """A page of the matches' instances, in the order of their first match."""
    instances = list(dict.fromkeys(instance for _, instance in matches))
    return Paginator(instances, INSTANCES_PER_PAGE).get_page(number)


def instance_answers(
    study: Study, instances: list[int], matches: list[tuple[int, int]], data: StudyFigures
) -> list[RatedInstance]:
    """All answers to these instances, in their order, with every submitted rating."""
    candidates = list(
        study.candidates.filter(instance__in=instances)
        .select_related("instance", "same_as")
        .order_by("position")
    )
    originals = {one.same_as_id or one.pk for one in candidates}
    lines: dict[int, list[RatingLine]] = {pk: [] for pk in originals}
    ratings = kept_ratings(study).filter(candidate__in=originals)
    for rating in ratings.select_related("worker", "assignment__hit__stage").order_by("pk"):
        counts = rating.assignment.hit.stage.kind in data.stages
        lines[rating.candidate_id].append(RatingLine(rating, data.removed.get(rating.pk), counts))
    adjudications = {
        one.candidate_id: one
        for one in Adjudication.objects.filter(
            candidate__in=originals, criterion=""
        ).select_related("made_by")
    }
    matched = {pk for pk, _ in matches}
    by_instance: dict[int, list[RatedAnswer]] = {pk: [] for pk in instances}
    for one in candidates:
        original = one.same_as_id or one.pk
        by_instance[one.instance_id].append(
            RatedAnswer(
                candidate=one,
                is_match=one.pk in matched,
                ratings=lines[original],
                figures=data.by_candidate.get(original),
                adjudication=adjudications.get(original),
            )
        )
    return [
        RatedInstance(answers[0].candidate.instance, answers) for answers in by_instance.values()
    ]
