"""What a rater sees of a HIT: passages, each with its cards, and the scale with its keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from annotation.rating.models import Assignment, HitCandidate, Rating
from annotation.studies.models import StudyCandidate, StudyInstance
from concord.protocols import Protocol
from concord.protocols.packing import presentation_order

LONG_CHARS = 1200
EXCERPT_CHARS = 700
CANNOT = "cannot"


@dataclass(frozen=True)
class Choice:
    """A point of the scale, with the key that chooses it (empty where it has none)."""

    value: int
    label: str
    key: str


@dataclass
class Given:
    """What a worker gave for a candidate, or is about to. `choice` is as the form sends it."""

    choice: str = ""
    comment: str = ""
    seconds: float | None = None
    made_at: datetime | None = None
    problem: str = ""

    @property
    def milliseconds(self) -> int:
        """When it was made, in milliseconds of the server's clock; 0 when it was not."""
        return milliseconds(self.made_at) if self.made_at else 0


@dataclass(frozen=True)
class Card:
    """One candidate to be rated, the `number`-th of the HIT in this worker's order."""

    number: int
    candidate: StudyCandidate
    given: Given

    @property
    def instance(self) -> StudyInstance:
        return self.candidate.instance

    @property
    def text(self) -> str:
        return self.candidate.text

    @property
    def excerpt(self) -> str:
        """The beginning of a text too long to be shown whole at once; empty for others."""
        return self.text[:EXCERPT_CHARS].rstrip() if len(self.text) > LONG_CHARS else ""


@dataclass
class Section:
    """Cards that share a passage, which stays in view while they are rated."""

    number: int
    passage: str
    cards: list[Card] = field(default_factory=list)


def choices(protocol: Protocol) -> list[Choice]:
    """The scale with a key for each point.

    The key is the value where every value has a digit of its own, ten having 0; else the point's
    place on the scale, the eleventh having "-".
    """
    values = [point.value for point in protocol.scale]
    if set(values) <= set(range(1, 11)):
        keys = [str(value % 10) for value in values]
    elif set(values) <= set(range(10)):
        keys = [str(value) for value in values]
    else:
        keys = list("1234567890-")
    return [
        Choice(point.value, point.label, key)
        for point, key in zip(protocol.scale, keys, strict=False)
    ]


def members(hit_id: int) -> list[StudyCandidate]:
    """The candidates of a HIT with their instances, in the HIT's own order; one query."""
    found = HitCandidate.objects.filter(hit=hit_id).order_by("position")
    return [m.candidate for m in found.select_related("candidate__instance")]


def given_for(assignment: Assignment) -> dict[int, Given]:
    """What the assignment's worker gave for its candidates so far, by candidate; one query."""
    ratings = Rating.objects.filter(
        worker=assignment.worker_id, candidate__memberships__hit=assignment.hit_id
    )
    return {rating.candidate_id: given_by(rating) for rating in ratings}


def given_by(rating: Rating) -> Given:
    choice = CANNOT if rating.value is None else str(rating.value)
    return Given(choice, rating.comment, rating.seconds, rating.updated_at)


def sections(
    candidates: Sequence[StudyCandidate], seed: int, given: Mapping[int, Given]
) -> list[Section]:
    """The candidates in the worker's order, those of one passage together under it."""
    order = [candidates[at] for at in presentation_order(len(candidates), seed)]
    found: dict[str, list[StudyCandidate]] = {}
    for candidate in order:
        found.setdefault(candidate.instance.passage_key, []).append(candidate)
    parts = []
    number = 0
    for at, together in enumerate(found.values(), start=1):
        part = Section(at, together[0].instance.passage.strip())
        for candidate in together:
            number += 1
            part.cards.append(Card(number, candidate, given.get(candidate.pk, Given())))
        parts.append(part)
    return parts


def rated(parts: Iterable[Section]) -> int:
    """How many of the cards have a rating that is kept."""
    return sum(card.given.made_at is not None for part in parts for card in part.cards)


def milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def dollars(cents: int) -> str:
    return f"${cents / 100:,.2f}"


def duration(seconds: float) -> str:
    """A time as a person says it, rounded down: "1 h 20 min", "7 min", "less than a minute"."""
    minutes = int(seconds // 60)
    if minutes < 1:
        return "less than a minute"
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min")]
    return " ".join(f"{count} {unit}" for count, unit in parts if count)
