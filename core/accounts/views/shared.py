"""Helpers of the account pages: requiring a sign-in, and sending invitations."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.mail import send_mail
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.urls import reverse
from rest_framework.request import Request

from core.accounts.models import Invitation
from core.accounts.services import invitations

View = Callable[..., HttpResponseBase]

logger = logging.getLogger(__name__)


def administrators_only(view: View) -> View:
    """Redirect visitors to the sign-in page, and refuse users who are not administrators."""

    @wraps(view)
    def checked(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        if not person(request).is_superuser:
            raise PermissionDenied("Only administrators can see this page.")
        return view(request, *args, **kwargs)

    return login_required(checked)


def person(request: HttpRequest | Request) -> User:
    """The signed-in user of a view that `login_required` decorates, or of an operation of the API
    that visitors cannot call."""
    return cast(User, request.user)


def invitation_link(request: HttpRequest, invitation: Invitation) -> str:
    """The absolute URL of an invitation."""
    path = reverse("invitation", args=[invitations.signed(invitation)])
    return request.build_absolute_uri(path)


def log_mail_error() -> None:
    """Log the exception, which may name addresses of people and of the mail server."""
    logger.exception("An e-mail could not be sent.")


def send_invitation(request: HttpRequest, invitation: Invitation) -> None:
    """Send the link if the invitation has an e-mail address, and add a message about it."""
    link = invitation_link(request, invitation)
    if not invitation.email:
        messages.success(
            request,
            f"Invitation created. Send this link, which works once: {link}",
        )
        return
    text = render_to_string(
        "accounts/mail/invitation.txt", {"invitation": invitation, "link": link}
    )
    try:
        send_mail("Invitation to Concord", text, None, [invitation.email])
    except OSError:
        log_mail_error()
        messages.error(
            request,
            f"The e-mail could not be sent. Send this link, which works once: {link}",
        )
    else:
        messages.success(request, f"The invitation was sent to {invitation.email}.")
