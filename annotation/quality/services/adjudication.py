"""Candidates and pairs that raters disagree about, and values that a person sets for them.

Disagreement about numbers (a scale or slider) is measured by the range or the standard deviation of
the values; about names (the choice between candidates, yes or no) by the minority share: the share
of the raters who did not give the most frequent answer. An adjudicated value replaces the gold
score; of a pair or set, it counts as its only choice in the ranking and in a frozen set.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, NamedTuple

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count

from annotation.quality.models import Adjudication
from annotation.quality.services.criteria import SCORED, kept_of
from annotation.quality.services.gold import adjudicated_values
from annotation.quality.services.ledgers import ledger_of, ledger_report, steps_of
from annotation.quality.services.rating_data import (
    CollectedRatings,
    collect_gold_ratings,
    collect_ratings,
    gold_stages,
    usable_ratings,
)
from annotation.studies.models import Study, StudyCandidate
from concord.protocols import Criterion, Protocol
from core import audit
from core.refusals import RefusedError

NOTE_CHARS = 5_000
Measure = Literal["range", "sd", "minority"]
OF_NUMBERS: tuple[Measure, ...] = ("range", "sd")
OF_NAMES: tuple[Measure, ...] = ("minority",)


class Spread(NamedTuple):
    """How far the values of a candidate differ; `sd` is that of the population."""

    candidate: int
    range: float
    sd: float
    minority: float


@dataclass(frozen=True)
class RaterSpread:
    """A candidate with different values: they in ascending order, and their spread.

    offered: the values that a person can set, with their labels; empty for a slider.
    """

    candidate: StudyCandidate
    offered: tuple[tuple[int, str], ...]
    values: tuple[float, ...]
    spread: Spread
    adjudication: Adjudication | None


@dataclass(frozen=True)
class AdjudicatedQuestion:
    """What can be adjudicated: the main question (name "") or a criterion.

    values: the possible values with their labels; empty for a slider. low, high: the ends.
    measures: of disagreement, the default first. numbers_sets: whether the values number the
    candidates of a set; a set with fewer candidates than others has the first of them.
    """

    name: str
    text: str
    values: tuple[tuple[int, str], ...]
    low: int
    high: int
    measures: tuple[Measure, ...]
    criterion: Criterion | None = None
    numbers_sets: bool = False

    def values_of(self, compared: int) -> tuple[tuple[int, str], ...]:
        """The values where `compared` candidates are compared."""
        return self.values[:compared] if self.numbers_sets else self.values

    def high_of(self, compared: int) -> int:
        """The highest value where `compared` candidates are compared."""
        return compared if self.numbers_sets else self.high


def questions_of(protocol: Protocol) -> list[AdjudicatedQuestion]:
    """The questions that can be adjudicated: with a gold score, and choices between candidates.

    Several choices, options, free texts and marked parts have no gold score that a value could
    replace.
    """
    points = tuple((point.value, point.label) for point in protocol.scale)
    main = AdjudicatedQuestion(
        "",
        protocol.question,
        points if protocol.scale_kind == "points" else (),
        min(value for value, _ in points),
        max(value for value, _ in points),
        OF_NAMES if protocol.compares else OF_NUMBERS,
        numbers_sets=protocol.unit == "set",
    )
    if protocol.compares:
        worst = [one for one in protocol.criteria if one.kind == "worst"]
        return [main, *(replace(main, name=w.name, text=w.question, criterion=w) for w in worst)]
    return [main, *(_of_criterion(one) for one in protocol.criteria if one.kind in SCORED)]


def _of_criterion(one: Criterion) -> AdjudicatedQuestion:
    if one.kind == "yes-no":
        values: tuple[tuple[int, str], ...] = ((1, "yes"), (0, "no"))
        return AdjudicatedQuestion(one.name, one.question, values, 0, 1, OF_NAMES, one)
    points = tuple((point.value, point.label) for point in one.points)
    values = points if one.kind == "scale" else ()
    return AdjudicatedQuestion(one.name, one.question, values, one.low, one.high, OF_NUMBERS, one)


def question_of(protocol: Protocol, name: str) -> AdjudicatedQuestion:
    """The question of this name. Raises RefusedError where there is none."""
    for question in questions_of(protocol):
        if question.name == name:
            return question
    raise RefusedError(
        f"“{name[:80]}” cannot be adjudicated: it is no criterion with a gold score.",
        "value-refused",
    )


def kept_values(study: Study, question: AdjudicatedQuestion) -> CollectedRatings:
    """The answers to the question that the ledger keeps."""
    if question.criterion is None:
        data = collect_gold_ratings(study)
        return data.keep(ledger_report(study, data).kept)
    data = collect_ratings(study, gold_stages(study), question.criterion)
    return kept_of(question.criterion, data, ledger_of(steps_of(study)))


def disagreements(
    study: Study,
    question: AdjudicatedQuestion,
    data: CollectedRatings,
    by: Measure | None = None,
    *,
    include_adjudicated: bool = False,
) -> list[Spread]:
    """Candidates with two or more different values, largest spread first.

    by: the measure; None: the question's first. Adjudicated candidates are included only with
    `include_adjudicated`.
    """
    ratings = data.ratings
    sizes, n = ratings.unit_sizes, ratings.n_units
    low, high = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(low, ratings.units, ratings.values)
    np.maximum.at(high, ratings.units, ratings.values)
    most = np.zeros(n)
    for value in np.unique(ratings.values):
        of_value = ratings.units[ratings.values == value]
        np.maximum(most, np.bincount(of_value, minlength=n), out=most)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.bincount(ratings.units, ratings.values, n) / sizes
        squares = np.bincount(ratings.units, (ratings.values - means[ratings.units]) ** 2, n)
        sd = np.sqrt(squares / sizes)
        minority = 1 - most / sizes
    adjudicated = set() if include_adjudicated else set(adjudicated_values(study, question.name))
    rows = [
        Spread(
            int(data.candidate_ids[unit]),
            float(high[unit] - low[unit]),
            float(sd[unit]),
            float(minority[unit]),
        )
        for unit in np.flatnonzero((sizes >= 2) & (high > low))
        if int(data.candidate_ids[unit]) not in adjudicated
    ]
    measure = by or question.measures[0]
    second = "range" if measure == "sd" else "sd"
    rows.sort(key=lambda row: (-getattr(row, measure), -getattr(row, second), row.candidate))
    return rows


def with_texts(
    question: AdjudicatedQuestion, data: CollectedRatings, rows: list[Spread]
) -> list[RaterSpread]:
    """The candidates of `rows` with their texts, values and adjudicated values; two queries."""
    pks = [row.candidate for row in rows]
    counted = StudyCandidate.objects.annotate(compared=Count("parts"))
    candidates = counted.select_related("instance").in_bulk(pks)
    adjudications = Adjudication.objects.filter(candidate__in=pks, criterion=question.name)
    by_candidate = {one.candidate_id: one for one in adjudications.select_related("made_by")}
    values: dict[int, list[float]] = {pk: [] for pk in pks}
    for unit, value in zip(data.ratings.units.tolist(), data.ratings.values.tolist(), strict=True):
        pk = int(data.candidate_ids[unit])
        if pk in values:
            values[pk].append(value)
    return [
        RaterSpread(
            candidates[row.candidate],
            question.values_of(candidates[row.candidate].compared),
            tuple(sorted(values[row.candidate])),
            row,
            by_candidate.get(row.candidate),
        )
        for row in rows
    ]


def adjudicate(
    candidate: StudyCandidate,
    value: float,
    note: str,
    criterion: str = "",
    *,
    by: User,
    at: datetime,
) -> Adjudication:
    """Set a candidate's value by hand, of the main question or a criterion.

    Raises RefusedError for a question without a gold score, a value that is not one of
    its values, a candidate that is not rated or shares another's ratings, a pair or set without a
    choice, and the same best and worst candidate of a set.
    """
    protocol = candidate.study.current.protocol
    question = question_of(protocol, criterion)
    high = question.high_of(candidate.parts.count())
    if candidate.use != StudyCandidate.Use.RATED or candidate.same_as_id is not None:
        raise RefusedError(
            "Only a candidate with its own ratings can be adjudicated.", "value-refused"
        )
    chosen = usable_ratings(candidate.study).filter(candidate=candidate)
    if protocol.compares and not chosen.exists():
        raise RefusedError(
            "Raters chose nothing here, so there is nothing to decide.", "value-refused"
        )
    if not question.low <= value <= high:
        raise RefusedError(f"Choose a value from {question.low} to {high}.", "value-refused")
    if question.measures == OF_NAMES and value != int(value):
        raise RefusedError("Choose one of the values.", "value-refused")
    with transaction.atomic():
        # One at a time, so that two people cannot set the best and the worst to the same.
        StudyCandidate.objects.select_for_update().get(pk=candidate.pk)
        others = Adjudication.objects.filter(candidate=candidate).exclude(criterion=criterion)
        if protocol.unit == "set" and others.filter(value=value).exists():
            raise RefusedError("The best and the worst must be different.", "value-refused")
        before = _current_values(candidate, criterion)
        adjudication, _ = Adjudication.objects.update_or_create(
            candidate=candidate,
            criterion=criterion,
            defaults={
                "value": value,
                "note": note.strip()[:NOTE_CHARS],
                "made_by": by,
                "made_at": at,
            },
        )
        after = {"value": value, **({"criterion": criterion} if criterion else {})}
        audit.record(by, "candidate.settled", candidate, before, after, study=candidate.study)
    return adjudication


def remove_adjudication(candidate: StudyCandidate, criterion: str = "") -> None:
    """Remove an adjudicated value; the aggregate counts again."""
    with transaction.atomic():
        before = _current_values(candidate, criterion)
        Adjudication.objects.filter(candidate=candidate, criterion=criterion).delete()
        if before is not None:
            audit.record(None, "candidate.unsettled", candidate, before, study=candidate.study)


def _current_values(candidate: StudyCandidate, criterion: str) -> Mapping[str, object] | None:
    rows = Adjudication.objects.filter(candidate=candidate, criterion=criterion)
    return rows.values("value").first()
