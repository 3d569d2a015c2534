"""API of signed links for raters."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from annotation.rating.services.invitations import join_path, set_signed_links_only
from annotation.stages.inputs import Invited
from annotation.studies.api.access import edited, viewed
from concord.documents.studies import JoiningDocument, LinksDocument
from core.rest.operations import operation
from core.rest.serializers import Flag, Strict
from core.rest.views import ApiView


class Joining(Strict):
    signed_links_only = Flag()


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


class JoiningRules(ApiView):
    @operation("Read how raters join", scope="studies:read", answer=JoiningDocument, tag="stages")
    def get(self, request: Request, slug: str) -> Response:
        return self.answer(viewed(request, slug))

    @operation(
        "Change how raters join",
        scope="studies:write",
        body=Joining,
        answer=JoiningDocument,
        changes=lambda: JoiningRules,
        tag="stages",
        example={"signed_links_only": True},
    )
    def put(self, request: Request, slug: str) -> Response:
        """Raters who have joined keep their pages."""
        set_signed_links_only(edited(request, slug), self.body()["signed_links_only"])
        return self.answer(viewed(request, slug))
