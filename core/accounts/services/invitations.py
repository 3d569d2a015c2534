"""Invitations: made, read from their link, accepted once.

The link is signed with the installation's secret and names a row. The row says whether it was used,
withdrawn or is too old, and whoever made it must still be somebody who may, when it is accepted.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core import signing
from django.db import transaction
from django.db.models import QuerySet

from core import audit
from core.accounts.memberships import Kind, kind_named
from core.accounts.models import Invitation
from core.accounts.roles import Role, SiteRole

SALT = "accounts.invitation"
VALID = timedelta(days=14)


class InvitationError(ValueError):
    """The invitation cannot be made or accepted; the message says what to do."""


def invite(
    by: User,
    site_role: SiteRole,
    *,
    kind: str = "",
    target: str = "",
    role: Role | None = None,
    email: str = "",
    at: datetime,
) -> Invitation:
    """Make an invitation to an account or, with `kind`, to a membership (and an account, if the
    person has none).

    Raises InvitationError unless `by` may give what it gives.
    """
    if problem := _may_not(by, site_role, kind, target):
        raise InvitationError(problem)
    with transaction.atomic():
        made = Invitation.objects.create(
            site_role=site_role,
            kind=kind,
            target=target,
            role=role or "",
            email=email,
            invited_by=by,
            created_at=at,
            expires_at=at + VALID,
        )
        audit.record(by, "invitation.made", made, after=_carries(made))
    return made


def signed(invitation: Invitation) -> str:
    """What stands in the invitation's link."""
    return signing.dumps(invitation.pk, salt=SALT)


def read(given: str, *, at: datetime) -> Invitation:
    """The open invitation of a link. Raises InvitationError."""
    try:
        pk = signing.loads(given, salt=SALT)
        invitation = Invitation.objects.select_related("invited_by").get(pk=pk)
    except (signing.BadSignature, Invitation.DoesNotExist, ValueError, TypeError) as error:
        raise InvitationError(
            "This link is not complete. Copy the whole link, or ask for a new one."
        ) from error
    _check_open(invitation, at)
    return invitation


def accept(invitation: Invitation, user: User, *, at: datetime) -> str:
    """Give the user what the invitation carries, once; the address to go on to, "" for none.

    It takes nothing away: a researcher stays one, and an owner an owner. Raises InvitationError.
    """
    with transaction.atomic():
        row = Invitation.objects.select_for_update().get(pk=invitation.pk)
        _check_open(row, at)
        if row.site_role == SiteRole.RESEARCHER and not user.is_staff:
            user.is_staff = True
            user.save(update_fields=["is_staff"])
        page = ""
        if row.kind:
            kind = kind_named(row.kind)
            kind.join(row.target, user, Role(row.role), at)
            page = kind.page(row.target)
        row.accepted_at, row.accepted_by = at, user
        row.save(update_fields=["accepted_at", "accepted_by"])
        audit.record(user, "invitation.accepted", row, after=_carries(row))
    return page


def accept_with_new_account(
    invitation: Invitation, username: str, password: str, email: str, *, at: datetime
) -> tuple[User, str]:
    """As `accept`, for somebody who gets an account by it: both or neither."""
    with transaction.atomic():
        user = User.objects.create_user(username, email=email, password=password)
        page = accept(invitation, user, at=at)
    return user, page


def withdraw(invitation: Invitation, *, at: datetime) -> None:
    """End it; one that was accepted stays what it was."""
    open_ = Invitation.objects.filter(pk=invitation.pk, accepted_at=None, withdrawn_at=None)
    with transaction.atomic():
        if open_.update(withdrawn_at=at):
            audit.record(None, "invitation.withdrawn", invitation)


def listed(by: Any) -> QuerySet[Invitation]:
    """The invitations to accounts that a person made, of administrators everybody's; latest
    first."""
    found = Invitation.objects.filter(kind="").select_related("invited_by", "accepted_by")
    return found if by.is_superuser else found.filter(invited_by=by)


def to_membership(kind: str, target: str, *, at: datetime) -> QuerySet[Invitation]:
    """The open invitations to be a member of one thing, latest first."""
    found = Invitation.objects.filter(kind=kind, target=target, expires_at__gt=at)
    return found.filter(accepted_at=None, withdrawn_at=None).select_related("invited_by")


def kind_of(invitation: Invitation) -> Kind | None:
    """What kind of thing it is a membership of; None for an account alone."""
    return kind_named(invitation.kind) if invitation.kind else None


def _carries(invitation: Invitation) -> dict[str, str]:
    """What it gives, for the audit; not to whom: its address is the person's own."""
    names = ("site_role", "kind", "target", "role")
    return {name: getattr(invitation, name) for name in names if getattr(invitation, name)}


def _check_open(invitation: Invitation, at: datetime) -> None:
    if invitation.accepted_at is not None:
        raise InvitationError("This invitation was used already. Sign in, or ask for a new one.")
    if not invitation.is_open(at):
        raise InvitationError("This invitation has ended. Ask for a new one.")
    by = invitation.invited_by
    site_role = SiteRole(invitation.site_role)
    if not by.is_active or _may_not(by, site_role, invitation.kind, invitation.target):
        raise InvitationError(
            "Whoever sent this invitation may not invite any more. Ask for a new one."
        )


def _may_not(by: User, site_role: SiteRole, kind: str, target: str) -> str:
    """Why somebody may not give this; "" where they may."""
    if (not kind or site_role == SiteRole.RESEARCHER) and not (by.is_staff or by.is_superuser):
        return "Only researchers and administrators invite to accounts."
    if kind and not kind_named(kind).may_invite(by, target):
        return "Only owners say who the members are."
    return ""
