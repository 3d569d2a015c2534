"""Members of a judgment set, and publishing one of its versions."""

from __future__ import annotations

from benchmarks.runs.api.documents import set_document
from benchmarks.sets.services import publishing
from benchmarks.sets.services.access import set_for
from benchmarks.sets.services.members import KIND, members
from benchmarks.sharing.public_view import public_view
from concord.documents.sets import PublicSetDocument
from core.rest.sharing import Shared, sharing_urls

URLS = sharing_urls(
    Shared(
        noun="judgment set",
        scope="sets",
        address="sets/<str:ref>",
        part="ref",
        name="set",
        find=set_for,
        members=lambda judgment_set: members(judgment_set.name),
        target=lambda judgment_set: judgment_set.name,
        kind=KIND,
        publish=lambda judgment_set, at: publishing.publish(judgment_set, at=at),
        unpublish=publishing.unpublish,
        document=set_document,
        public=public_view,
        public_document=PublicSetDocument,
    )
)
