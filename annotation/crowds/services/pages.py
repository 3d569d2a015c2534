"""Links to listings and assignments, and the self-contained rating page."""

from __future__ import annotations

from dataclasses import dataclass

from django.core import signing
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext_lazy

from annotation.crowds.models import CrowdAssignment, Listing
from annotation.markdown import render
from annotation.rating.models import Hit
from annotation.rating.services.hit_members import members
from annotation.rating.services.main_choices import ScaleChoice, choices, place_names
from annotation.rating.services.questions import CriterionQuestion, questions_for
from annotation.rating.services.tokens import DELETED, TokenError
from annotation.studies.models import StudyCandidate
from concord.documents.conversation import transcript
from concord.protocols import Protocol
from concord.protocols.pairing import shown_order

# A page that is made in advance is the same for every worker: which compared candidate it shows
# first is drawn for each pair by this seed, which the assignments of its submissions have.
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
    """The listing of a link made by `url_of`. Raises TokenError."""
    try:
        pk = int(signing.Signer(salt=LISTING_SALT).unsign(signed))
    except (signing.BadSignature, ValueError) as error:
        raise TokenError(INVALID_LINK) from error
    listing = (
        Listing.objects.select_related("publication__stage__study", "hit").filter(pk=pk).first()
    )
    if listing is None:
        raise TokenError(INVALID_LINK)
    if listing.publication.stage.study.deleted_at is not None:
        raise TokenError(DELETED)
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
    """The assignment of a token, and the URL to which to submit it. Raises TokenError."""
    try:
        pk, submit_to = signed_key(token)
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise TokenError(INVALID_LINK) from error
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
        raise TokenError(INVALID_LINK)
    if crowd.participation.study.deleted_at is not None:
        raise TokenError(DELETED)
    return crowd, submit_to


def page_of(listing: Listing) -> str:
    """The self-contained rating page of a listing's HIT, with inline styles and script."""
    assert listing.hit is not None
    return page_of_hit(listing.hit)


def page_of_hit(hit: Hit) -> str:
    """The page of a HIT, in the study's language: no request says what the browser's is."""
    protocol = hit.stage.study.current.protocol
    candidates = members(hit.pk)
    with translation.override(hit.stage.study.rater_language or "en"):
        context = {
            "study": hit.stage.study,
            "protocol": protocol,
            "instructions": render(protocol.instructions),
            "examples": render(protocol.examples),
            "consent": render(protocol.consent),
            "groups": _groups(protocol, candidates),
            "total": len(candidates),
        }
        return render_to_string("annotation/crowds/html_question.html", context)


@dataclass(frozen=True)
class PageCandidate:
    """The `number`-th candidate of a page, with the criteria's questions.

    choices: the points of the scale; empty for a slider. compared: the names of the places and the
    texts of compared candidates in the order in which they are shown; empty for one candidate.
    """

    number: int
    candidate: StudyCandidate
    questions: list[CriterionQuestion]
    choices: list[ScaleChoice]
    compared: list[tuple[str, str]]

    @property
    def field(self) -> str:
        """The name of the main question's field."""
        return f"rating-{self.candidate.pk}"


def shown_parts(candidate: StudyCandidate) -> tuple[list[int], list[str]]:
    """The numbers and the texts of the compared candidates, in the order of a page that is made in
    advance. Both are empty for a single candidate."""
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


def _groups(protocol: Protocol, candidates: list[StudyCandidate]) -> list[list[PageCandidate]]:
    """The candidates by their passages."""
    by_passage: dict[str, list[PageCandidate]] = {}
    names = place_names(protocol)
    for number, candidate in enumerate(candidates, start=1):
        shown, texts = shown_parts(candidate)
        questions = questions_for(
            protocol, candidate.pk, main_field="rating", text=candidate.text, shown=shown
        )
        compared = list(zip(names, texts, strict=False))
        item = PageCandidate(number, candidate, questions, choices(protocol, shown), compared)
        by_passage.setdefault(candidate.instance.passage_key, []).append(item)
    return list(by_passage.values())
