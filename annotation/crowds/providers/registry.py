"""Registry of crowd providers."""

from __future__ import annotations

from collections.abc import Callable

from annotation.crowds.providers.mturk.provider import MTurk
from annotation.crowds.providers.panels import Link
from annotation.crowds.providers.prolific.provider import Prolific
from annotation.crowds.providers.provider import CrowdError, Provider

PROVIDERS: dict[str, Callable[[str], Provider]] = {
    "link": Link,
    "prolific": Prolific,
    "mturk": MTurk,
}


def provider_at(name: str, environment: str) -> Provider:
    """The provider `name` in one of its environments. Raises CrowdError for an unknown name."""
    factory = PROVIDERS.get(name)
    if factory is None:
        raise CrowdError(f"There is no crowd '{name}'. Choose one of {', '.join(PROVIDERS)}.")
    return factory(environment)
