"""Which sites of a provider may show our pages in a frame, and take our workers' forms."""

from __future__ import annotations

from urllib.parse import urlsplit

from annotation.crowds.models import Publication
from annotation.crowds.providers.mturk.client import PRODUCTION, SANDBOX
from annotation.crowds.services.arrivals import ArrivalRefusedError
from annotation.crowds.services.orders import offer_of

WORKER_SITES = {
    SANDBOX: ["https://workersandbox.mturk.com"],
    PRODUCTION: ["https://www.mturk.com", "https://worker.mturk.com"],
}
# For pages that cannot tell whose they are: what was wrong with an address is told in the frame.
ALL_SITES = sorted({site for sites in WORKER_SITES.values() for site in sites})
SUBMIT = "/mturk/externalSubmit"


def worker_sites(publication: Publication) -> list[str]:
    """The origins of the provider's worker pages."""
    if publication.provider != "mturk":
        return []
    known = WORKER_SITES.get(publication.place)
    if known is not None:
        return known
    return [origin(offer_of(publication).worker_origin or publication.place)]


def submit_address(publication: Publication, given: str) -> str:
    """Where the worker's browser posts its form: `turkSubmitTo` is a host, with or without a
    slash, or the whole address. Raises ArrivalRefusedError for a host that is not the provider's.
    """
    parts = urlsplit(given.strip())
    if origin(given) not in worker_sites(publication):
        raise ArrivalRefusedError(
            "The address says to send your work to a site that is not the platform's. Go back and "
            "open the task again."
        )
    path = parts.path.rstrip("/")
    return origin(given) + (path if path.endswith(SUBMIT) else path + SUBMIT)


def origin(address: str) -> str:
    """`https://host:port` of an address; empty where it is none."""
    parts = urlsplit(address.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        return ""
    return f"{parts.scheme}://{parts.netloc.lower()}"
