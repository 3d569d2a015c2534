"""Signed links: a worker's invitation to a study, and the preview of its pages.

Both are signed with the installation's secret. An invitation contains the worker's id and provider,
so that nobody can enter under another name or mark ratings as simulated. The id is sealed, because
links are passed on.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.core import signing
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from annotation.identities.sealing import IdentitySealError, Sealed
from annotation.rating.models import Worker
from annotation.studies.models import Study
from core import audit
from core.refusals import RefusedError

INVITATION_SALT = "annotation.invitation"
PREVIEW_SALT = "annotation.preview"
VALID_SECONDS = 60 * 60 * 24 * 60
WORKER_ID_CHARS = 200
# The provider of workers whose signed links were made on the study's page. No unsigned link names
# it, so that nobody can join as one of them by writing their id into an address.
INVITED = "invitation"
# The provider of those who came by their account, or were invited on the page Crowd before 0.3.0.
LOCAL = "local"
TOO_OLD = gettext_lazy("This link is too old. Ask the researcher for a new one.")


@dataclass(frozen=True)
class InvitedWorker:
    """The invited worker. `provider` and `worker_id` identify the worker as in
    `participation.join`."""

    provider: str
    worker_id: str
    simulated: bool = False


def signed_invitation(study: Study, invitation: InvitedWorker) -> str:
    """The value of `?invite=` in a link to the study's `rating-join` page."""
    sealed = Sealed.of(invitation.worker_id).token
    content = [study.pk, invitation.provider, sealed, invitation.simulated]
    return signing.dumps(content, salt=INVITATION_SALT, compress=True)


def invited_worker(study: Study, worker_id: str) -> InvitedWorker:
    """The person of this name, who is the same by a personal link and by an account."""
    is_local = Worker.objects.known_as(LOCAL, worker_id).filter(study=study).exists()
    return InvitedWorker(LOCAL if is_local else INVITED, worker_id)


def join_path(study: Study, worker_id: str) -> str:
    """The path of the signed link by which one worker joins. The worker's page is always the
    same."""
    signed = signed_invitation(study, invited_worker(study, worker_id))
    return f"{reverse('rating-join', args=[study.slug])}?invite={signed}"


def set_signed_links_only(study: Study, value: bool) -> None:
    """Change whether raters join only by signed links. Those who joined keep their pages."""
    with transaction.atomic():
        row = Study.objects.select_for_update().get(pk=study.pk)
        if row.signed_links_only != value:
            row.signed_links_only = value
            row.save(update_fields=["signed_links_only"])
            changed = {"signed_links_only": value}
            audit.record(None, "study.joining changed", row, after=changed, study=row)


def read_invitation(study: Study, signed: str) -> InvitedWorker:
    """Read an invitation to this study written by `signed_invitation`. Raises RefusedError."""
    content = _loads(signed, INVITATION_SALT)
    match content:
        case [int(pk), str(provider), str(sealed), bool(simulated)] if pk == study.pk:
            return InvitedWorker(provider, _open(sealed), simulated)
    raise RefusedError(
        gettext("This invitation is for another study. Open the link of that study."),
        "link-refused",
    )


def signed_preview(study: Study) -> str:
    """The value of `?key=` in a link to the study's `rating-preview` page."""
    return signing.dumps(study.pk, salt=PREVIEW_SALT)


def check_preview(study: Study, signed: str) -> None:
    """Raises RefusedError unless `signed_preview` wrote it for this study."""
    if _loads(signed, PREVIEW_SALT) != study.pk:
        raise RefusedError(
            gettext("This preview link is for another study. Open the link of that study."),
            "link-refused",
        )


def _open(sealed: str) -> str:
    try:
        return Sealed(sealed).open()
    except (
        IdentitySealError
    ) as error:  # sealed with another installation's key, or with a key that was removed
        raise RefusedError(TOO_OLD, "link-refused") from error


def _loads(signed: str, salt: str) -> object:
    try:
        content: object = signing.loads(signed, salt=salt, max_age=VALID_SECONDS)
    except signing.SignatureExpired as error:
        raise RefusedError(TOO_OLD, "link-refused") from error
    except (signing.BadSignature, ValueError) as error:
        raise RefusedError(
            gettext(
                "This link is not complete. Copy the whole link, or ask the researcher for a new "
                "one."
            ),
            "link-refused",
        ) from error
    return content
