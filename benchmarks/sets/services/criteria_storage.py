"""Writing and loading the criteria and error spans of judgment sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

import numpy as np

from benchmarks.sets.models import Criterion, CriterionRating, JudgmentSet, Marks
from benchmarks.sets.models.judgments import scale_fields
from benchmarks.sets.services.copying import BLOCK, RowValues, by_position, copy_rows, new_ids
from concord.formats.concord_writer import span_row
from concord.formats.records import (
    CandidateRecord,
    CriterionRecord,
    MarksRecord,
    RatingRecord,
    Span,
    criteria_scales,
)

# The criteria and the marks of a candidate.
Judgments = tuple[tuple[CriterionRecord, ...], tuple[MarksRecord, ...]]


def store(
    judgment_set: JudgmentSet, candidate_ids: Sequence[int], candidates: Sequence[CandidateRecord]
) -> None:
    """Write the criteria of a new set with their gold scores and ratings, and all marks."""
    scales = criteria_scales(candidates)
    gold = {name: np.full(len(candidates), np.nan) for name in scales}
    for position, candidate in enumerate(candidates):
        for one in candidate.criteria:
            if one.score is not None:
                gold[one.name][position] = one.score
    rows = [
        Criterion(
            judgment_set=judgment_set,
            position=position,
            name=name,
            **scale_fields(scale),
            gold_scores=gold[name].astype("<f8").tobytes(),
        )
        for position, (name, scale) in enumerate(scales.items())
    ]
    ids = {row.name: row.pk for row in Criterion.objects.bulk_create(rows)}
    ratings = [
        (ids[criterion.name], candidate_pk, position, r.worker, r.group, r.value, r.simulated)
        for candidate_pk, candidate in zip(candidate_ids, candidates, strict=True)
        for criterion in candidate.criteria
        for position, r in enumerate(criterion.ratings)
    ]
    rating_ids = new_ids(CriterionRating, len(ratings))
    copy_rows(CriterionRating, ((pk, *row) for pk, row in zip(rating_ids, ratings, strict=True)))
    Marks.objects.bulk_create(
        (
            Marks(
                candidate_id=candidate_pk,
                position=position,
                worker=one.worker,
                group=one.group,
                simulated=one.simulated,
                spans=[span_row(span) for span in one.spans],
            )
            for candidate_pk, candidate in zip(candidate_ids, candidates, strict=True)
            for position, one in enumerate(candidate.marks)
        ),
        batch_size=BLOCK,
    )


def reader(judgment_set: JudgmentSet) -> Callable[[int], Judgments]:
    """A function that returns the criteria and marks of the candidate at a position.

    Call it with ascending positions. Ratings and marks are read in blocks.
    """
    criteria = [(one, one.gold_array) for one in judgment_set.criteria.defer(None)]
    ratings = by_position(_rating_rows(judgment_set) if criteria else iter(()))
    marks = by_position(_mark_rows(judgment_set))

    def read(position: int) -> Judgments:
        by_criterion = {
            pk: tuple(RatingRecord(*row[1:]) for row in rows)
            for pk, rows in groupby(ratings(position), key=lambda row: row[0])
        }
        own_criteria = tuple(
            CriterionRecord(
                one.name,
                one.scale,
                None if np.isnan(gold[position]) else float(gold[position]),
                by_criterion.get(one.pk, ()),
            )
            for one, gold in criteria
            if one.pk in by_criterion or not np.isnan(gold[position])
        )
        own_marks = tuple(
            MarksRecord(worker, tuple(map(Span.from_row, spans)), group, simulated)
            for worker, spans, group, simulated in marks(position)
        )
        return own_criteria, own_marks

    return read


def _rating_rows(judgment_set: JudgmentSet) -> Iterator[RowValues]:
    rows = CriterionRating.objects.filter(candidate__judgment_set=judgment_set)
    return (
        rows.order_by("candidate__position", "criterion__position", "position")
        .values_list("candidate__position", "criterion", "worker", "value", "group", "simulated")
        .iterator(chunk_size=BLOCK)
    )


def _mark_rows(judgment_set: JudgmentSet) -> Iterator[RowValues]:
    rows = Marks.objects.filter(candidate__judgment_set=judgment_set)
    return (
        rows.order_by("candidate__position", "position")
        .values_list("candidate__position", "worker", "spans", "group", "simulated")
        .iterator(chunk_size=BLOCK)
    )
