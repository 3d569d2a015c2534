"""Where a crowd's listing sends its workers."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.timezone import now

from annotation.crowds.models import Listing
from annotation.crowds.services import pages, sessions
from annotation.crowds.services.arrivals import ArrivalRefusedError
from annotation.crowds.services.orders import offer_of, provider_of
from annotation.crowds.views import frame
from annotation.rating.services.invitations import read_invitation
from annotation.rating.services.tokens import token_for
from annotation.rating.views.door import PageError, open_page, readable


@open_page("GET", policy=frame.policy)
def enter(request: HttpRequest, signed: str) -> HttpResponse:
    """By the way of the listing's provider: its frame, or a session of its own."""
    listing = pages.listing_of(signed)
    if provider_of(listing.publication).listing_per_hit:
        return frame.show(request, listing)
    if request.method == "HEAD":
        return HttpResponse()
    try:
        worker_id, session_id = _who(request, listing)
        crowd = sessions.enter(listing, worker_id, session_id, at=now())
    except ArrivalRefusedError as error:
        raise PageError(409, "This study cannot be opened", str(error)) from error
    response = redirect("rating-home", token_for(crowd.participation))
    response.status_code = HTTPStatus.SEE_OTHER
    return response


def _who(request: HttpRequest, listing: Listing) -> tuple[str, str | None]:
    """The worker's id and the session's, as the provider's address gives them; None where it has
    no sessions."""
    publication = listing.publication
    if publication.provider == "prolific":
        return _given(request, "PROLIFIC_PID"), _given(request, "SESSION_ID")
    if publication.provider == "local":
        return _invited(request, listing), None
    return _given(request, offer_of(publication).id_parameter), None


def _invited(request: HttpRequest, listing: Listing) -> str:
    """The name in the invitation, or of the account that is signed in. Raises TokenError."""
    if signed := request.GET.get("invite", ""):
        return read_invitation(listing.publication.stage.study, signed).worker_id
    user = getattr(request, "user", AnonymousUser())
    if not user.is_authenticated:
        raise ArrivalRefusedError("Open the link that you were sent, or sign in first.")
    return str(user.get_username())


def _given(request: HttpRequest, name: str) -> str:
    return readable(request.GET.get(name, "")).strip()
