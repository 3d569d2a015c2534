"""The provider's worker sites, which may frame our pages and receive our workers' forms."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.utils.translation import gettext

from annotation.crowds.models import Publication
from annotation.crowds.providers.mturk.client import PRODUCTION, SANDBOX
from annotation.crowds.services.publication_specs import offer_of
from core.refusals import RefusedError

WORKER_SITES = {
    SANDBOX: ["https://workersandbox.mturk.com"],
    PRODUCTION: ["https://www.mturk.com", "https://worker.mturk.com"],
}
# For error pages whose publication is unknown: they are shown in the frame too.
ALL_SITES = sorted({site for sites in WORKER_SITES.values() for site in sites})
SUBMIT = "/mturk/externalSubmit"


def worker_sites(publication: Publication) -> list[str]:
    """The origins of the provider's worker pages."""
    if publication.provider != "mturk":
        return []
    sites = WORKER_SITES.get(publication.environment)
    if sites is not None:
        return sites
    return [origin(offer_of(publication).worker_origin or publication.environment)]


def submit_address(publication: Publication, address: str) -> str:
    """The URL to which the worker's browser posts its form.

    `address` is the value of `turkSubmitTo`: a host with or without a slash, or the whole URL.
    Raises RefusedError if the host is not the provider's.
    """
    parts = urlsplit(address.strip())
    if origin(address) not in worker_sites(publication):
        raise RefusedError(
            gettext(
                "This link would send your work to a site that is not the platform's. Go back and "
                "open the task again."
            ),
            "arrival-refused",
        )
    path = parts.path.rstrip("/")
    return origin(address) + (path if path.endswith(SUBMIT) else path + SUBMIT)


def origin(address: str) -> str:
    """`https://host:port` of a URL; empty if it has none."""
    parts = urlsplit(address.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        return ""
    return f"{parts.scheme}://{parts.netloc.lower()}"
