"""Links with which the owner of an account chooses a password, once, and the e-mail with one."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode


@dataclass(frozen=True)
class PasswordLink:
    """The parts of a link with which the account's owner chooses a password, once."""

    uid: str
    token: str

    @classmethod
    def of(cls, user: User) -> PasswordLink:
        """A link that expires as those of forgotten passwords do."""
        uid = urlsafe_base64_encode(force_bytes(user.pk))
        return cls(uid, default_token_generator.make_token(user))


def send(user: User, link: PasswordLink, *, protocol: str, domain: str) -> None:
    """Send the link to the account's address. protocol, domain: of the site. Raises OSError."""
    context = {
        "user": user,
        "uid": link.uid,
        "token": link.token,
        "protocol": protocol,
        "domain": domain,
    }
    subject = render_to_string("accounts/mail/new_password_subject.txt", context).strip()
    text = render_to_string("accounts/mail/new_password.txt", context)
    send_mail(subject, text, None, [user.email])
