"""Endpoints of the caller's account: API tokens, sessions, invitations to accounts."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.models import User
from django.http import Http404
from django.urls import reverse
from django.utils.timezone import now
from rest_framework.request import Request
from rest_framework.response import Response

from concord.documents.account import (
    AccountDocument,
    InvitationDocument,
    NewTokenDocument,
    SessionDocument,
    TokenDocument,
)
from concord.documents.conversion import fill
from core.accounts import tokens
from core.accounts.inputs import NewInvitation, NewToken
from core.accounts.models import ApiToken, Invitation
from core.accounts.roles import SiteRole
from core.accounts.services import invitations, sessions
from core.accounts.views.shared import person
from core.rest.operations import operation
from core.rest.schema import describe_path
from core.rest.serializers import Paged
from core.rest.views import ApiView

describe_path("username", "Name of an account.", example="vera")
describe_path("token", "Id of one of your tokens.", example=3)
describe_path("session", "Id of one of your sessions.", example=1)
describe_path("invitation", "Id of an invitation.", example=2)


def account_document(user: User, request: Request) -> AccountDocument:
    token = request.auth
    assert token is None or isinstance(token, ApiToken)
    return fill(
        AccountDocument,
        user,
        is_researcher=user.is_staff,
        is_administrator=user.is_superuser,
        scopes=token and token.scopes,
    )


def invitation_document(invitation: Invitation, request: Request) -> InvitationDocument:
    link = None
    if invitation.is_open(now()):
        path = reverse("invitation", args=[invitations.signed(invitation)])
        link = request.build_absolute_uri(path)
    return fill(InvitationDocument, invitation, link=link)


class Account(ApiView):
    @operation("Read your account", answer=account_document, tag="account")
    def get(self, request: Request) -> Response:
        return self.answer(request.user)


class Tokens(ApiView):
    @operation(
        "List your tokens",
        browser_only=True,
        query=Paged,
        answer=TokenDocument,
        pages=True,
        tag="account",
    )
    def get(self, request: Request) -> Response:
        """Includes expired and revoked tokens. A token cannot list or create tokens."""
        return self.page_of_query(ApiToken.objects.filter(user=person(request)), "-pk")

    @operation(
        "Create a token",
        browser_only=True,
        body=NewToken,
        answer=NewTokenDocument,
        status=201,
        tag="account",
        example={"name": "nightly runs", "scopes": ["sets:read", "runs:write"], "days": 90},
    )
    def post(self, request: Request) -> Response:
        """Only this answer contains the secret text, so there is no Idempotency-Key. If you lose
        the answer, revoke the token."""
        body, at = self.input(NewToken), now()
        token, secret_text = tokens.make(
            person(request),
            body.name,
            body.scopes,
            expires_at=at + timedelta(days=body.days),
            at=at,
        )
        response = self.answer(fill(NewTokenDocument, token, token=secret_text))
        response["Cache-Control"] = "no-store"
        return response


class OneToken(ApiView):
    @operation("Revoke a token", browser_only=True, status=204, tag="account")
    def delete(self, request: Request, token: int) -> Response:
        """A revoked token cannot be restored."""
        if tokens.revoke(person(request), token, at=now()) is None:
            raise Http404("You have no such token.")
        return Response(status=204)


class Sessions(ApiView):
    @operation(
        "List your sessions",
        browser_only=True,
        query=Paged,
        answer=SessionDocument,
        pages=True,
        tag="account",
    )
    def get(self, request: Request) -> Response:
        """The browsers in which you are signed in."""
        rows = sorted(sessions.sign_ins(person(request), at=now()), key=lambda row: row.pk)
        return self.page_of_rows(rows, lambda row: row.pk)


class OneSession(ApiView):
    @operation("End a session", browser_only=True, status=204, tag="account")
    def delete(self, request: Request, session: int) -> Response:
        if not sessions.end(person(request), session):
            raise Http404("You have no such session.")
        return Response(status=204)


class InvitationsView(ApiView):
    @operation(
        "List invitations",
        browser_only=True,
        query=Paged,
        answer=invitation_document,
        pages=True,
        tag="account",
    )
    def get(self, request: Request) -> Response:
        """Your invitations to accounts; for administrators, those of everybody."""
        return self.page_of_query(invitations.listed(person(request)), "-created_at", "-pk")

    @operation(
        "Invite somebody",
        browser_only=True,
        body=NewInvitation,
        answer=invitation_document,
        status=201,
        tag="account",
        example={"site_role": "submitter"},
    )
    def post(self, request: Request) -> Response:
        """Returns a link that creates an account. For researchers and administrators."""
        body = self.input(NewInvitation)
        invitation = invitations.invite(
            person(request), SiteRole(body.site_role), email=body.email, at=now()
        )
        return self.answer(invitation, location=reverse("api-invitations"))


class OneInvitation(ApiView):
    @operation("Withdraw an invitation", browser_only=True, status=204, tag="account")
    def delete(self, request: Request, invitation: int) -> Response:
        """An accepted invitation does not change."""
        row = invitations.listed(person(request)).filter(pk=invitation).first()
        if row is None:
            raise Http404("You have no such invitation.")
        invitations.withdraw(row, at=now())
        return Response(status=204)
