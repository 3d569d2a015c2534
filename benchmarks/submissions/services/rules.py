"""What may be submitted: by whom, how often, under what name, computed by what."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q, QuerySet

import scorers
from benchmarks.runs.external import metrics as external
from benchmarks.runs.models import Submission
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access
from concord.sentences import to_sentence
from core.accounts.roles import Role
from core.security.outgoing.addresses import AddressRefusedError, resolve
from scorers import MetricError

DAY = timedelta(hours=24)
CHECKED = ("name", "link", "authors", "note", "source")


class SubmissionRefusedError(ValueError):
    """It cannot be submitted, or changed like that; `field` is the one at fault, if it is one."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True)
class About:
    """What submitters say of their metric."""

    name: str
    higher_is_better: bool = True
    link: str = ""
    authors: str = ""
    note: str = ""


def left_today(judgment_set: JudgmentSet, owner: Any, *, at: datetime) -> int | None:
    """How many more this user may submit to the set now, in any version; None: no limit, as for
    the set's editors, who see every label anyway.

    Withdrawn ones count.
    """
    if owner is None or access.allows(owner, judgment_set.name, Role.EDITOR):
        return None
    made = _recent(judgment_set, owner, at).count()
    return max(0, settings.SUBMISSIONS_PER_DAY - made)


def check_allowance(judgment_set: JudgmentSet, owner: Any, at: datetime) -> None:
    """Raise SubmissionRefusedError, saying when to come again, where the day's limit is reached."""
    if left_today(judgment_set, owner, at=at) == 0:
        first = _recent(judgment_set, owner, at).order_by("created_at")
        again = first.values_list("created_at", flat=True)[0] + DAY
        raise SubmissionRefusedError(
            f"You have submitted {settings.SUBMISSIONS_PER_DAY} times to {judgment_set.name} in "
            f"24 hours, which is the most; the next may come at {again:%H:%M} UTC on {again:%d %B}."
        )


def _recent(judgment_set: JudgmentSet, owner: Any, at: datetime) -> QuerySet[Submission]:
    made = Submission.objects.filter(owner=owner, judgment_set__name=judgment_set.name)
    return made.filter(created_at__gt=at - DAY)


@contextmanager
def allowed(judgment_set: JudgmentSet, owner: Any, at: datetime) -> Iterator[None]:
    """A transaction in which the day's limit holds against the owner's other requests."""
    with transaction.atomic():
        if owner is not None:
            get_user_model().objects.select_for_update().get(pk=owner.pk)
        check_allowance(judgment_set, owner, at)
        yield


def unsaved(
    judgment_set: JudgmentSet, about: About, kind: str, source: str, owner: Any, at: datetime
) -> Submission:
    """The submission, checked field by field."""
    found = Submission(
        judgment_set=judgment_set,
        owner=owner,
        kind=kind,
        name=about.name,
        link=about.link,
        authors=about.authors,
        note=about.note,
        higher_is_better=about.higher_is_better,
        source=source,
        created_at=at,
        published_at=None if owner else at,
    )
    try:
        every = {field.name for field in Submission._meta.fields}
        found.clean_fields(exclude=every - set(CHECKED))
    except ValidationError as error:
        field, messages = next(iter(error.message_dict.items()))
        raise SubmissionRefusedError(" ".join(messages), field) from error
    if about.link and not about.link.startswith(("https://", "http://")):
        raise SubmissionRefusedError("A link begins with https:// or http://.", "link")
    if about.name.casefold() in {name.casefold() for name in scorers.names()}:
        raise SubmissionRefusedError(f"{about.name} is a metric of this installation.", "name")
    own = Q(owner=owner) if owner else Q()
    taken = of_this_name(judgment_set, about.name).filter(own | Q(published_at__isnull=False))
    if taken.exists():
        raise SubmissionRefusedError(
            f"{about.name} is on this board already: withdraw it, or take another name.", "name"
        )
    return found


def of_this_name(judgment_set: JudgmentSet, name: str) -> QuerySet[Submission]:
    """Those that are not withdrawn."""
    found = Submission.objects.filter(judgment_set=judgment_set, name__iexact=name)
    return found.filter(withdrawn_at=None)


def pinned_entry_point(name: str, owner: Any) -> str:
    """What computes the scores of an entry point, in words to hash."""
    if owner is not None and not owner.is_staff:
        raise SubmissionRefusedError(
            "Only researchers may start code that is installed here.", "source"
        )
    try:
        external.load(name)
        return f"entry point {name} {external.version_of(name)}"
    except MetricError as error:
        raise SubmissionRefusedError(to_sentence(error), "source") from error


def check_endpoint(url: str) -> None:
    """Refuse at once an address that would be refused at every call."""
    try:
        resolve(url, settings.OUTGOING_ALLOWED_HOSTS)
    except AddressRefusedError as error:
        raise SubmissionRefusedError(to_sentence(error), "source") from error
