"""Spot checks: ratings selected at random for a person to check."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.contrib.auth.models import User
from numpy.typing import NDArray

from annotation.quality.models import SpotCheck
from annotation.quality.services.rating_data import kept_ratings
from annotation.rating.models import Rating
from annotation.studies.models import Study, StudyCandidate
from core.refusals import RefusedError

Verdict = SpotCheck.Verdict


@dataclass(frozen=True)
class SpotCheckQueue:
    """Ratings selected for a check: their number, some of the open ones, and the verdicts."""

    drawn: int
    open_count: int
    open: list[Rating]
    good: int
    poor: int


def spot_check_queue(study: Study, count: int = 20) -> SpotCheckQueue:
    """The protocol's share of the ratings, selected at random by the study's seed.

    The selection of a rating depends only on its key and the seed, so it does not change when more
    ratings arrive. The first `count` open ones are returned with their candidates.
    """
    share = study.current.protocol.quality.spot_check_share
    rows = list(
        kept_ratings(study)
        .filter(candidate__use=StudyCandidate.Use.RATED)
        .order_by("pk")
        .values_list("pk", "spot_check__verdict")
    )
    pks = np.array([pk for pk, _ in rows], dtype=np.int64)
    drawn = is_drawn(pks, study.seed, share)
    verdicts = [verdict for (_, verdict), selected in zip(rows, drawn, strict=True) if selected]
    waiting = [
        pk
        for (pk, verdict), selected in zip(rows, drawn, strict=True)
        if selected and verdict in (None, Verdict.OPEN)
    ]
    open_ratings = Rating.objects.filter(pk__in=waiting[:count]).select_related(
        "candidate__instance", "worker", "assignment__hit__stage", "assignment__protocol_version"
    )
    return SpotCheckQueue(
        drawn=int(drawn.sum()),
        open_count=len(waiting),
        open=list(open_ratings.order_by("pk")),
        good=verdicts.count(Verdict.GOOD),
        poor=verdicts.count(Verdict.POOR),
    )


def is_drawn(pks: NDArray[np.int64], seed: int, share: float) -> NDArray[np.bool_]:
    """Which keys are in a random sample with this share: splitmix64 of seed and key, as a uniform
    value."""
    with np.errstate(over="ignore"):
        mixed = pks.astype(np.uint64) ^ (np.uint64(seed % 2**64) * np.uint64(0x9E3779B97F4A7C15))
        mixed = mixed + np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed = mixed ^ (mixed >> np.uint64(31))
    return np.asarray((mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53 < share)


def give_verdict(rating: Rating, verdict: str, *, by: User, at: datetime) -> SpotCheck:
    """Store the researcher's verdict; a later verdict replaces an earlier one.

    Raises RefusedError for a verdict other than good or poor.
    """
    if verdict not in (Verdict.GOOD, Verdict.POOR):
        raise RefusedError("The verdict must be good or poor.", "value-refused")
    spot_check, _ = SpotCheck.objects.update_or_create(
        rating=rating, defaults={"verdict": verdict, "checked_by": by, "checked_at": at}
    )
    return spot_check


def poor_by_worker(study: Study) -> dict[int, tuple[int, int]]:
    """By worker: the number of poor spot checks, and of all with a verdict."""
    rows = SpotCheck.objects.filter(rating__assignment__hit__stage__study=study).exclude(
        verdict=Verdict.OPEN
    )
    counts: dict[int, tuple[int, int]] = {}
    for worker, verdict in rows.values_list("rating__worker", "verdict"):
        poor, checked = counts.get(worker, (0, 0))
        counts[worker] = (poor + (verdict == Verdict.POOR), checked + 1)
    return counts
