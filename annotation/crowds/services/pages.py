"""Links to listings and assignments, and texts of candidates for a platform's own pages."""

from __future__ import annotations

from django.core import signing
from django.urls import reverse
from django.utils.translation import gettext_lazy

from annotation.crowds.models import CrowdAssignment, Listing
from annotation.rating.services.tokens import DELETED
from annotation.studies.models import StudyCandidate
from concord.documents.conversation import transcript
from concord.protocols.pairing import shown_order
from core.refusals import RefusedError

# A platform's page is the same for every worker: which compared candidate it shows first is drawn
# for each pair by this seed.
PAGE_SEED = 0
LISTING_SALT = "annotation.crowds.providers.listing"
ASSIGNMENT_SALT = "annotation.crowds.providers.assignment"
INVALID_LINK = gettext_lazy(
    "This link is invalid or was changed. Go back to the page that sent you here and open the task "
    "from there."
)


def url_of(listing: Listing) -> str:
    """The signed link of a listing.

    The signature prevents access to other listings' tasks. The link contains no time, because a
    listing may exist for a year and must not change when it is sent again.
    """
    signed = signing.Signer(salt=LISTING_SALT).sign(str(listing.pk))
    return listing.publication.site.rstrip("/") + reverse("crowd-enter", args=[signed])


def listing_of(signed: str) -> Listing:
    """The listing of a link made by `url_of`. Raises RefusedError."""
    try:
        pk = int(signing.Signer(salt=LISTING_SALT).unsign(signed))
    except (signing.BadSignature, ValueError) as error:
        raise RefusedError(INVALID_LINK, "link-refused") from error
    listing = (
        Listing.objects.select_related("publication__stage__study", "hit").filter(pk=pk).first()
    )
    if listing is None:
        raise RefusedError(INVALID_LINK, "link-refused")
    if listing.publication.stage.study.deleted_at is not None:
        raise RefusedError(DELETED, "link-refused")
    return listing


def token_for(crowd: CrowdAssignment, submit_to: str) -> str:
    """The token of the pages on which a worker rates one assignment.

    It contains the URL to which the browser submits, which was checked on entry.
    """
    return signing.Signer(salt=ASSIGNMENT_SALT).sign_object([crowd.pk, submit_to])


def signed_key(token: str) -> tuple[int, str]:
    """What `token_for` signed: the assignment's primary key, and the URL to which to submit it.

    Raises signing.BadSignature, ValueError or TypeError.
    """
    pk, submit_to = signing.Signer(salt=ASSIGNMENT_SALT).unsign_object(token)
    return int(pk), str(submit_to)


def crowd_assignment_of(token: str) -> tuple[CrowdAssignment, str]:
    """The assignment of a token, and the URL to which to submit it. Raises RefusedError."""
    try:
        pk, submit_to = signed_key(token)
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise RefusedError(INVALID_LINK, "link-refused") from error
    rows = CrowdAssignment.objects.select_related(
        "publication__stage__study",
        "listing",
        "participation__study",
        "participation__worker",
        "assignment__hit__stage__study",
        "assignment__protocol_version",
        "assignment__worker",
    )
    crowd = rows.filter(pk=pk).first()
    if crowd is None:
        raise RefusedError(INVALID_LINK, "link-refused")
    if crowd.participation.study.deleted_at is not None:
        raise RefusedError(DELETED, "link-refused")
    return crowd, submit_to


def shown_parts(candidate: StudyCandidate) -> tuple[list[int], list[str]]:
    """The numbers and the texts of the compared candidates, in the order of a platform's page. Both
    are empty for a single candidate."""
    parts = [part.candidate.text for part in candidate.parts.all()]
    order = shown_order(len(parts), PAGE_SEED, candidate.pk) if parts else []
    return order, [parts[at - 1] for at in order]


def plain_texts(candidate: StudyCandidate) -> tuple[str, str]:
    """The question, or the turns to which it replies, and the text of a single candidate, for pages
    that show texts without structure."""
    instance = candidate.instance
    if instance.rated_turns:
        return "", transcript(instance.rated_turns)
    return transcript(instance.replied_turns) or instance.question, candidate.text
