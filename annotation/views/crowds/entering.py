"""Where a crowd's listing sends its workers."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from annotation.services.crowds import pages
from annotation.services.crowds.orders import provider_of
from annotation.views.crowds import frame
from annotation.views.rating.door import open_page


@open_page("GET", policy=frame.policy)
def enter(request: HttpRequest, signed: str) -> HttpResponse:
    """By the way of the listing's provider: its frame, or a session of its own."""
    listing = pages.listing_of(signed)
    if provider_of(listing.publication).listing_per_hit:
        return frame.show(request, listing)
    raise NotImplementedError
