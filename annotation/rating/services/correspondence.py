"""Messages from workers and the researcher's answers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from annotation.rating.models import Message, Participation
from annotation.studies.models import Study
from core.refusals import RefusedError

ANSWER_CHARS = 10_000


@dataclass(frozen=True)
class Inbox:
    """A study's messages: unanswered ones, oldest first, and the others, latest first.

    A withdrawal needs no answer; `withdrawn` lists who left.
    """

    waiting: list[Message]
    answered: list[Message]
    withdrawn: list[Participation]


def inbox(study: Study) -> Inbox:
    """All messages of the study; two queries."""
    rows = list(
        Message.objects.filter(participation__study=study)
        .select_related("participation__worker", "participation__study")
        .order_by("created_at", "pk")
    )
    unanswered = [m for m in rows if m.answered_at is None and m.kind != Message.Kind.WITHDRAWAL]
    rest = [m for m in rows if m not in unanswered]
    withdrawn = study.participations.filter(withdrawn_at__isnull=False).select_related("worker")
    return Inbox(unanswered, rest[::-1], list(withdrawn.order_by("-withdrawn_at")))


def waiting_messages(study: Study) -> int:
    """How many messages need an answer."""
    rows = Message.objects.filter(participation__study=study, answered_at=None)
    return rows.exclude(kind=Message.Kind.WITHDRAWAL).count()


def answer(message: Message, text: str, *, at: datetime) -> None:
    """Answer a worker's message; another answer replaces the first. Raises RefusedError."""
    text = text.strip()
    if not text:
        raise RefusedError("Write an answer first.", "answer-refused")
    if len(text) > ANSWER_CHARS:
        raise RefusedError(
            f"An answer may have at most {ANSWER_CHARS:,} characters.", "answer-refused"
        )
    Message.objects.filter(pk=message.pk).update(answer=text, answered_at=at)
