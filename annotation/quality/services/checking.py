"""Manual checks: ratings selected at random, and candidates that raters disagree about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from numpy.typing import NDArray

from annotation.quality.models import Adjudication, SpotCheck
from annotation.quality.services.rating_data import CollectedRatings, kept_ratings
from annotation.rating.models import Rating
from annotation.studies.models import Study, StudyCandidate
from core import audit

Verdict = SpotCheck.Verdict
NOTE_CHARS = 5_000
Spread = Literal["range", "sd"]


class CheckRefusedError(ValueError):
    """A verdict or adjudicated value that is not accepted. The message says why."""


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

    Raises CheckRefusedError for a verdict other than good or poor.
    """
    if verdict not in (Verdict.GOOD, Verdict.POOR):
        raise CheckRefusedError("The verdict must be good or poor.")
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


@dataclass(frozen=True)
class Disagreement:
    """A candidate with different ratings: its ratings and their spread."""

    candidate: StudyCandidate
    values: tuple[float, ...]
    range: float
    sd: float
    adjudication: Adjudication | None


def disagreements(
    study: Study, data: CollectedRatings, by: Spread = "range", *, include_adjudicated: bool = False
) -> tuple[int, list[tuple[int, float, float]]]:
    """Candidates with two or more different ratings, largest spread first.

    Returns their number, and (candidate id, range, population sd) for each. Adjudicated candidates
    are included only with `include_adjudicated`.
    """
    ratings = data.ratings
    sizes = ratings.unit_sizes
    low, high = np.full(ratings.n_units, np.inf), np.full(ratings.n_units, -np.inf)
    np.minimum.at(low, ratings.units, ratings.values)
    np.maximum.at(high, ratings.units, ratings.values)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.bincount(ratings.units, ratings.values, ratings.n_units) / sizes
        squares = np.bincount(
            ratings.units, (ratings.values - means[ratings.units]) ** 2, ratings.n_units
        )
        sd = np.sqrt(squares / sizes)
    adjudicated = set() if include_adjudicated else set(_adjudicated(study))
    rows = [
        (int(data.candidate_ids[index]), float(high[index] - low[index]), float(sd[index]))
        for index in np.flatnonzero((sizes >= 2) & (high > low))
        if int(data.candidate_ids[index]) not in adjudicated
    ]
    first, second = (1, 2) if by == "range" else (2, 1)
    rows.sort(key=lambda row: (-row[first], -row[second], row[0]))
    return len(rows), rows


def with_texts(data: CollectedRatings, rows: list[tuple[int, float, float]]) -> list[Disagreement]:
    """The candidates of `rows` with their texts, ratings and adjudicated values; two queries."""
    pks = [pk for pk, _, _ in rows]
    candidates = (
        StudyCandidate.objects.filter(pk__in=pks)
        .select_related("instance", "adjudication", "adjudication__made_by")
        .in_bulk()
    )
    values: dict[int, list[float]] = {pk: [] for pk in pks}
    for unit, value in zip(data.ratings.units.tolist(), data.ratings.values.tolist(), strict=True):
        pk = int(data.candidate_ids[unit])
        if pk in values:
            values[pk].append(value)
    return [
        Disagreement(
            candidates[pk],
            tuple(sorted(values[pk])),
            spread,
            sd,
            getattr(candidates[pk], "adjudication", None),
        )
        for pk, spread, sd in rows
    ]


def adjudicate(
    candidate: StudyCandidate, value: float, note: str, *, by: User, at: datetime
) -> Adjudication:
    """Set a candidate's value by hand; it replaces the aggregate in the frozen set.

    Raises CheckRefusedError for a value outside the scale, for a candidate that is not rated or
    shares another's ratings, and where candidates are compared.
    """
    protocol = candidate.study.current.protocol
    if protocol.compares:
        raise CheckRefusedError("Choices between candidates are not aggregated or adjudicated.")
    if candidate.use != StudyCandidate.Use.RATED or candidate.same_as_id is not None:
        raise CheckRefusedError("Only a candidate with its own ratings can be adjudicated.")
    if not protocol.low <= value <= protocol.high:
        raise CheckRefusedError(f"Choose a value from {protocol.low} to {protocol.high}.")
    values = {"value": value, "note": note.strip()[:NOTE_CHARS]}
    with transaction.atomic():
        before = _current_values(candidate)
        adjudication, _ = Adjudication.objects.update_or_create(
            candidate=candidate, defaults={**values, "made_by": by, "made_at": at}
        )
        audit.record(by, "candidate.settled", candidate, before, values, study=candidate.study)
    return adjudication


def remove_adjudication(candidate: StudyCandidate) -> None:
    """Remove an adjudicated value; the aggregate counts again."""
    with transaction.atomic():
        before = _current_values(candidate)
        Adjudication.objects.filter(candidate=candidate).delete()
        if before is not None:
            audit.record(None, "candidate.unsettled", candidate, before, study=candidate.study)


def _current_values(candidate: StudyCandidate) -> Mapping[str, object] | None:
    rows = Adjudication.objects.filter(candidate=candidate)
    return rows.values("value", "note").first()


def _adjudicated(study: Study) -> list[int]:
    rows = Adjudication.objects.filter(candidate__study=study)
    return list(rows.values_list("candidate_id", flat=True))
