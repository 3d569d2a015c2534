"""Signed tokens in URLs. Without cookies the rating pages work in another site's frame.

A participation token identifies the worker. It comes from the invitation or from the provider's
parameters, is signed with the installation's secret, and names a row, never a person.
"""

from __future__ import annotations

from django.core import signing
from django.db.models import QuerySet
from django.utils.translation import gettext, gettext_lazy

from annotation.rating.models import Participation
from core.compiled_queries import CompiledQuery, Parameter
from core.refusals import RefusedError

SALT = "annotation.participation"
VALID_SECONDS = 60 * 60 * 24 * 60
DELETED = gettext_lazy("This study was deleted. You do not need to do anything else.")
ERASED = gettext_lazy("Your data was removed from this study. You do not need to do anything else.")


def token_for(participation: Participation) -> str:
    """The token in a worker's URLs."""
    return signing.dumps(participation.pk, salt=SALT, compress=True)


def signed_key(token: str) -> int:
    """The primary key in a token; the participation may have been deleted.

    Raises signing.BadSignature, or ValueError.
    """
    return int(signing.loads(token, salt=SALT, max_age=VALID_SECONDS))


@CompiledQuery
def _participations() -> QuerySet[Participation]:
    return Participation.objects.select_related("study", "worker").filter(pk=Parameter("pk"))


def participation_of(token: str) -> Participation:
    """The participation of a token. Raises RefusedError, also after a deletion."""
    try:
        participation = _participations.get(pk=signed_key(token))
    except signing.SignatureExpired as error:
        raise RefusedError(
            gettext("This link is too old. Open your invitation to the study again."),
            "link-refused",
        ) from error
    except (signing.BadSignature, Participation.DoesNotExist, ValueError, TypeError) as error:
        raise RefusedError(
            gettext(
                "This link is not complete. Copy the whole link, or open the invitation again."
            ),
            "link-refused",
        ) from error
    if participation.study.deleted_at is not None:
        raise RefusedError(DELETED, "link-refused")
    if participation.worker.erased_at is not None:
        raise RefusedError(ERASED, "link-refused")
    return participation
