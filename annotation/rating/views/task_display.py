"""How a rater sees a HIT: passages with their cards, and the scale with its keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from django.utils.formats import number_format
from django.utils.functional import lazy
from django.utils.translation import gettext, pgettext

from annotation.rating.models import Assignment, Rating, RatingDraft
from annotation.rating.services.changes import drafts_of, ratings_of_try
from annotation.rating.services.main_choices import ScaleChoice, choices, place_names
from annotation.rating.services.questions import CriterionQuestion, questions_for
from annotation.rating.services.rating_checks import Answer
from annotation.studies.models import StudyCandidate, StudyInstance
from concord.documents.conversation import Turn
from concord.protocols import Protocol
from concord.protocols.criteria import whole_number
from concord.protocols.packing import presentation_order
from concord.protocols.pairing import shown_order

LONG_CHARS = 1200
EXCERPT_CHARS = 700
# Before a worker has answered.
OPEN = Answer(is_draft=True, is_chosen=False)


@dataclass(frozen=True)
class Entry:
    """A worker's answer about a candidate, as a page shows it.

    made_at: when it was saved; None if it was not. problem: what the worker is to do.
    """

    answer: Answer = OPEN
    made_at: datetime | None = None
    problem: str = ""

    @property
    def is_rated(self) -> bool:
        """Whether a complete rating is saved."""
        return self.made_at is not None and not self.answer.is_draft

    @property
    def milliseconds(self) -> int:
        """When it was saved, in milliseconds of the server's clock; 0 if it was not."""
        return milliseconds(self.made_at) if self.made_at else 0

    def to_json(self) -> dict[str, object]:
        return self.answer.to_json() | {"made_at": self.milliseconds}


def excerpt_of(text: str) -> str:
    """The beginning of a long text; empty for short ones."""
    return text[:EXCERPT_CHARS].rstrip() if len(text) > LONG_CHARS else ""


@dataclass(frozen=True)
class ComparedText:
    """A compared candidate. name: that of the place at which it is shown."""

    text: str
    name: str

    @property
    def excerpt(self) -> str:
        return excerpt_of(self.text)


@dataclass(frozen=True)
class CandidateCard:
    """One candidate to rate, the `number`-th of the HIT in this worker's order.

    shown: of a unit that compares candidates, their numbers from 1 in the order in which they are
    shown; empty for a single candidate.
    """

    number: int
    candidate: StudyCandidate
    entry: Entry
    protocol: Protocol
    shown: tuple[int, ...] = ()

    @property
    def choices(self) -> list[ScaleChoice]:
        """The scale as this card shows it."""
        return choices(self.protocol, self.shown)

    @property
    def compared(self) -> list[ComparedText]:
        """The compared candidates in the order in which they are shown; empty for one candidate."""
        if not self.shown:
            return []
        parts = [part.candidate.text for part in self.candidate.parts.all()]
        names = place_names(self.protocol)
        return [
            ComparedText(parts[number - 1], name)
            for number, name in zip(self.shown, names, strict=False)
        ]

    @property
    def field(self) -> str:
        """The name of the main question's field."""
        return f"value-{self.candidate.pk}"

    @cached_property
    def questions(self) -> list[CriterionQuestion]:
        """The protocol's criteria with the worker's answers."""
        return questions_for(
            self.protocol,
            self.candidate.pk,
            self.entry.answer.answers,
            text=self.text,
            shown=self.shown,
        )

    @property
    def above(self) -> list[CriterionQuestion]:
        """The criteria that are asked above the main question."""
        return [one for one in self.questions if one.criterion.above]

    @property
    def beside(self) -> list[CriterionQuestion]:
        """Of a set, the question for the worst candidate, beside that for the best."""
        return [one for one in self.questions if one.criterion.kind == "worst"]

    @property
    def below(self) -> list[CriterionQuestion]:
        """The other criteria."""
        return [
            one
            for one in self.questions
            if not one.criterion.above and one.criterion.kind != "worst"
        ]

    @property
    def instance(self) -> StudyInstance:
        return self.candidate.instance

    @property
    def text(self) -> str:
        return self.candidate.text

    @property
    def excerpt(self) -> str:
        return excerpt_of(self.text)


@dataclass
class TextSection:
    """Cards that share a passage, or the turns of a conversation to which they reply."""

    number: int
    passage: str
    turns: list[Turn]
    cards: list[CandidateCard] = field(default_factory=list)


def entries_for(assignment: Assignment) -> dict[int, Entry]:
    """The worker's ratings of the assignment's candidates, and what is not finished, by candidate;
    two queries."""
    return entries_of(ratings_of_try(assignment), drafts_of(assignment))


def entries_of(ratings: Iterable[Rating], drafts: Iterable[RatingDraft]) -> dict[int, Entry]:
    """Ratings and drafts by candidate. A draft is newer than the rating."""
    entries = {
        one.candidate_id: Entry(
            Answer(one.value, one.comment, one.seconds, one.answers), one.updated_at
        )
        for one in ratings
    }
    return entries | {one.candidate_id: Entry(_draft(one), one.made_at) for one in drafts}


def _draft(row: RatingDraft) -> Answer:
    value, is_chosen = whole_number(row.choice), row.choice != ""
    return Answer(value, row.comment, row.seconds, row.answers, is_draft=True, is_chosen=is_chosen)


def sections(
    protocol: Protocol,
    candidates: Sequence[StudyCandidate],
    seed: int,
    entries: Mapping[int, Entry],
) -> list[TextSection]:
    """The candidates in the worker's order, grouped by passage."""
    order = [candidates[index] for index in presentation_order(len(candidates), seed)]
    by_passage: dict[str, list[StudyCandidate]] = {}
    for candidate in order:
        by_passage.setdefault(candidate.instance.passage_key, []).append(candidate)
    result = []
    number = 0
    for section_number, group in enumerate(by_passage.values(), start=1):
        instance = group[0].instance
        part = TextSection(section_number, instance.passage.strip(), instance.replied_turns)
        for candidate in group:
            number += 1
            entry = entries.get(candidate.pk, Entry())
            parts = len(candidate.parts.all()) if protocol.compares else 0
            shown = shown_order(parts, seed, candidate.pk)
            part.cards.append(CandidateCard(number, candidate, entry, protocol, tuple(shown)))
        result.append(part)
    return result


def count_rated(sections: Iterable[TextSection]) -> int:
    """How many cards have a complete rating."""
    return sum(card.entry.is_rated for part in sections for card in part.cards)


def milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def dollars(cents: int) -> str:
    """Cents in dollars, as the current language writes them: `$1,234.50`."""
    amount = number_format(cents / 100, decimal_pos=2, force_grouping=True)
    # Translators: an amount of US dollars.
    return pgettext("money", "$%(amount)s") % {"amount": amount}


def duration(seconds: float) -> str:
    """A duration in words, rounded down: "1 h 20 min", "7 min", "less than a minute"."""
    minutes = int(seconds // 60)
    if minutes < 1:
        return gettext("less than a minute")
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    # Translators: the units are days, hours and minutes.
    parts = [
        (days, pgettext("duration", "%(count)s d")),
        (hours, pgettext("duration", "%(count)s h")),
        (minutes, pgettext("duration", "%(count)s min")),
    ]
    return " ".join(text % {"count": count} for count, text in parts if count)


# For contexts: these are written out in the language in which the template shows them.
lazy_dollars = lazy(dollars, str)
lazy_duration = lazy(duration, str)
