"""The providers by name."""

from __future__ import annotations

from collections.abc import Callable

from annotation.crowds.providers.mturk.files import Files
from annotation.crowds.providers.mturk.provider import MTurk
from annotation.crowds.providers.panels import Local, Panel
from annotation.crowds.providers.prolific.provider import Prolific
from annotation.crowds.providers.provider import CrowdError, Provider

PROVIDERS: dict[str, Callable[[str], Provider]] = {
    "local": Local,
    "link": Panel,
    "prolific": Prolific,
    "mturk": MTurk,
    "files": Files,
}


def provider_at(name: str, place: str) -> Provider:
    """The provider called `name` at one of its places. Raises CrowdError for another name."""
    made = PROVIDERS.get(name)
    if made is None:
        raise CrowdError(f"There is no crowd '{name}': one of {', '.join(PROVIDERS)}.")
    return made(place)
