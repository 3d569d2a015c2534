"""Where a listing sends its workers, and the page that needs no server."""

from __future__ import annotations

import base64
import hashlib
import hmac

from django.conf import settings
from django.core import signing
from django.template.loader import render_to_string
from django.urls import reverse

from annotation.crowds.models import CrowdAssignment, Listing, Publication
from annotation.markdown import render
from annotation.rating.models import Hit
from annotation.rating.services.completion import CODE_CHARS
from annotation.rating.services.tokens import TokenError
from annotation.studies.models import StudyCandidate

LISTING_SALT = "annotation.crowds.providers.listing"
ASSIGNMENT_SALT = "annotation.crowds.providers.assignment"
NOT_OURS = (
    "This address is not one of ours, or was changed. Go back to the page that sent you here and "
    "open the task from there."
)


def url_of(listing: Listing) -> str:
    """The address in a listing: signed, so that nobody can ask for another one's tasks; without
    a time, since a listing may stay for a year and must be the same when it is sent again."""
    signed = signing.Signer(salt=LISTING_SALT).sign(str(listing.pk))
    return listing.publication.site.rstrip("/") + reverse("crowd-enter", args=[signed])


def listing_of(signed: str) -> Listing:
    """The listing that `url_of` named. Raises TokenError."""
    try:
        pk = int(signing.Signer(salt=LISTING_SALT).unsign(signed))
    except (signing.BadSignature, ValueError) as error:
        raise TokenError(NOT_OURS) from error
    found = Listing.objects.select_related("publication__stage__study", "hit").filter(pk=pk).first()
    if found is None:
        raise TokenError(NOT_OURS)
    return found


def code_of(publication: Publication) -> str:
    """The completion code of a platform that has one for all: nobody outside can make it."""
    key = f"concord crowd code {settings.SECRET_KEY}".encode()
    digest = hmac.new(key, publication.uid.encode(), hashlib.sha256).digest()
    return base64.b32encode(digest).decode()[:CODE_CHARS]


def token_for(crowd: CrowdAssignment, submit_to: str) -> str:
    """The credential of the pages on which a crowd's worker rates one assignment, and where their
    browser will send it: checked once, at the door."""
    return signing.Signer(salt=ASSIGNMENT_SALT).sign_object([crowd.pk, submit_to])


def crowd_assignment_of(token: str) -> tuple[CrowdAssignment, str]:
    """The assignment that a token names, and where to submit it. Raises TokenError."""
    try:
        pk, submit_to = signing.Signer(salt=ASSIGNMENT_SALT).unsign_object(token)
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise TokenError(NOT_OURS) from error
    rows = CrowdAssignment.objects.select_related(
        "publication__stage__study",
        "listing",
        "participation__study",
        "participation__worker",
        "assignment__hit__stage__study",
        "assignment__protocol_version",
        "assignment__worker",
    )
    found = rows.filter(pk=pk).first()
    if found is None:
        raise TokenError(NOT_OURS)
    return found, str(submit_to)


def page_of(listing: Listing) -> str:
    """The rating page of a listing's HIT, whole in itself: styles and script inside."""
    assert listing.hit is not None
    return page_of_hit(listing.hit)


def page_of_hit(hit: Hit) -> str:
    protocol = hit.stage.study.current.protocol
    members = hit.members.order_by("position").select_related("candidate__instance")
    shown = {
        "study": hit.stage.study,
        "protocol": protocol,
        "instructions": render(protocol.instructions),
        "examples": render(protocol.examples),
        "consent": render(protocol.consent),
        "groups": _groups([m.candidate for m in members]),
        "total": len(members),
    }
    return render_to_string("annotation/crowds/html_question.html", shown)


def _groups(candidates: list[StudyCandidate]) -> list[tuple[str, list[StudyCandidate]]]:
    found: dict[str, list[StudyCandidate]] = {}
    for candidate in candidates:
        found.setdefault(candidate.instance.passage_key, []).append(candidate)
    return [(rows[0].instance.passage.strip(), rows) for rows in found.values()]
