"""Endpoints for members and publishing, shared by studies and judgment sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from django.http import Http404
from django.urls import URLPattern, path, reverse
from django.utils.timezone import now
from rest_framework.request import Request
from rest_framework.response import Response

from core.accounts.inputs import GiveRole, InviteMember
from core.accounts.members import Members
from core.accounts.roles import Role, SiteUser
from core.rest.account import invitation_document
from core.rest.members import Membership, member_document
from core.rest.operations import Answer, operation
from core.rest.serializers import Paged
from core.rest.views import ApiView

Target = TypeVar("Target")


@dataclass(frozen=True)
class Shared(Generic[Target]):
    """Something that has members and can be published: studies, or judgment sets.

    noun: its name in texts. scope: the beginning of its scopes, "studies" for `studies:read`.
    address: the URL pattern; part: the path parameter that names one. name: the beginning of the
    names of its routes. find: finds one for a user who has at least a role. members: its members.
    target, kind: its name in invitations. publish, unpublish: services. public: the object that
    everybody would see. document, public_document: functions that make their documents.
    """

    noun: str
    scope: str
    address: str
    part: str
    name: str
    find: Callable[[SiteUser, str, Role], Target]
    members: Callable[[Target], Members]
    target: Callable[[Target], str]
    kind: str
    publish: Callable[[Target, datetime], None]
    unpublish: Callable[[Target], None]
    document: Answer
    public: Callable[[Target], object]
    public_document: Answer

    def find_for(self, request: Request, parts: dict[str, str], role: Role) -> Target:
        """The object that the URL names, if the user has at least the role."""
        return self.find(request.user, parts[self.part], role)

    def membership(self, request: Request, parts: dict[str, str], role: Role) -> Membership:
        """The members of the object that the URL names."""
        target = self.find_for(request, parts, role)
        return Membership(self.members(target), self.kind, self.target(target))


def sharing_urls(shared: Shared[Target]) -> list[URLPattern]:
    """The URLs of members, invitations and publishing."""
    views = {**_member_views(shared), **_publishing_views(shared)}
    for view in views.values():
        view.__qualname__ = f"{view.__qualname__}:{shared.kind}"
    at, name = shared.address, shared.name
    return [
        path(f"{at}/members", views["members"].as_view(), name=f"api-{name}-members"),
        path(f"{at}/members/<str:username>", views["member"].as_view(), name=f"api-{name}-member"),
        path(f"{at}/invitations", views["invite"].as_view(), name=f"api-invite-{name}-member"),
        path(f"{at}/publishing", views["publishing"].as_view(), name=f"api-{name}-publishing"),
        path(f"{at}/publish", views["publish"].as_view(), name=f"api-publish-{name}"),
        path(f"{at}/take-back", views["unpublish"].as_view(), name=f"api-take-back-{name}"),
    ]


def _member_views(shared: Shared[Target]) -> dict[str, type[ApiView]]:
    noun, read, write = shared.noun, f"{shared.scope}:read", f"{shared.scope}:write"

    class ListMembers(ApiView):
        @operation(
            f"List a {noun}'s members",
            scope=read,
            query=Paged,
            answer=member_document,
            pages=True,
            tag="members",
        )
        def get(self, request: Request, **parts: str) -> Response:
            """Oldest members first."""
            membership = shared.membership(request, parts, Role.VIEWER)
            return self.page_of_query(membership.members.rows, "since", "pk")

    class OneMember(ApiView):
        @operation(f"Read a member of a {noun}", scope=read, answer=member_document, tag="members")
        def get(self, request: Request, username: str, **parts: str) -> Response:
            rows = shared.membership(request, parts, Role.VIEWER).members.rows
            member = rows.filter(user__username=username).first()
            if member is None:
                raise Http404("No member has this name.")
            return self.answer(member)

        @operation(
            f"Give somebody a role on a {noun}",
            scope=write,
            body=GiveRole,
            answer=member_document,
            changes=lambda: OneMember,
            tag="members",
            also={409: "The last owner must stay an owner."},
            example={"role": "editor"},
        )
        def put(self, request: Request, username: str, **parts: str) -> Response:
            """Adds a member, or changes a member's role."""
            membership = shared.membership(request, parts, Role.OWNER)
            return self.answer(membership.set_role(username, self.input(GiveRole).role))

        @operation(
            f"Remove a member of a {noun}",
            scope=write,
            status=204,
            tag="members",
            also={409: "The last owner cannot be removed."},
        )
        def delete(self, request: Request, username: str, **parts: str) -> Response:
            """Owners can remove all members, and members themselves."""
            own = username == request.user.get_username()
            role = Role.VIEWER if own else Role.OWNER
            shared.membership(request, parts, role).remove(username)
            return Response(status=204)

    class Invite(ApiView):
        @operation(
            f"Invite somebody to a {noun}",
            scope=write,
            body=InviteMember,
            answer=invitation_document,
            status=201,
            creates=True,
            tag="members",
            example={"role": "viewer"},
        )
        def post(self, request: Request, **parts: str) -> Response:
            """Returns a link; anybody who has it can accept it, once."""
            membership = shared.membership(request, parts, Role.OWNER)
            body = self.input(InviteMember)
            invitation = membership.invite(request, body.role, body.email)
            members = reverse(f"api-{shared.name}-members", args=[parts[shared.part]])
            return self.answer(invitation, location=members)

    return {"members": ListMembers, "member": OneMember, "invite": Invite}


def _publishing_views(shared: Shared[Target]) -> dict[str, type[ApiView]]:
    noun, read, write = shared.noun, f"{shared.scope}:read", f"{shared.scope}:write"

    class Publishing(ApiView):
        @operation(
            f"Preview a published {noun}",
            scope=read,
            answer=shared.public_document,
            tag="publishing",
        )
        def get(self, request: Request, **parts: str) -> Response:
            """What everybody would see."""
            return self.answer(shared.public(shared.find_for(request, parts, Role.VIEWER)))

    class Publish(ApiView):
        @operation(
            f"Publish a {noun}",
            scope=write,
            answer=shared.document,
            changes=lambda: Publishing,
            tag="publishing",
        )
        def post(self, request: Request, **parts: str) -> Response:
            """Makes it visible to everybody. Preview it first."""
            shared.publish(shared.find_for(request, parts, Role.OWNER), now())
            return self.answer(shared.find_for(request, parts, Role.OWNER))

    class Unpublish(ApiView):
        @operation(f"Make a {noun} private", scope=write, answer=shared.document, tag="publishing")
        def post(self, request: Request, **parts: str) -> Response:
            """Makes it visible to members only. Copies that people downloaded remain."""
            shared.unpublish(shared.find_for(request, parts, Role.OWNER))
            return self.answer(shared.find_for(request, parts, Role.OWNER))

    return {"publishing": Publishing, "publish": Publish, "unpublish": Unpublish}
