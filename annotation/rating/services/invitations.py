"""Links that let people in: a worker's invitation to a study, a look at its pages without one.

Both are signed with the installation's secret. An invitation says who the worker is and from
where, so that nobody can come in under another's name or mark their ratings as simulated; it says
so to us alone, since links are passed on.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.core import signing

from annotation.identities.sealing import Sealed, SealError
from annotation.rating.services.tokens import TokenError
from annotation.studies.models import Study

INVITATION_SALT = "annotation.invitation"
PREVIEW_SALT = "annotation.preview"
VALID_SECONDS = 60 * 60 * 24 * 60
WORKER_ID_CHARS = 200


@dataclass(frozen=True)
class Invitation:
    """Who is invited. `provider` and `worker_id` name a worker as `participation.join` does."""

    provider: str
    worker_id: str
    simulated: bool = False


def signed_invitation(study: Study, invitation: Invitation) -> str:
    """What stands after `?invite=` in a link to the study's `rating-join` address."""
    sealed = Sealed.of(invitation.worker_id).token
    content = [study.pk, invitation.provider, sealed, invitation.simulated]
    return signing.dumps(content, salt=INVITATION_SALT, compress=True)


def read_invitation(study: Study, signed: str) -> Invitation:
    """The invitation to this study that `signed_invitation` wrote. Raises TokenError."""
    content = _loads(signed, INVITATION_SALT)
    match content:
        case [int(pk), str(provider), str(sealed), bool(simulated)] if pk == study.pk:
            return Invitation(provider, _opened(sealed), simulated)
    raise TokenError("This invitation is to another study. Open the link you were given for it.")


def signed_preview(study: Study) -> str:
    """What stands after `?key=` in a link to the study's `rating-preview` address."""
    return signing.dumps(study.pk, salt=PREVIEW_SALT)


def check_preview(study: Study, signed: str) -> None:
    """Raises TokenError unless `signed_preview` wrote it for this study."""
    if _loads(signed, PREVIEW_SALT) != study.pk:
        raise TokenError("This preview is of another study. Open the link you were given for it.")


def _opened(sealed: str) -> str:
    try:
        return Sealed(sealed).open()
    except SealError as error:  # of another installation's key, or one that was taken away
        raise TokenError("This link is too old. Ask the researcher for a new one.") from error


def _loads(signed: str, salt: str) -> object:
    try:
        content: object = signing.loads(signed, salt=salt, max_age=VALID_SECONDS)
    except signing.SignatureExpired as error:
        raise TokenError("This link is too old. Ask the researcher for a new one.") from error
    except (signing.BadSignature, ValueError) as error:
        raise TokenError(
            "This link is not complete. Copy the whole link, or ask the researcher for a new one."
        ) from error
    return content
