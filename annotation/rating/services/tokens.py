"""Signed tokens in addresses: a rating page needs no cookie, so it works in another site's frame.

A participation token says which worker is at the page; it comes from the invitation or from the
provider's own parameters. It is signed with the installation's secret and cannot be made up or
changed; it names a row, never a person.
"""

from __future__ import annotations

from django.core import signing

from annotation.rating.models import Participation

SALT = "annotation.participation"
VALID_SECONDS = 60 * 60 * 24 * 60
ERASED = "You were removed from this study, and nothing more is asked of you."


class TokenError(ValueError):
    """A token that is not ours, was changed, or is too old; the message is for the worker."""


def token_for(participation: Participation) -> str:
    """The token that a worker's addresses carry."""
    return signing.dumps(participation.pk, salt=SALT, compress=True)


def participation_of(token: str) -> Participation:
    """The participation a token names. Raises TokenError, also when its worker was erased."""
    try:
        pk = signing.loads(token, salt=SALT, max_age=VALID_SECONDS)
        participation = Participation.objects.select_related("study", "worker").get(pk=pk)
    except signing.SignatureExpired as error:
        raise TokenError("This link is too old. Open the study's invitation again.") from error
    except (signing.BadSignature, Participation.DoesNotExist, ValueError, TypeError) as error:
        raise TokenError(
            "This link is not complete. Copy the whole link, or open the invitation again."
        ) from error
    if participation.worker.erased_at is not None:
        raise TokenError(ERASED)
    return participation
