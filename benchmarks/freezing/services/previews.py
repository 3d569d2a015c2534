"""The figures of what a study would freeze to: computed in the request for a small study, by a
worker for a large one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from annotation.quality.services.rating_data import simulation
from annotation.studies.models import Study
from benchmarks.freezing.services.preparing import Frozen, prepare
from concord.reliability import Alpha, Interval

# A study of this many candidates and ratings is previewed in about a second.
MAX_ROWS_AT_ONCE = 10_000
FIRST, TEXT_CHARACTERS = 12, 120


@dataclass(frozen=True)
class Preview:
    """Figures that JSON can hold.

    removed: ratings left out by the ledger. reversed_pairs: key, phenomenon and both scores.
    alpha, interval: after the ledger; alpha_before, alpha_shuffled: None without an active step.
    points, counts: the scale, and how many gold scores are nearest to each point. first: the first
    candidates.
    """

    candidates: int
    pairs: int
    ratings: int
    raters: int
    removed: int
    left_out: dict[str, int]
    reversed_pairs: list[list[Any]]
    unrated_pairs: int
    shared: int
    settled: int
    clipped: int
    is_simulated: bool
    alpha: dict[str, Any]
    interval: dict[str, Any]
    alpha_before: float | None
    alpha_shuffled: float | None
    sentence: str
    points: list[str]
    counts: list[int]
    first: list[dict[str, Any]]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, study: Study, frozen: Frozen) -> Preview:
        gold, ledger = frozen.gold, frozen.gold.ledger
        points, counts = _nearest_points(study, frozen)
        return cls(
            candidates=len(frozen.candidates),
            pairs=len(frozen.pairs),
            ratings=frozen.rating_count,
            raters=gold.raters,
            removed=gold.removed,
            left_out=frozen.left_out,
            reversed_pairs=[list(pair) for pair in frozen.reversed_pairs],
            unrated_pairs=frozen.unrated_pairs,
            shared=frozen.shared,
            settled=frozen.settled,
            clipped=gold.clipped,
            is_simulated=frozen.is_simulated,
            alpha=_alpha(ledger.after),
            interval=_interval(ledger.after_interval),
            alpha_before=ledger.before.value if ledger.is_active else None,
            alpha_shuffled=ledger.null.mean if ledger.null else None,
            sentence=ledger.sentence,
            points=points,
            counts=counts,
            first=[
                {
                    "key": one.key,
                    "text": one.text[:TEXT_CHARACTERS],
                    "score": one.score,
                    "ratings": [rating.value for rating in one.ratings],
                }
                for one in frozen.candidates[:FIRST]
            ],
        )


def is_small(study: Study) -> bool:
    """Whether a request may compute the study's preview."""
    ratings = simulation(study)
    return study.candidates.count() + ratings.simulated + ratings.real <= MAX_ROWS_AT_ONCE


def preview(study: Study, aggregation: str, stages: Iterable[str] | None = None) -> Preview:
    """The figures of these choices, computed now. Raises FreezeRefusedError."""
    return Preview.of(study, prepare(study, aggregation, stages))


def _alpha(found: Alpha) -> dict[str, Any]:
    return {"value": found.value, "reason": found.reason}


def _interval(found: Interval) -> dict[str, Any]:
    return {"ends": found.ends and list(found.ends), "reason": found.reason}


def _nearest_points(study: Study, frozen: Frozen) -> tuple[list[str], list[int]]:
    protocol = study.current.protocol
    counts = [0] * (protocol.high - protocol.low + 1)
    for candidate in frozen.candidates:
        if candidate.score is not None:
            counts[min(len(counts) - 1, int(candidate.score - protocol.low + 0.5))] += 1
    return [str(protocol.low + at) for at in range(len(counts))], counts
