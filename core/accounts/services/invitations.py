"""Invitations to accounts and memberships.

The link is signed with SECRET_KEY and names a row, which says whether the invitation was accepted,
withdrawn or has expired. Whoever sent it must still be allowed to when it is accepted.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.core import signing
from django.db import transaction
from django.db.models import QuerySet

from core import audit
from core.accounts.memberships import MembershipKind, kind_named
from core.accounts.models import Invitation
from core.accounts.roles import Role, SiteRole
from core.refusals import RefusedError

SALT = "accounts.invitation"
VALID = timedelta(days=14)


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
    """Create an invitation to an account; with `kind`, to a membership too.

    Raises RefusedError unless `by` may invite to this.
    """
    if problem := _permission_problem(by, site_role, kind, target):
        raise RefusedError(problem, "invitation-refused")
    with transaction.atomic():
        invitation = Invitation.objects.create(
            site_role=site_role,
            kind=kind,
            target=target,
            role=role or "",
            email=email,
            invited_by=by,
            created_at=at,
            expires_at=at + VALID,
        )
        audit.record(by, "invitation.made", invitation, after=_audit_details(invitation))
    return invitation


def signed(invitation: Invitation) -> str:
    """The signed part of the invitation's link."""
    return signing.dumps(invitation.pk, salt=SALT)


def read(signed_key: str, *, at: datetime) -> Invitation:
    """The open invitation that a link names. Raises RefusedError."""
    try:
        pk = signing.loads(signed_key, salt=SALT)
        invitation = Invitation.objects.select_related("invited_by").get(pk=pk)
    except (signing.BadSignature, Invitation.DoesNotExist, ValueError, TypeError) as error:
        raise RefusedError(
            "This invitation link is incomplete. Copy the whole link, or ask for a new one.",
            "invitation-refused",
        ) from error
    _check_open(invitation, at)
    return invitation


def accept(invitation: Invitation, user: User, *, at: datetime) -> str:
    """Accept the invitation for the user. Returns the URL of the study or set, or "".

    Roles are never lowered: a researcher stays a researcher, and an owner an owner. Raises
    RefusedError.
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
        audit.record(user, "invitation.accepted", row, after=_audit_details(row))
    return page


def accept_with_new_account(
    invitation: Invitation, username: str, password: str, email: str, *, at: datetime
) -> tuple[User, str]:
    """As `accept`, with a new account, in one transaction."""
    with transaction.atomic():
        user = User.objects.create_user(username, email=email, password=password)
        page = accept(invitation, user, at=at)
    return user, page


def withdraw(invitation: Invitation, *, at: datetime) -> None:
    """Withdraw an open invitation; an accepted one does not change."""
    open_ = Invitation.objects.filter(pk=invitation.pk, accepted_at=None, withdrawn_at=None)
    with transaction.atomic():
        if open_.update(withdrawn_at=at):
            audit.record(None, "invitation.withdrawn", invitation)


def listed(by: User) -> QuerySet[Invitation]:
    """The invitations to accounts that `by` made, latest first; all for an administrator."""
    rows = Invitation.objects.filter(kind="").select_related("invited_by", "accepted_by")
    return rows if by.is_superuser else rows.filter(invited_by=by)


def to_membership(kind: str, target: str, *, at: datetime) -> QuerySet[Invitation]:
    """The open invitations to a study or judgment set, latest first."""
    rows = Invitation.objects.filter(kind=kind, target=target, expires_at__gt=at)
    return rows.filter(accepted_at=None, withdrawn_at=None).select_related("invited_by")


def kind_of(invitation: Invitation) -> MembershipKind | None:
    """The kind of membership; None for an invitation to an account only."""
    return kind_named(invitation.kind) if invitation.kind else None


def _audit_details(invitation: Invitation) -> dict[str, str]:
    """What the audit log records of it, without the e-mail address."""
    names = ("site_role", "kind", "target", "role")
    return {name: getattr(invitation, name) for name in names if getattr(invitation, name)}


def _check_open(invitation: Invitation, at: datetime) -> None:
    if invitation.accepted_at is not None:
        raise RefusedError(
            "This invitation was already used. Sign in, or ask for a new one.", "invitation-refused"
        )
    if not invitation.is_open(at):
        raise RefusedError(
            "This invitation has expired or was withdrawn. Ask for a new one.", "invitation-refused"
        )
    by = invitation.invited_by
    site_role = SiteRole(invitation.site_role)
    if not by.is_active or _permission_problem(by, site_role, invitation.kind, invitation.target):
        raise RefusedError(
            "The sender of this invitation can no longer invite people. Ask somebody else.",
            "invitation-refused",
        )


def _permission_problem(by: User, site_role: SiteRole, kind: str, target: str) -> str:
    """Why `by` may not invite to this; "" if they may."""
    if (not kind or site_role == SiteRole.RESEARCHER) and not (by.is_staff or by.is_superuser):
        return "Only researchers and administrators can invite people to accounts."
    if kind and not kind_named(kind).may_invite(by, target):
        return "Only owners can change the members."
    return ""
