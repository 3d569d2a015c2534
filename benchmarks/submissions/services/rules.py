"""Rules of submissions: limits, names, entry points and endpoints."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import numpy as np
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, Q, QuerySet
from numpy.typing import NDArray

import scorers
from benchmarks.runs.external import metrics as external
from benchmarks.runs.models import Submission
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access, hidden
from concord.bounds import REQUIRED, choice, text
from concord.meta.influence import largest_share
from concord.sentences import to_sentence
from core.accounts.roles import Role
from core.column_bounds import max_length
from core.refusals import RefusedError
from core.security.outgoing.addresses import AddressRefusedError, resolve
from scorers import MetricError

DAY = timedelta(hours=24)
# Of the variance of a submission's scores: the most that one candidate may make up.
MAX_SHARE = 0.1
VALIDATED_FIELDS = ("name", "link", "authors", "note", "source")


@dataclass(frozen=True)
class SubmissionInfo:
    """Name, direction and description of a submitted metric."""

    name: str = field(
        metadata=text(
            max_length(Submission, "name"),
            required=REQUIRED,
            help="The name on the board: letters, digits, spaces and . + @ # & - only.",
        )
    )
    higher_is_better: bool = True
    link: str = field(
        default="",
        metadata=text(
            max_length(Submission, "link"), format="url", help="A paper, code or model card."
        ),
    )
    authors: str = field(default="", metadata=text(max_length(Submission, "authors")))
    note: str = field(
        default="",
        metadata=text(
            max_length(Submission, "note"),
            multiline=True,
            help="What others need to know: the method, the model, the settings.",
        ),
    )


@dataclass(frozen=True, kw_only=True)
class NewSubmission(SubmissionInfo):
    """A metric: a file of scores or of a judge's answers, an installed entry point, or an
    endpoint."""

    kind: str = field(metadata=choice(map(str, Submission.SUBMITTED)))
    source: str = field(
        default="",
        metadata=text(
            max_length(Submission, "source"),
            required=REQUIRED,
            label="Address",
            help="For the other kinds: the entry point's name or the endpoint's URL.",
        ),
    )


def remaining_today(judgment_set: JudgmentSet, owner: User | None, *, at: datetime) -> int | None:
    """The number of further submissions that the user may make to the set now, in any version.

    None means no limit: the set's editors see all labels anyway. Withdrawn submissions count.
    """
    if not _is_limited(judgment_set, owner):
        return None
    n_recent = _recent(judgment_set, owner, at).count()
    left = max(0, settings.SUBMISSIONS_PER_DAY - n_recent)
    in_all = remaining_in_all(judgment_set, owner)
    return left if in_all is None else min(left, in_all)


def remaining_in_all(judgment_set: JudgmentSet, owner: User | None) -> int | None:
    """The number of further submissions that the user may ever make to a set with hidden labels.

    Those of all versions count, also withdrawn ones, and those that earlier releases carried over
    and gave other scores. None means no limit.
    """
    if not _is_limited(judgment_set, owner) or not hidden.hidden_splits(judgment_set):
        return None
    is_new = Q(carried_from=None) | ~Q(carried_from__digest=F("digest"))
    n_submitted = _own(judgment_set, owner).filter(is_new).count()
    return max(0, settings.SUBMISSIONS_PER_HIDDEN_SET - n_submitted)


def check_limit(judgment_set: JudgmentSet, owner: User | None, at: datetime) -> None:
    """Raises RefusedError if a limit is reached; of the daily limit, with the time of the
    next submission."""
    if remaining_in_all(judgment_set, owner) == 0:
        raise RefusedError(
            f"You have submitted {settings.SUBMISSIONS_PER_HIDDEN_SET} times to "
            f"{judgment_set.name}, whose labels are hidden. That is the maximum for all time, as "
            "every submission reveals something about the labels.",
            "submission-refused",
        )
    if remaining_today(judgment_set, owner, at=at) == 0:
        oldest = _recent(judgment_set, owner, at).order_by("created_at")
        next_at = oldest.values_list("created_at", flat=True)[0] + DAY
        raise RefusedError(
            f"You have submitted {settings.SUBMISSIONS_PER_DAY} times to {judgment_set.name} in "
            f"24 hours, which is the maximum. You can submit again at {next_at:%H:%M} UTC on "
            f"{next_at:%d %B}.",
            "submission-refused",
        )


def check_spread(
    judgment_set: JudgmentSet, owner: User | None, scores: NDArray[np.float64]
) -> None:
    """Raises RefusedError for scores that differ in few candidates only, by which the
    labels of these could be asked for. Hidden labels play no part, so that a refusal tells nothing.

    scores: (n_items,), NaN where there is none.
    """
    if remaining_in_all(judgment_set, owner) is None:
        return
    of_candidates = scores[: judgment_set.n_candidates]
    of_candidates = of_candidates[np.isfinite(of_candidates)]
    if (
        len(of_candidates) >= settings.MIN_HIDDEN_LABELS
        and largest_share(of_candidates) > MAX_SHARE
    ):
        raise RefusedError(
            "The scores are almost constant: one candidate makes up more than a tenth of their "
            "variance. Labels of this set are hidden, and such scores would reveal single ones.",
            "submission-refused",
            "scores",
        )


def _is_limited(judgment_set: JudgmentSet, owner: User | None) -> bool:
    return owner is not None and not access.allows(owner, judgment_set.name, Role.EDITOR)


def _own(judgment_set: JudgmentSet, owner: User | None) -> QuerySet[Submission]:
    return Submission.objects.filter(owner=owner, judgment_set__name=judgment_set.name)


def _recent(judgment_set: JudgmentSet, owner: User | None, at: datetime) -> QuerySet[Submission]:
    return _own(judgment_set, owner).filter(created_at__gt=at - DAY, carried_from=None)


@contextmanager
def enforce_limit(judgment_set: JudgmentSet, owner: User | None, at: datetime) -> Iterator[None]:
    """A transaction that enforces the limits against concurrent requests of the owner."""
    with transaction.atomic():
        if owner is not None:
            get_user_model().objects.select_for_update().get(pk=owner.pk)
        check_limit(judgment_set, owner, at)
        yield


def new_submission(
    judgment_set: JudgmentSet,
    info: SubmissionInfo,
    kind: str,
    source: str,
    owner: User | None,
    at: datetime,
) -> Submission:
    """A valid submission that is not saved. Raises RefusedError."""
    submission = Submission(
        judgment_set=judgment_set,
        owner=owner,
        kind=kind,
        name=info.name,
        link=info.link,
        authors=info.authors,
        note=info.note,
        higher_is_better=info.higher_is_better,
        source=source,
        created_at=at,
        published_at=None if owner else at,
    )
    try:
        names = {field.name for field in Submission._meta.fields}
        submission.clean_fields(exclude=names - set(VALIDATED_FIELDS))
    except ValidationError as error:
        field, messages = next(iter(error.message_dict.items()))
        raise RefusedError(" ".join(messages), "submission-refused", field) from error
    if info.link and not info.link.startswith(("https://", "http://")):
        raise RefusedError(
            "A link must begin with https:// or http://.", "submission-refused", "link"
        )
    if info.name.casefold() in {name.casefold() for name in scorers.names()}:
        raise RefusedError(
            f"{info.name} is a metric of this installation.", "submission-refused", "name"
        )
    own = Q(owner=owner) if owner else Q()
    same_name = active_with_name(judgment_set, info.name)
    if same_name.filter(own | Q(published_at__isnull=False)).exists():
        raise RefusedError(
            f"{info.name} is on this board already. Withdraw it, or choose another name.",
            "submission-refused",
            "name",
        )
    return submission


def active_with_name(judgment_set: JudgmentSet, name: str) -> QuerySet[Submission]:
    """The submissions with this name, in any case, that are not withdrawn."""
    return Submission.objects.filter(
        judgment_set=judgment_set, name__iexact=name, withdrawn_at=None
    )


def describe_entry_point(name: str, owner: User | None) -> str:
    """The entry point's name and version, to be hashed. Raises RefusedError."""
    if owner is not None and not owner.is_staff:
        raise RefusedError(
            "Only researchers may submit an entry point.", "submission-refused", "source"
        )
    try:
        external.load(name)
        return f"entry point {name} {external.entry_point_version(name)}"
    except MetricError as error:
        raise RefusedError(to_sentence(error), "submission-refused", "source") from error


def check_endpoint(url: str) -> None:
    """Raises RefusedError for a URL that every call would refuse."""
    try:
        resolve(url, settings.OUTGOING_ALLOWED_HOSTS)
    except AddressRefusedError as error:
        raise RefusedError(to_sentence(error), "submission-refused", "source") from error
