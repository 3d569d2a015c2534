"""Figures of each worker of a study, and warnings of careless work."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np
from django.db.models import Count, Q

from annotation.quality.services.rating_data import (
    CollectedRatings,
    cached,
    collect_ratings,
    kept_ratings,
)
from annotation.rating.models import Assignment, Participation
from annotation.studies.models import Study, StudyCandidate
from concord.filtering import (
    WorkerStatistics,
    equal_to_others,
    longest_runs,
    same_text_shares,
    too_fast_shares,
    worker_statistics,
)
from concord.protocols.keys import Key, graded_answers
from concord.reliability import Level

# Warnings are for a person to check. These defaults apply if the protocol has no limits.
DEFAULT_SECONDS = 1.0
DEFAULT_RUN = 12
FAST_SHARE = 0.25
SAME_TEXT_SHARE = 0.75
SAME_TEXTS = 3


@dataclass(frozen=True)
class WorkerRow:
    """One worker's figures, None if undefined.

    mean_z: above 0 means high ratings. correlation: with the mean of the others' ratings of the
    same candidates. gold: share of the `gold_count` keyed answers to hidden checks that are right.
    alpha_change: alpha without this worker minus alpha with. flags: warnings in words. same_choice:
    where candidates are compared, the share of the others' choices on the same pairs or sets that
    are the same, of sets the mean of best and worst; choices have no z and no correlation.
    """

    participation: Participation
    count: int
    mean_z: float | None
    mean_abs_z: float | None
    correlation: float | None
    gold: float | None
    gold_count: int
    seconds: float | None
    alpha_change: float | None
    submitted: int
    flags: tuple[str, ...]
    same_choice: float | None = None

    @property
    def name(self) -> str:
        return self.participation.worker.name


def worker_table(study: Study, data: CollectedRatings, level: Level = "ordinal") -> list[WorkerRow]:
    """A row for each worker with ratings, most ratings first."""
    figures = cached(
        study,
        ("workers", level, data.digest),
        lambda: worker_statistics(data.ratings, level=level, seconds=data.seconds),
    )
    people = {p.worker_id: p for p in study.participations.select_related("worker", "study").all()}
    submitted = _submitted(study)
    gold = passed_checks(study)
    flags = warnings(study, data)
    rows = [
        _row(people[worker], index, figures, gold[worker], submitted.get(worker, 0), flags[index])
        for index, worker in enumerate(data.worker_ids.tolist())
        if figures.count[index] and worker in people
    ]
    if study.current.protocol.compares:
        same = _same_choices(study, data)
        rows = [
            replace(
                row,
                mean_z=None,
                mean_abs_z=None,
                correlation=None,
                same_choice=same.get(row.participation.worker_id),
            )
            for row in rows
        ]
    return sorted(rows, key=lambda row: (-row.count, row.name))


def _same_choices(study: Study, data: CollectedRatings) -> dict[int, float]:
    """By worker, how often the others chose the same; without workers who chose alone."""
    worst = [one for one in study.current.protocol.criteria if one.kind == "worst"]
    shares: dict[int, list[float]] = defaultdict(list)
    for part in (data, *(collect_ratings(study, data.stage_kinds, one) for one in worst)):
        for worker, share in zip(
            part.worker_ids.tolist(), equal_to_others(part.ratings).tolist(), strict=True
        ):
            if not np.isnan(share):
                shares[worker].append(share)
    return {worker: float(np.mean(each)) for worker, each in shares.items()}


def _row(
    participation: Participation,
    index: int,
    figures: WorkerStatistics,
    gold: list[bool],
    submitted: int,
    flags: list[str],
) -> WorkerRow:
    def figure(name: str) -> float | None:
        value = float(getattr(figures, name)[index])
        return None if np.isnan(value) else value

    return WorkerRow(
        participation=participation,
        count=int(figures.count[index]),
        mean_z=figure("mean_z"),
        mean_abs_z=figure("mean_abs_z"),
        correlation=figure("correlation"),
        gold=sum(gold) / len(gold) if gold else None,
        gold_count=len(gold),
        seconds=figure("seconds"),
        alpha_change=figure("alpha_change"),
        submitted=submitted,
        flags=tuple(flags),
    )


def _submitted(study: Study) -> dict[int, int]:
    """Submitted HITs by worker, whether they count or not."""
    is_submitted = Q(status=Assignment.Status.SUBMITTED) | Q(status=Assignment.Status.SURPLUS)
    rows = Assignment.objects.filter(is_submitted, hit__stage__study=study).order_by()
    return dict(rows.values_list("worker").annotate(n=Count("pk")))


def passed_checks(study: Study) -> dict[int, list[bool]]:
    """By worker, whether each keyed answer to a hidden check is right (see `protocols.keys`)."""
    protocol = study.current.protocol
    passed: dict[int, list[bool]] = defaultdict(list)
    ratings = kept_ratings(study).filter(candidate__use=StudyCandidate.Use.GOLD)
    columns = ("worker", "value", "answers", "candidate__expected", "candidate__expected_answers")
    for worker, value, answers, *key in ratings.values_list(*columns):
        graded = graded_answers(protocol, Key(*key), value, answers, protocol.check_tolerance)
        passed[worker] += [one.is_right for one in graded]
    return passed


def warnings(study: Study, data: CollectedRatings) -> dict[int, list[str]]:
    """Warnings of careless work, by the rater's index in `data`."""
    rules = study.current.protocol.quality
    minimum = rules.min_seconds_per_rating or DEFAULT_SECONDS
    max_run = rules.straight_line_length or DEFAULT_RUN
    ratings = data.ratings
    n = ratings.n_raters
    fast = too_fast_shares(ratings.raters, data.seconds, n, minimum=minimum)
    runs = longest_runs(ratings.raters, ratings.values, n)
    flags: dict[int, list[str]] = defaultdict(list)
    for index in range(n):
        if fast[index] >= FAST_SHARE:
            flags[index].append(f"too fast: {100 * fast[index]:.0f}% under {minimum:g} s")
        if runs[index] >= max_run:
            flags[index].append(f"straight line: {runs[index]} equal in a row")
    for worker, share in _same_texts(study).items():
        indices = np.flatnonzero(data.worker_ids == worker)
        if len(indices) and share >= SAME_TEXT_SHARE:
            flags[int(indices[0])].append(f"same comment: {100 * share:.0f}% of comments")
    return flags


def _same_texts(study: Study) -> dict[int, float]:
    """By worker, the share of comments that are identical."""
    rows = kept_ratings(study).exclude(comment="").order_by("created_at", "pk")
    comments = list(rows.values_list("worker", "comment"))
    if not comments:
        return {}
    codes: dict[int, int] = {}
    workers = np.array([codes.setdefault(w, len(codes)) for w, _ in comments], dtype=np.int64)
    texts = [text for _, text in comments]
    shares = same_text_shares(workers, texts, len(codes), at_least=SAME_TEXTS)
    return {worker: float(shares[at]) for worker, at in codes.items() if not np.isnan(shares[at])}
