"""Whether a publication's queued calls reach their platform, for the messages that report them."""

from __future__ import annotations

from annotation.crowds.models import Publication
from annotation.crowds.services.publication_specs import provider_of


def obstacle(publication: Publication) -> str:
    """Why no call is made now, and what to do; empty where background workers make the calls."""
    provider = provider_of(publication)
    if missing := provider.missing_credentials():
        return (
            f"This site has no credentials for {provider.title}. An administrator enters them on "
            f"the page Crowd accounts, or sets {', '.join(missing)} in the environment of the site "
            "and its workers and starts them again. Then press Retry on the page Crowd."
        )
    if publication.problem:
        return f"Calls to the platform are paused: {publication.problem}"
    return ""


def report(publication: Publication, queued: str) -> tuple[str, bool]:
    """The message after calls were queued, and whether they can be made now.

    `queued` says what was queued; that it was sent is known only when the platform has answered.
    """
    reason = obstacle(publication)
    if reason:
        return f"{queued} Nothing was sent to the platform. {reason}", False
    work = "send this to the platform" if provider_of(publication).pays else "do this"
    return f"{queued} Background workers {work}; Crowd shows the progress.", True
