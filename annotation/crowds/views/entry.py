"""The entry page to which a crowd's listing sends its workers."""

from __future__ import annotations

import logging
from http import HTTPStatus
from urllib.parse import urlencode

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.timezone import now
from django.utils.translation import gettext

from annotation.crowds.models import Listing
from annotation.crowds.providers.provider import CrowdError
from annotation.crowds.services import pages, sessions
from annotation.crowds.services.publication_specs import offer_of, provider_of
from annotation.crowds.views import frame
from annotation.rating.services.invitations import InvitedWorker, invited_worker
from annotation.rating.services.languages import set_rater_language
from annotation.rating.services.tokens import token_for
from annotation.rating.views.browsers import remember, remembered
from annotation.rating.views.language import chosen_language, speak_to_visitor
from annotation.rating.views.page_guard import PageError, open_page, readable

logger = logging.getLogger(__name__)


@open_page("GET", rate="joining", policy=frame.policy)
def enter(request: HttpRequest, signed: str) -> HttpResponse:
    """Open the listing as its provider does: in MTurk's frame, or as a session."""
    listing = pages.listing_of(signed)
    speak_to_visitor(request, listing.publication.stage.study)
    if request.method == "HEAD":
        return HttpResponse()
    if provider_of(listing.publication).listing_per_hit:
        return frame.show(request, listing)
    study = listing.publication.stage.study
    if invite := request.GET.get("invite", ""):  # as personal links had it before 0.3.0
        query = urlencode({"invite": invite})
        return redirect(f"{reverse('rating-join', args=[study.slug])}?{query}")
    try:
        person, session_id = _identify(request, listing)
        crowd, is_new = sessions.enter(listing, person, session_id, at=now())
    except CrowdError as error:
        logger.warning("%s: %s", listing.publication, error)
        raise PageError(
            503,
            gettext("This study cannot be opened"),
            gettext(
                "The page that sent you here does not answer. Open the study again in a minute."
            ),
        ) from error
    cookie = f"rater-{crowd.pk}"
    is_unsigned = person.provider.startswith("link")
    is_proven = is_new or not is_unsigned
    if not is_proven and not remembered(request, cookie):
        raise PageError(
            403,
            gettext("This link was opened before"),
            gettext(
                "Go on in the browser in which you began, or at the address of your page. If you "
                "have neither, write to the researcher."
            ),
        )
    set_rater_language(crowd.participation, chosen_language(request))
    response = redirect("rating-home", token_for(crowd.participation))
    response.status_code = HTTPStatus.SEE_OTHER
    if is_unsigned:
        # A panel's ids are not signed: who knows one must not open the page of that person.
        remember(response, cookie)
    return response


def _identify(request: HttpRequest, listing: Listing) -> tuple[InvitedWorker, str | None]:
    """The worker in the link, or of the account, and the session; None if the provider has no
    sessions."""
    publication = listing.publication
    namespace = provider_of(publication).id_namespace
    if publication.provider == "prolific":
        worker = InvitedWorker(namespace, _parameter(request, "PROLIFIC_PID"))
        return worker, _parameter(request, "SESSION_ID")
    worker_id = _parameter(request, offer_of(publication).id_parameter)
    user = getattr(request, "user", AnonymousUser())
    if not worker_id and user.is_authenticated:
        return invited_worker(publication.stage.study, user.get_username()), None
    return InvitedWorker(namespace, worker_id), None


def _parameter(request: HttpRequest, name: str) -> str:
    return readable(request.GET.get(name, "")).strip()
