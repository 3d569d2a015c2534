"""The endpoint of the caller's account, by which a program checks its token."""

from __future__ import annotations

from django.contrib.auth.models import User
from rest_framework.request import Request
from rest_framework.response import Response

from concord.documents.account import AccountDocument
from concord.documents.conversion import fill
from core.accounts.models import ApiToken
from core.rest.operations import operation
from core.rest.views import ApiView


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


class Account(ApiView):
    @operation("Read your account", answer=account_document, tag="account")
    def get(self, request: Request) -> Response:
        return self.answer(request.user)
