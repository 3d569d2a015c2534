"""Studies, protocols and presets; how raters join; erased workers and stored ids."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, TypedDict

from concord.documents.base import Document
from concord.documents.conversion import Timestamp


@dataclass(frozen=True, kw_only=True)
class StudyDocument(Document):
    """A rating study."""

    slug: str
    title: str
    preset: Annotated[str, "The preset of its protocol."]
    preset_version: Annotated[int, "The preset's version when the study was created."]
    origin: Annotated[
        dict[str, Any], "The judgment set, metric and items from which it was created, if any."
    ]
    seed: Annotated[int, "Seed of packing, shuffling, splitting and sampling."]
    protocol_version: Annotated[int, "The current version."]
    created_at: datetime
    published_at: datetime | None
    archived_at: datetime | None
    rater_language: Annotated[
        str, "The language of the raters' pages; empty: that of each rater's browser."
    ]
    role: Annotated[str | None, "Your role; null for administrators."]


class ProtocolVersionDocument(TypedDict):
    """A version of the protocol. It never changes after it was used."""

    version: int
    created_at: Timestamp
    protocol: Annotated[dict[str, Any], "In the format of PUT."]


class PresetDocument(TypedDict):
    """A preset protocol."""

    name: str
    title: str
    version: int
    protocol: dict[str, Any]


class LinkDocument(TypedDict):
    """One rater's link."""

    worker: str
    url: str


class LinksDocument(TypedDict):
    """A signed link for each rater, in the order of the request."""

    links: list[LinkDocument]
