"""What administrators do with other people's accounts. Every change is in the audit log."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet

from core import audit
from core.accounts.models import ApiToken
from core.accounts.roles import SiteRole
from core.accounts.services import sessions
from core.accounts.services.password_links import PasswordLink
from core.refusals import RefusedError

ADMINISTRATOR = "administrator"
ROLES = (*SiteRole.values, ADMINISTRATOR)
STATES = ("active", "inactive")


def search(words: str, role: str = "", state: str = "") -> QuerySet[User]:
    """Accounts by a part of their name or their whole e-mail address, by name.

    Part of an e-mail address finds nothing: the account page promises that nobody sees it.
    """
    rows = User.objects.order_by("username")
    if words:
        rows = rows.filter(Q(username__icontains=words) | Q(email__iexact=words))
    if role:
        rows = rows.filter(is_superuser=role == ADMINISTRATOR)
        if role != ADMINISTRATOR:
            rows = rows.filter(is_staff=role == SiteRole.RESEARCHER)
    if state:
        rows = rows.filter(is_active=state == "active")
    return rows


def role_of(user: User) -> str:
    """The account's site role, or ADMINISTRATOR."""
    if user.is_superuser:
        return ADMINISTRATOR
    return str(SiteRole.RESEARCHER if user.is_staff else SiteRole.SUBMITTER)


def valid_tokens(user: User, *, at: datetime) -> int:
    """How many of the account's API tokens are neither revoked nor expired."""
    return ApiToken.objects.filter(user=user, revoked_at=None, expires_at__gt=at).count()


def change_role(user: User, role: SiteRole, *, by: User) -> bool:
    """Make the account a submitter or researcher. False: it is that already.

    Memberships and what it owns do not change. Raises RefusedError for an administrator.
    """
    with transaction.atomic():
        row = _locked(user)
        _refuse_administrator(row)
        before = role_of(row)
        if before == role:
            return False
        row.is_staff = role == SiteRole.RESEARCHER
        row.save(update_fields=["is_staff"])
        audit.record(by, "account.role changed", row, {"role": before}, {"role": str(role)})
    return True


def deactivate(user: User, *, by: User) -> bool:
    """Let the account sign in no more, and end its sessions. False: it is inactive already.

    What it owns stays, and its API tokens stop working until it is active again. Raises
    RefusedError for an administrator.
    """
    with transaction.atomic():
        row = _locked(user)
        _refuse_administrator(row)
        if not row.is_active:
            return False
        row.is_active = False
        row.save(update_fields=["is_active"])
        sessions.end_others(row, None)
        audit.record(by, "account.deactivated", row)
    return True


def reactivate(user: User, *, by: User) -> bool:
    """Let the account sign in again. False: it is active already."""
    with transaction.atomic():
        row = _locked(user)
        if row.is_active:
            return False
        row.is_active = True
        row.save(update_fields=["is_active"])
        audit.record(by, "account.reactivated", row)
    return True


def end_sessions(user: User, *, by: User, current_key: str | None) -> int:
    """End the account's sessions, except the administrator's current one; how many."""
    with transaction.atomic():
        ended = sessions.end_others(user, current_key)
        audit.record(by, "account.sessions ended", user, after={"sessions": ended})
    return ended


def password_link(user: User, *, by: User, is_sent: bool) -> PasswordLink:
    """A link to choose a password. It expires as those of forgotten passwords do.

    is_sent: whether it is sent to the account's e-mail address, or shown to the administrator.
    Raises RefusedError for an administrator, for an inactive account, and without an
    address to send it to.
    """
    _refuse_administrator(user)
    if not user.is_active:
        raise RefusedError("Reactivate the account first.", "value-refused")
    if is_sent and not user.email:
        raise RefusedError(
            "The account has no e-mail address. Show the link instead.", "value-refused"
        )
    audit.record(by, "account.password link made", user, after={"sent by e-mail": is_sent})
    return PasswordLink.of(user)


def _refuse_administrator(user: User) -> None:
    """One administrator cannot take over or lock out another."""
    if user.is_superuser:
        raise RefusedError(
            "An administrator is not changed here, but by a command.", "value-refused"
        )


def _locked(user: User) -> User:
    return User.objects.select_for_update().get(pk=user.pk)
