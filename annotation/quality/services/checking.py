"""What a researcher looks at by hand: ratings drawn at random, and candidates raters split over."""

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
from annotation.quality.services.collected import Collected, kept_ratings
from annotation.rating.models import Rating
from annotation.studies.models import Study, StudyCandidate
from core import audit

Verdict = SpotCheck.Verdict
NOTE_CHARS = 5_000
Spread = Literal["range", "sd"]


class CheckRefusedError(ValueError):
    """A verdict or a settled value that cannot be taken; the message says why."""


@dataclass(frozen=True)
class SpotCheckQueue:
    """Ratings drawn for a look: how many, those still open (some of them), and the verdicts."""

    drawn: int
    open_count: int
    open: list[Rating]
    good: int
    poor: int


def spot_check_queue(study: Study, count: int = 20) -> SpotCheckQueue:
    """The protocol's share of the kept ratings, drawn by the study's seed.

    Whether a rating is drawn depends on its own number and the seed alone, so the draw stays as it
    is while more ratings come in. The first `count` open ones come with what they rate.
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
    verdicts = [verdict for (_, verdict), chosen in zip(rows, drawn, strict=True) if chosen]
    waiting = [
        pk
        for (pk, verdict), chosen in zip(rows, drawn, strict=True)
        if chosen and verdict in (None, Verdict.OPEN)
    ]
    shown = Rating.objects.filter(pk__in=waiting[:count]).select_related(
        "candidate__instance", "worker", "assignment__hit__stage", "assignment__protocol_version"
    )
    return SpotCheckQueue(
        drawn=int(drawn.sum()),
        open_count=len(waiting),
        open=list(shown.order_by("pk")),
        good=verdicts.count(Verdict.GOOD),
        poor=verdicts.count(Verdict.POOR),
    )


def is_drawn(pks: NDArray[np.int64], seed: int, share: float) -> NDArray[np.bool_]:
    """Which numbers a seeded draw of `share` takes, each for itself: splitmix64 of seed and number
    as a uniform value, below the share."""
    with np.errstate(over="ignore"):
        mixed = pks.astype(np.uint64) ^ (np.uint64(seed % 2**64) * np.uint64(0x9E3779B97F4A7C15))
        mixed = mixed + np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed = mixed ^ (mixed >> np.uint64(31))
    return np.asarray((mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53 < share)


def give_verdict(rating: Rating, verdict: str, *, by: User, at: datetime) -> SpotCheck:
    """Record what the researcher found; a later verdict replaces an earlier one.

    Raises CheckRefusedError for anything but good or poor.
    """
    if verdict not in (Verdict.GOOD, Verdict.POOR):
        raise CheckRefusedError("A rating is good or poor.")
    found, _ = SpotCheck.objects.update_or_create(
        rating=rating, defaults={"verdict": verdict, "checked_by": by, "checked_at": at}
    )
    return found


def poor_by_worker(study: Study) -> dict[int, tuple[int, int]]:
    """By worker: spot checks found poor, and all with a verdict."""
    rows = SpotCheck.objects.filter(rating__assignment__hit__stage__study=study).exclude(
        verdict=Verdict.OPEN
    )
    found: dict[int, tuple[int, int]] = {}
    for worker, verdict in rows.values_list("rating__worker", "verdict"):
        poor, checked = found.get(worker, (0, 0))
        found[worker] = (poor + (verdict == Verdict.POOR), checked + 1)
    return found


@dataclass(frozen=True)
class SplitCandidate:
    """A candidate its raters disagree about: the ratings kept, and how far apart they lie."""

    candidate: StudyCandidate
    values: tuple[float, ...]
    range: float
    sd: float
    adjudication: Adjudication | None


def split_candidates(
    study: Study, found: Collected, by: Spread = "range", *, settled: bool = False
) -> tuple[int, list[tuple[int, float, float]]]:
    """Candidates with two kept ratings or more that differ, widest apart first.

    Returns how many there are, and (candidate id, range, population sd) for each. Those that
    were settled are left out unless `settled`.
    """
    ratings = found.ratings
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
    done = set() if settled else set(_settled(study))
    rows = [
        (int(found.candidate_ids[at]), float(high[at] - low[at]), float(sd[at]))
        for at in np.flatnonzero((sizes >= 2) & (high > low))
        if int(found.candidate_ids[at]) not in done
    ]
    first, second = (1, 2) if by == "range" else (2, 1)
    rows.sort(key=lambda row: (-row[first], -row[second], row[0]))
    return len(rows), rows


def with_texts(found: Collected, rows: list[tuple[int, float, float]]) -> list[SplitCandidate]:
    """The candidates of `rows` with their texts, ratings and what was settled; two queries."""
    wanted = [pk for pk, _, _ in rows]
    candidates = (
        StudyCandidate.objects.filter(pk__in=wanted)
        .select_related("instance", "adjudication", "adjudication__made_by")
        .in_bulk()
    )
    values: dict[int, list[float]] = {pk: [] for pk in wanted}
    for unit, value in zip(
        found.ratings.units.tolist(), found.ratings.values.tolist(), strict=True
    ):
        pk = int(found.candidate_ids[unit])
        if pk in values:
            values[pk].append(value)
    return [
        SplitCandidate(
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
    """Settle a candidate's value by hand; it takes the aggregate's place when frozen.

    Raises CheckRefusedError for a value off the scale, and for a candidate that is not rated or
    shares another's ratings.
    """
    protocol = candidate.study.current.protocol
    if candidate.use != StudyCandidate.Use.RATED or candidate.same_as_id is not None:
        raise CheckRefusedError("Only a candidate that is rated itself can be settled.")
    if not protocol.low <= value <= protocol.high:
        raise CheckRefusedError(f"Choose a value from {protocol.low} to {protocol.high}.")
    given = {"value": value, "note": note.strip()[:NOTE_CHARS]}
    with transaction.atomic():
        before = _settlement(candidate)
        found, _ = Adjudication.objects.update_or_create(
            candidate=candidate, defaults={**given, "made_by": by, "made_at": at}
        )
        audit.record(by, "candidate.settled", candidate, before, given, study=candidate.study)
    return found


def unsettle(candidate: StudyCandidate) -> None:
    """Take a settled value back; the aggregate counts again."""
    with transaction.atomic():
        before = _settlement(candidate)
        Adjudication.objects.filter(candidate=candidate).delete()
        if before is not None:
            audit.record(None, "candidate.unsettled", candidate, before, study=candidate.study)


def _settlement(candidate: StudyCandidate) -> Mapping[str, object] | None:
    rows = Adjudication.objects.filter(candidate=candidate)
    return rows.values("value", "note").first()


def _settled(study: Study) -> list[int]:
    rows = Adjudication.objects.filter(candidate__study=study)
    return list(rows.values_list("candidate_id", flat=True))
