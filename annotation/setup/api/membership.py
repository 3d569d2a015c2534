"""Members of a study, and publishing it."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from django.urls import reverse
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.setup.api.studies import StudyDocument
from annotation.setup.services import publishing
from annotation.setup.services.publishing import PublicStudy, public_study
from annotation.studies.api.access import shown
from annotation.studies.services.access import study_for
from annotation.studies.services.members import KIND, members
from core.accounts.roles import Role
from core.rest.account import InvitationDocument
from core.rest.members import GiveRole, InviteMember, MemberDocument, Membership
from core.rest.operations import operation
from core.rest.serializers import Paged
from core.rest.views import ApiView


class PublicStudyDocument(serializers.Serializer[PublicStudy]):
    """What everybody would see of it, were it public."""

    title = serializers.CharField(source="study.title")
    version = serializers.IntegerField(help_text="Of the protocol.")
    preset = serializers.CharField()
    protocol = serializers.SerializerMethodField()
    candidates = serializers.IntegerField(help_text="How many; none of their texts.")
    alpha = serializers.FloatField(
        source="agreement.alpha.value", allow_null=True, default=None, help_text="Krippendorff's."
    )

    def get_protocol(self, found: PublicStudy) -> dict[str, Any]:
        return found.protocol.to_json()


class PublicPage(ApiView):
    @operation(
        "Read what everybody sees of a study",
        scope="studies:read",
        visitors=True,
        answer=PublicStudyDocument,
        tag="studies",
    )
    def get(self, request: Request, slug: str) -> Response:
        """Once it is public; before, its members see here what would be published."""
        return self.answer(public_study(shown(request, slug)))


class StudyMembers(ApiView):
    @operation(
        "List a study's members",
        scope="studies:read",
        query=Paged,
        answer=MemberDocument,
        pages=True,
        tag="members",
    )
    def get(self, request: Request, slug: str) -> Response:
        """Those who came first, first."""
        found = _membership(request, slug, Role.VIEWER)
        return self.page_of_query(found.members.rows, "since", "pk")


class StudyMember(ApiView):
    @operation(
        "Read a member of a study", scope="studies:read", answer=MemberDocument, tag="members"
    )
    def get(self, request: Request, slug: str, username: str) -> Response:
        rows = _membership(request, slug, Role.VIEWER).members.rows
        found = rows.filter(user__username=username).first()
        if found is None:
            raise Http404("There is no such member.")
        return self.answer(found)

    @operation(
        "Give somebody a role on a study",
        scope="studies:write",
        body=GiveRole,
        answer=MemberDocument,
        changes=lambda: StudyMember,
        tag="members",
        also={409: "The last owner stays one."},
        example={"role": "editor"},
    )
    def put(self, request: Request, slug: str, username: str) -> Response:
        """Makes them a member, or changes their role."""
        found = _membership(request, slug, Role.OWNER)
        return self.answer(found.give(username, self.body()["role"]))

    @operation(
        "Remove a member of a study",
        scope="studies:write",
        status=204,
        tag="members",
        also={409: "The last owner stays."},
    )
    def delete(self, request: Request, slug: str, username: str) -> Response:
        """Owners remove anybody, everybody themselves."""
        own = username == request.user.get_username()
        found = _membership(request, slug, Role.VIEWER if own else Role.OWNER)
        found.remove(username)
        return Response(status=204)


class InviteStudyMember(ApiView):
    @operation(
        "Invite somebody to a study",
        scope="studies:write",
        body=InviteMember,
        answer=InvitationDocument,
        status=201,
        creates=True,
        tag="members",
        example={"role": "viewer"},
    )
    def post(self, request: Request, slug: str) -> Response:
        """By a link, which whoever has it may accept once."""
        found = _membership(request, slug, Role.OWNER)
        given = self.body()
        made = found.invite(request, given["role"], given["email"])
        return self.answer(made, location=reverse("api-study-members", args=[slug]))


class StudyPublishing(ApiView):
    @operation(
        "Preview a published study",
        scope="studies:read",
        answer=PublicStudyDocument,
        tag="publishing",
    )
    def get(self, request: Request, slug: str) -> Response:
        """Exactly what everybody would see."""
        return self.answer(public_study(study_for(request.user, slug, Role.VIEWER)))


class PublishStudy(ApiView):
    @operation(
        "Publish a study",
        scope="studies:write",
        answer=StudyDocument,
        changes=lambda: StudyPublishing,
        tag="publishing",
    )
    def post(self, request: Request, slug: str) -> Response:
        """Shows it to everybody; preview it first."""
        found = study_for(request.user, slug, Role.OWNER)
        publishing.publish(found, at=now())
        return self.answer(study_for(request.user, slug, Role.OWNER))


class TakeBackStudy(ApiView):
    @operation("Take a study back", scope="studies:write", answer=StudyDocument, tag="publishing")
    def post(self, request: Request, slug: str) -> Response:
        """Shows it to members alone; what was read and downloaded stays so."""
        found = study_for(request.user, slug, Role.OWNER)
        publishing.take_back(found)
        return self.answer(study_for(request.user, slug, Role.OWNER))


def _membership(request: Request, slug: str, needs: Role) -> Membership:
    found = study_for(request.user, slug, needs)
    return Membership(members(found), KIND, found.slug)
