"""The endpoints of whatever has members and can be published: one set for every kind of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import Http404
from django.urls import URLPattern, path, reverse
from django.utils.timezone import now
from rest_framework.request import Request
from rest_framework.response import Response

from core.accounts.members import Members
from core.accounts.roles import Role
from core.rest.account import InvitationDocument
from core.rest.members import GiveRole, InviteMember, MemberDocument, Membership
from core.rest.operations import operation
from core.rest.serializers import Paged
from core.rest.views import ApiView


@dataclass(frozen=True)
class Shared:
    """A kind of thing that has members and can be published.

    noun: what people call it. scope: what a token needs, as in "studies" for `studies:read`.
    address: where one lies, and `part`, the part of the address that names it. name: the beginning
    of its routes' names. find: one of them, for a user with at least a role. members, target: who
    its members are, and how invitations name it. document: what is answered of it; public,
    public_document: what everybody would see of it.
    """

    noun: str
    scope: str
    address: str
    part: str
    name: str
    find: Callable[[Any, str, Role], Any]
    members: Callable[[Any], Members]
    target: Callable[[Any], str]
    kind: str
    publish: Callable[[Any, datetime], None]
    unpublish: Callable[[Any], None]
    document: type[Any]
    public: Callable[[Any], Any]
    public_document: type[Any]

    def found(self, request: Request, parts: dict[str, str], needs: Role) -> Any:
        """What the address names."""
        return self.find(request.user, parts[self.part], needs)

    def membership(self, request: Request, parts: dict[str, str], needs: Role) -> Membership:
        """The members of what the address names."""
        found = self.found(request, parts, needs)
        return Membership(self.members(found), self.kind, self.target(found))


def sharing_urls(shared: Shared) -> list[URLPattern]:
    """The addresses of a kind's members, invitations and publishing."""
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


def _member_views(shared: Shared) -> dict[str, type[ApiView]]:
    noun, read, write = shared.noun, f"{shared.scope}:read", f"{shared.scope}:write"

    class ListMembers(ApiView):
        @operation(
            f"List a {noun}'s members",
            scope=read,
            query=Paged,
            answer=MemberDocument,
            pages=True,
            tag="members",
        )
        def get(self, request: Request, **parts: str) -> Response:
            """Those who came first, first."""
            found = shared.membership(request, parts, Role.VIEWER)
            return self.page_of_query(found.members.rows, "since", "pk")

    class OneMember(ApiView):
        @operation(f"Read a member of a {noun}", scope=read, answer=MemberDocument, tag="members")
        def get(self, request: Request, username: str, **parts: str) -> Response:
            rows = shared.membership(request, parts, Role.VIEWER).members.rows
            found = rows.filter(user__username=username).first()
            if found is None:
                raise Http404("There is no such member.")
            return self.answer(found)

        @operation(
            f"Give somebody a role on a {noun}",
            scope=write,
            body=GiveRole,
            answer=MemberDocument,
            changes=lambda: OneMember,
            tag="members",
            also={409: "The last owner stays one."},
            example={"role": "editor"},
        )
        def put(self, request: Request, username: str, **parts: str) -> Response:
            """Makes them a member, or changes their role."""
            found = shared.membership(request, parts, Role.OWNER)
            return self.answer(found.give(username, self.body()["role"]))

        @operation(
            f"Remove a member of a {noun}",
            scope=write,
            status=204,
            tag="members",
            also={409: "The last owner stays."},
        )
        def delete(self, request: Request, username: str, **parts: str) -> Response:
            """Owners remove anybody, everybody themselves."""
            own = username == request.user.get_username()
            found = shared.membership(request, parts, Role.VIEWER if own else Role.OWNER)
            found.remove(username)
            return Response(status=204)

    class Invite(ApiView):
        @operation(
            f"Invite somebody to a {noun}",
            scope=write,
            body=InviteMember,
            answer=InvitationDocument,
            status=201,
            creates=True,
            tag="members",
            example={"role": "viewer"},
        )
        def post(self, request: Request, **parts: str) -> Response:
            """By a link, which whoever has it may accept once."""
            found = shared.membership(request, parts, Role.OWNER)
            given = self.body()
            made = found.invite(request, given["role"], given["email"])
            members = reverse(f"api-{shared.name}-members", args=[parts[shared.part]])
            return self.answer(made, location=members)

    return {"members": ListMembers, "member": OneMember, "invite": Invite}


def _publishing_views(shared: Shared) -> dict[str, type[ApiView]]:
    noun, read, write = shared.noun, f"{shared.scope}:read", f"{shared.scope}:write"

    class Publishing(ApiView):
        @operation(
            f"Preview a published {noun}",
            scope=read,
            answer=shared.public_document,
            tag="publishing",
        )
        def get(self, request: Request, **parts: str) -> Response:
            """Exactly what everybody would see."""
            return self.answer(shared.public(shared.found(request, parts, Role.VIEWER)))

    class Publish(ApiView):
        @operation(
            f"Publish a {noun}",
            scope=write,
            answer=shared.document,
            changes=lambda: Publishing,
            tag="publishing",
        )
        def post(self, request: Request, **parts: str) -> Response:
            """Shows it to everybody; preview it first."""
            shared.publish(shared.found(request, parts, Role.OWNER), now())
            return self.answer(shared.found(request, parts, Role.OWNER))

    class TakeBack(ApiView):
        @operation(f"Take a {noun} back", scope=write, answer=shared.document, tag="publishing")
        def post(self, request: Request, **parts: str) -> Response:
            """Shows it to members alone; what was read and downloaded stays so."""
            shared.unpublish(shared.found(request, parts, Role.OWNER))
            return self.answer(shared.found(request, parts, Role.OWNER))

    return {"publishing": Publishing, "publish": Publish, "unpublish": TakeBack}
