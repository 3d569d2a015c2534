"""API of a study's members and of publishing it."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from annotation.setup.api.studies import study_document
from annotation.setup.services import publishing
from annotation.setup.services.publishing import PublicStudy, public_study
from annotation.studies.api.access import shown
from annotation.studies.services.access import study_for
from annotation.studies.services.members import KIND, members
from concord.documents.conversion import fill
from concord.documents.studies import PublicStudyDocument
from core.rest.operations import operation
from core.rest.sharing import Shared, sharing_urls
from core.rest.views import ApiView


def public_study_document(study: PublicStudy) -> PublicStudyDocument:
    return fill(
        PublicStudyDocument,
        study,
        title=study.study.title,
        protocol=study.protocol.to_json(),
        alpha=study.agreement and study.agreement.alpha["alpha"],
    )


class PublicPage(ApiView):
    @operation(
        "Read a study's public page",
        scope="studies:read",
        visitors=True,
        answer=public_study_document,
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
        document=study_document,
        public=public_study,
        public_document=public_study_document,
    )
)
