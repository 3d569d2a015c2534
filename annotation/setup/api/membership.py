"""API of a study's members and of publishing it."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.setup.api.studies import StudyDocument
from annotation.setup.services import publishing
from annotation.setup.services.publishing import PublicStudy, public_study
from annotation.studies.api.access import shown
from annotation.studies.services.access import study_for
from annotation.studies.services.members import KIND, members
from core.rest.operations import operation
from core.rest.sharing import Shared, sharing_urls
from core.rest.views import ApiView


class PublicStudyDocument(serializers.Serializer[PublicStudy]):
    """What the public page of a study shows."""

    title = serializers.CharField(source="study.title")
    version = serializers.IntegerField(help_text="The protocol's version.")
    preset = serializers.CharField()
    protocol = serializers.SerializerMethodField()
    candidates = serializers.IntegerField(help_text="Number of candidates.")
    alpha = serializers.FloatField(
        source="agreement.alpha.value",
        allow_null=True,
        default=None,
        help_text="Krippendorff's alpha.",
    )

    def get_protocol(self, study: PublicStudy) -> dict[str, Any]:
        return study.protocol.to_json()


class PublicPage(ApiView):
    @operation(
        "Read a study's public page",
        scope="studies:read",
        visitors=True,
        answer=PublicStudyDocument,
        tag="studies",
    )
    def get(self, request: Request, slug: str) -> Response:
        """Available once the study is public. Before, members see what would be published."""
        return self.answer(public_study(shown(request, slug)))


URLS = sharing_urls(
    Shared(
        noun="study",
        scope="studies",
        address="studies/<str:slug>",
        part="slug",
        name="study",
        find=study_for,
        members=members,
        target=lambda study: study.slug,
        kind=KIND,
        publish=lambda study, at: publishing.publish(study, at=at),
        unpublish=publishing.unpublish,
        document=StudyDocument,
        public=public_study,
        public_document=PublicStudyDocument,
    )
)
