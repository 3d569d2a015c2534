"""Members of a judgment set, and publishing one of its versions."""

from __future__ import annotations

from django.http import Http404
from django.urls import reverse
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.runs.api.documents import SetDocument
from benchmarks.sets.services import publishing
from benchmarks.sets.services.access import set_for
from benchmarks.sets.services.members import KIND, members
from benchmarks.sharing.public_view import PublicView, public_view
from core.accounts.roles import Role
from core.rest.account import InvitationDocument
from core.rest.members import GiveRole, InviteMember, MemberDocument, Membership
from core.rest.operations import operation
from core.rest.serializers import Paged
from core.rest.views import ApiView


class PublicSetDocument(serializers.Serializer[PublicView]):
    """What everybody would see of it, were it public."""

    passages = serializers.IntegerField()
    candidates = serializers.IntegerField()
    gold = serializers.IntegerField(help_text="Gold scores that are not hidden.")
    ratings = serializers.IntegerField(help_text="Those that are not hidden.")
    raters = serializers.IntegerField()
    pairs = serializers.IntegerField()
    hidden_candidates = serializers.IntegerField()
    hidden_pairs = serializers.IntegerField()
    runs = serializers.ListField(child=serializers.CharField())
    private_runs = serializers.IntegerField(help_text="Submissions that stay their owners'.")
    provenance = serializers.ListField(child=serializers.CharField())
    files = serializers.ListField(child=serializers.CharField())


class SetMembers(ApiView):
    @operation(
        "List a judgment set's members",
        scope="sets:read",
        query=Paged,
        answer=MemberDocument,
        pages=True,
        tag="members",
    )
    def get(self, request: Request, ref: str) -> Response:
        """Those who came first, first."""
        found = _membership(request, ref, Role.VIEWER)
        return self.page_of_query(found.members.rows, "since", "pk")


class SetMember(ApiView):
    @operation(
        "Read a member of a judgment set", scope="sets:read", answer=MemberDocument, tag="members"
    )
    def get(self, request: Request, ref: str, username: str) -> Response:
        rows = _membership(request, ref, Role.VIEWER).members.rows
        found = rows.filter(user__username=username).first()
        if found is None:
            raise Http404("There is no such member.")
        return self.answer(found)

    @operation(
        "Give somebody a role on a judgment set",
        scope="sets:write",
        body=GiveRole,
        answer=MemberDocument,
        changes=lambda: SetMember,
        tag="members",
        also={409: "The last owner stays one."},
        example={"role": "editor"},
    )
    def put(self, request: Request, ref: str, username: str) -> Response:
        """Makes them a member, or changes their role."""
        found = _membership(request, ref, Role.OWNER)
        return self.answer(found.give(username, self.body()["role"]))

    @operation(
        "Remove a member of a judgment set",
        scope="sets:write",
        status=204,
        tag="members",
        also={409: "The last owner stays."},
    )
    def delete(self, request: Request, ref: str, username: str) -> Response:
        """Owners remove anybody, everybody themselves."""
        own = username == request.user.get_username()
        found = _membership(request, ref, Role.VIEWER if own else Role.OWNER)
        found.remove(username)
        return Response(status=204)


class InviteSetMember(ApiView):
    @operation(
        "Invite somebody to a judgment set",
        scope="sets:write",
        body=InviteMember,
        answer=InvitationDocument,
        status=201,
        creates=True,
        tag="members",
        example={"role": "viewer"},
    )
    def post(self, request: Request, ref: str) -> Response:
        """By a link, which whoever has it may accept once."""
        found = _membership(request, ref, Role.OWNER)
        given = self.body()
        made = found.invite(request, given["role"], given["email"])
        return self.answer(made, location=reverse("api-set-members", args=[ref]))


class SetPublishing(ApiView):
    @operation(
        "Preview a published judgment set",
        scope="sets:read",
        answer=PublicSetDocument,
        tag="publishing",
    )
    def get(self, request: Request, ref: str) -> Response:
        """Exactly what everybody would see."""
        return self.answer(public_view(set_for(request.user, ref, Role.VIEWER)))


class PublishSet(ApiView):
    @operation(
        "Publish a judgment set",
        scope="sets:write",
        answer=SetDocument,
        changes=lambda: SetPublishing,
        tag="publishing",
    )
    def post(self, request: Request, ref: str) -> Response:
        """Shows it to everybody; preview it first."""
        found = set_for(request.user, ref, Role.OWNER)
        publishing.publish(found, at=now())
        return self.answer(set_for(request.user, ref, Role.OWNER))


class TakeBackSet(ApiView):
    @operation("Take a judgment set back", scope="sets:write", answer=SetDocument, tag="publishing")
    def post(self, request: Request, ref: str) -> Response:
        """Shows it to members alone; what was read and downloaded stays so."""
        found = set_for(request.user, ref, Role.OWNER)
        publishing.take_back(found)
        return self.answer(set_for(request.user, ref, Role.OWNER))


def _membership(request: Request, ref: str, needs: Role) -> Membership:
    found = set_for(request.user, ref, needs)
    return Membership(members(found.name), KIND, found.name)
