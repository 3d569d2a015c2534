"""API of signed links for raters."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from annotation.rating.services.invitations import join_path
from annotation.stages.inputs import Invited
from annotation.studies.api.access import edited
from concord.documents.studies import LinksDocument
from core.rest.operations import operation
from core.rest.views import ApiView


class SignedLinksView(ApiView):
    @operation(
        "Make signed links",
        scope="studies:write",
        body=Invited,
        answer=LinksDocument,
        tag="stages",
        example={"workers": ["ann", "ben"]},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Nobody can change the name in a signed link. The same name always gets the same page."""
        study = edited(request, slug)
        links = [
            {"worker": one, "url": request.build_absolute_uri(join_path(study, one))}
            for one in self.input(Invited).workers
        ]
        return self.answer({"links": links})
