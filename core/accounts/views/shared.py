"""What the pages of accounts share: who is signed in, asking to sign in, links that go out."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.core.mail import send_mail
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse

from core.accounts.models import Invitation
from core.accounts.services import invitations

View = Callable[..., HttpResponse]


def signed_in(view: View) -> View:
    """Visitors are asked to sign in."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        return view(request, *args, **kwargs)

    return checked


def person(request: HttpRequest) -> User:
    """Who is signed in; views behind `signed_in` have someone."""
    return cast(User, request.user)


def invitation_link(request: HttpRequest, invitation: Invitation) -> str:
    """The address to pass on."""
    path = reverse("invitation", args=[invitations.signed(invitation)])
    return request.build_absolute_uri(path)


def tell(request: HttpRequest, invitation: Invitation) -> None:
    """Send the link where there is an address for it, and say what happened to it."""
    link = invitation_link(request, invitation)
    if not invitation.email:
        messages.success(request, f"Invited. Pass this link on; it works once: {link}")
        return
    text = render_to_string(
        "accounts/mail/invitation.txt", {"invitation": invitation, "link": link}
    )
    try:
        send_mail("An invitation to Concord", text, None, [invitation.email])
    except OSError as error:
        messages.error(
            request, f"No mail could be sent ({error}). Pass this link on; it works once: {link}"
        )
    else:
        messages.success(request, f"Invited: the link is on its way to {invitation.email}.")
