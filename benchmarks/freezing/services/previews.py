"""Previews of frozen studies, computed in the request for small studies, else by a worker."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field

from annotation.quality.services.rating_data import simulation
from annotation.studies.models import Study
from benchmarks.freezing.services.preparing import Frozen, prepare

# The preview of a study with this many candidates and ratings takes about a second.
MAX_ROWS_AT_ONCE = 10_000
FIRST, TEXT_CHARACTERS = 12, 120


@dataclass(frozen=True)
class FreezingPreview:
    """Figures of a frozen study, which can be stored as JSON.

    removed: number of ratings that the ledger removes. reversed_pairs: key, phenomenon and both
    scores. alpha, interval: after the ledger; alpha_before, alpha_shuffled: None without an active
    step. points, counts: points of the scale or ranges of a slider, and the number of gold scores
    nearest to each. first: the first candidates. Where candidates are compared, judged_pairs and
    choices are the numbers of pairs and of choices on them, first_pairs the first pairs, and there
    are no gold scores. level: that of alpha.
    """

    candidates: int
    pairs: int
    ratings: int
    raters: int
    removed: int
    left_out: dict[str, int]
    reversed_pairs: list[list[str | float]]
    unrated_pairs: int
    shared: int
    settled: int
    clipped: int
    is_simulated: bool
    alpha: dict[str, object]
    interval: dict[str, object]
    alpha_before: float | None
    alpha_shuffled: float | None
    sentence: str
    points: list[str]
    counts: list[int]
    first: list[dict[str, object]]
    judged_pairs: int = 0
    choices: int = 0
    first_pairs: list[dict[str, object]] = field(default_factory=list)
    level: str = "ordinal"

    def to_json(self) -> dict[str, object]:
        return asdict(self)

    @classmethod
    def from_frozen(cls, study: Study, frozen: Frozen) -> FreezingPreview:
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
            alpha={"value": ledger.after["alpha"], "reason": ledger.after.get("reason")},
            interval={
                "ends": ledger.after["ci"],
                "reason": ledger.after.get("reason", ""),
            },
            alpha_before=ledger.before["alpha"] if ledger.is_active else None,
            alpha_shuffled=ledger.null["alpha"] if ledger.null else None,
            sentence=ledger.sentence,
            points=points,
            counts=counts,
            first=[
                {
                    "key": candidate.key,
                    "text": candidate.text[:TEXT_CHARACTERS],
                    "score": candidate.score,
                    "ratings": [rating.value for rating in candidate.ratings],
                }
                for candidate in ([] if frozen.judged else frozen.candidates[:FIRST])
            ],
            judged_pairs=len(frozen.judged),
            choices=frozen.choice_count,
            first_pairs=[
                {
                    "key": pair.set_key or pair.key,
                    "texts": [
                        text[:TEXT_CHARACTERS] for text in (pair.candidate1, pair.candidate2)
                    ],
                    "choices": [str(one.choice) for one in pair.choices],
                }
                for pair in frozen.judged[:FIRST]
            ],
            level=ledger.after["level"],
        )


def is_small(study: Study) -> bool:
    """Whether the preview of the study can be computed in a request."""
    ratings = simulation(study)
    return study.candidates.count() + ratings.simulated + ratings.real <= MAX_ROWS_AT_ONCE


def preview(study: Study, aggregation: str, stages: Iterable[str] | None = None) -> FreezingPreview:
    """Compute the preview with these parameters. Raises RefusedError."""
    return FreezingPreview.from_frozen(study, prepare(study, aggregation, stages))


def _nearest_points(study: Study, frozen: Frozen) -> tuple[list[str], list[int]]:
    protocol = study.current.protocol
    if protocol.compares:
        return [], []
    bins = protocol.bins()
    counts = [0] * len(bins)
    for candidate in frozen.candidates:
        if candidate.score is not None:
            nearest = int(candidate.score - protocol.low + 0.5)
            counts[min(len(counts) - 1, nearest // protocol.bin_width)] += 1
    return bins, counts
