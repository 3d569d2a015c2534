"""Studies, protocols and presets; how raters join; erased workers and stored ids."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, TypedDict

from concord.documents.base import Document
from concord.documents.conversion import Timestamp


class PublicStudyDocument(TypedDict):
    """What the public page of a study shows."""

    title: str
    version: Annotated[int, "The protocol's version."]
    preset: str
    protocol: dict[str, Any]
    candidates: Annotated[int, "Number of candidates."]
    alpha: Annotated[float | None, "Krippendorff's alpha."]


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


class JoiningDocument(TypedDict):
    """How raters join."""

    signed_links_only: Annotated[
        bool, "Whether the open link, with or without a name in it, is refused."
    ]


class RetentionDocument(TypedDict):
    """`days` is the study's own retention period, null for the site's; `effective_days` applies.

    The other fields are numbers of workers."""

    days: int | None
    effective_days: Annotated[int, "Days after a worker's last work."]
    with_id: Annotated[int, "Workers whose id is stored."]
    id_removed: Annotated[int, "Workers whose retention period ended."]
    erased: int


class ErasedDocument(TypedDict):
    """What was removed, as counts, and what is kept: `name` is the anonymous worker's."""

    name: str
    messages: int
    comments: int
    documents: Annotated[int, "Submissions reported by the platform."]
    ratings_removed: int
    ratings_kept: int
    frozen: Annotated[list[str], "Judgment sets frozen before; they do not change."]
    sentence: str
