"""What is known of each worker of a study, and signs of work not done."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from django.db.models import Count, Q

from annotation.quality.services.collected import Collected, kept_ratings, remembered
from annotation.rating.models import Assignment, Participation
from annotation.studies.models import Study, StudyCandidate
from concord.filtering import (
    WorkerStatistics,
    longest_runs,
    same_text_shares,
    too_fast_shares,
    worker_statistics,
)
from concord.reliability import Level

# Signs are for a person to look at. Where the protocol sets none, these mild ones hold.
DEFAULT_SECONDS = 1.0
DEFAULT_RUN = 12
FAST_SHARE = 0.25
SAME_TEXT_SHARE = 0.75
SAME_TEXTS = 3


@dataclass(frozen=True)
class WorkerRow:
    """One worker's figures, None where undefined.

    mean_z above 0 rates high. correlation: with the mean of the others' ratings of the same
    candidates. gold: share of the `gold_count` hidden checks answered right. alpha_change: alpha
    without this worker less alpha with. fast: share of ratings made too fast. run: longest run of
    equal ratings. flags: signs in words.
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

    @property
    def name(self) -> str:
        return self.participation.worker.name


def worker_table(
    study: Study, found: Collected, level: Level = "ordinal", kind: str | None = None
) -> list[WorkerRow]:
    """A row for each worker with kept ratings (of the stage `kind`), most ratings first."""
    chosen = found.of_stage(kind) if kind else found
    figures = remembered(
        study,
        ("workers", level, kind, found.digest),
        lambda: worker_statistics(chosen.ratings, level=level, seconds=chosen.seconds),
    )
    people = {p.worker_id: p for p in study.participations.select_related("worker", "study").all()}
    submitted = _submitted(study)
    gold = _gold(study)
    flags = _flags(study, chosen)
    rows = [
        _row(people[worker], at, figures, gold[worker], submitted.get(worker, 0), flags[at])
        for at, worker in enumerate(found.worker_ids.tolist())
        if figures.count[at] and worker in people
    ]
    return sorted(rows, key=lambda row: (-row.count, row.name))


def _row(
    participation: Participation,
    at: int,
    figures: WorkerStatistics,
    gold: list[bool],
    submitted: int,
    flags: list[str],
) -> WorkerRow:
    def figure(name: str) -> float | None:
        value = float(getattr(figures, name)[at])
        return None if np.isnan(value) else value

    return WorkerRow(
        participation=participation,
        count=int(figures.count[at]),
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
    """HITs submitted, counted or not, by worker."""
    done = Q(status=Assignment.Status.SUBMITTED) | Q(status=Assignment.Status.SURPLUS)
    rows = Assignment.objects.filter(done, hit__stage__study=study).order_by()
    return dict(rows.values_list("worker").annotate(n=Count("pk")))


def _gold(study: Study) -> dict[int, list[bool]]:
    """Whether each answer to a hidden check was right, within the test's tolerance, by worker."""
    test = study.current.protocol.qualification
    tolerance = test.tolerance if test else 0
    found: dict[int, list[bool]] = defaultdict(list)
    checks = kept_ratings(study).filter(candidate__use=StudyCandidate.Use.GOLD)
    for worker, value, expected in checks.values_list("worker", "value", "candidate__expected"):
        assert expected is not None
        found[worker].append(value is not None and abs(value - expected) <= tolerance)
    return found


def _flags(study: Study, chosen: Collected) -> dict[int, list[str]]:
    rules = study.current.protocol.quality
    minimum = rules.fewest_seconds_a_rating or DEFAULT_SECONDS
    longest = rules.straight_line_length or DEFAULT_RUN
    ratings = chosen.ratings
    n = ratings.n_raters
    fast = too_fast_shares(ratings.raters, chosen.seconds, n, minimum=minimum)
    runs = longest_runs(ratings.raters, ratings.values, n)
    flags: dict[int, list[str]] = defaultdict(list)
    for at in range(n):
        if fast[at] >= FAST_SHARE:
            flags[at].append(f"too fast: {100 * fast[at]:.0f}% under {minimum:g} s")
        if runs[at] >= longest:
            flags[at].append(f"straight line: {runs[at]} equal in a row")
    for worker, share in _same_texts(study).items():
        places = np.flatnonzero(chosen.worker_ids == worker)
        if len(places) and share >= SAME_TEXT_SHARE:
            flags[int(places[0])].append(f"same comment: {100 * share:.0f}% of comments")
    return flags


def _same_texts(study: Study) -> dict[int, float]:
    """By worker, the share of comments that are one and the same."""
    rows = kept_ratings(study).exclude(comment="").order_by("created_at", "pk")
    given = list(rows.values_list("worker", "comment"))
    if not given:
        return {}
    codes: dict[int, int] = {}
    workers = np.array([codes.setdefault(w, len(codes)) for w, _ in given], dtype=np.int64)
    texts = [text for _, text in given]
    shares = same_text_shares(workers, texts, len(codes), at_least=SAME_TEXTS)
    return {worker: float(shares[at]) for worker, at in codes.items() if not np.isnan(shares[at])}
