"""How raters join a study."""

from typing import Annotated, TypedDict


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
