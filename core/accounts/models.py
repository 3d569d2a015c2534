"""Models of accounts: API tokens, invitations and sign-ins.

An account is a Django user: a researcher has `is_staff`, an administrator `is_superuser`.
"""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from core.accounts.roles import Role, SiteRole


class ApiToken(models.Model):
    """An API token: it acts as its user within its scopes. Only its SHA-256 hash is stored.

    `prefix` holds its first characters, so that people can tell tokens apart.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    prefix = models.CharField(max_length=16)
    scopes = ArrayField(models.CharField(max_length=40))
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}...)"

    @property
    def audit_name(self) -> str:
        """The name in the audit log, which must hold no part of the token."""
        return self.name

    def is_valid(self, at: datetime) -> bool:
        """Whether the token is neither revoked nor expired."""
        return self.revoked_at is None and at < self.expires_at


class Invitation(models.Model):
    """An invitation to an account, a membership, or both. Its link works once.

    `kind` and `target` name the study or judgment set (`core.accounts.memberships`); both are empty
    when the invitation is to an account only.
    """

    site_role = models.CharField(max_length=20, choices=SiteRole)
    kind = models.CharField(max_length=20, blank=True)
    target = models.CharField(max_length=80, blank=True)
    role = models.CharField(max_length=10, choices=Role, blank=True)
    email = models.EmailField(blank=True, help_text="Where the link was sent; may be empty.")
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="invitations"
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    accepted_at = models.DateTimeField(null=True)
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="", target="", role="")
                | (~Q(kind="") & ~Q(target="") & ~Q(role="")),
                name="a_membership_is_whole_or_none",
            ),
        ]

    def __str__(self) -> str:
        what = f"{self.role} of {self.target}" if self.kind else self.site_role
        return f"invitation {self.pk}: {what}"

    def is_open(self, at: datetime) -> bool:
        """Whether it can still be accepted."""
        return self.accepted_at is None and self.withdrawn_at is None and at < self.expires_at


class SignIn(models.Model):
    """A browser in which an account is signed in. Only its kind is stored, no IP address."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="sign_ins")
    session_key = models.CharField(max_length=40, unique=True)
    device = models.CharField(max_length=80)
    created_at = models.DateTimeField()
    last_used_at = models.DateTimeField()

    class Meta:
        ordering = ["-last_used_at"]

    def __str__(self) -> str:
        return f"{self.user} on {self.device}"
