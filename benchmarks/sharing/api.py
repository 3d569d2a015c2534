"""Members of a judgment set, and publishing one of its versions."""

from __future__ import annotations

from rest_framework import serializers

from benchmarks.runs.api.documents import SetDocument
from benchmarks.sets.services import publishing
from benchmarks.sets.services.access import set_for
from benchmarks.sets.services.members import KIND, members
from benchmarks.sharing.public_view import PublicView, public_view
from core.rest.sharing import Shared, sharing_urls


class PublicSetDocument(serializers.Serializer[PublicView]):
    """What everybody sees of the version if it is public."""

    passages = serializers.IntegerField()
    candidates = serializers.IntegerField()
    gold = serializers.IntegerField(help_text="Gold scores that are not hidden.")
    ratings = serializers.IntegerField(help_text="Ratings that are not hidden.")
    raters = serializers.IntegerField()
    pairs = serializers.IntegerField()
    hidden_candidates = serializers.IntegerField()
    hidden_pairs = serializers.IntegerField()
    runs = serializers.ListField(child=serializers.CharField())
    private_runs = serializers.IntegerField(help_text="Submissions that stay private.")
    provenance = serializers.ListField(child=serializers.CharField())
    files = serializers.ListField(child=serializers.CharField())


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
        document=SetDocument,
        public=public_view,
        public_document=PublicSetDocument,
    )
)
