"""Roles: of an account on the site, and of a member on a study or judgment set."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from django.db import models

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

# The user of a request: an account, or a visitor who has not signed in.
SiteUser: TypeAlias = "User | AnonymousUser"


class Role(models.TextChoices):
    """A member's role on a study or judgment set. Each role includes those before it.

    A viewer can see everything, an editor can also change it, and an owner can also publish, pay,
    erase raters and manage members.
    """

    VIEWER = "viewer"
    EDITOR = "editor"
    OWNER = "owner"

    @property
    def meaning(self) -> str:
        return MEANINGS[self]

    def allows(self, needed: Role) -> bool:
        """Whether this role includes the role `needed`."""
        ranks = list(Role)
        return ranks.index(self) >= ranks.index(needed)


class SiteRole(models.TextChoices):
    """What an account may do apart from its memberships. Administrators are made by a command."""

    SUBMITTER = "submitter"
    RESEARCHER = "researcher"

    @property
    def meaning(self) -> str:
        return MEANINGS[self]


MEANINGS: dict[str, str] = {
    Role.VIEWER: "can see everything but change nothing",
    Role.EDITOR: "can also change it",
    Role.OWNER: "can also publish, pay, erase raters and manage members",
    SiteRole.SUBMITTER: "can submit metrics to the boards that it can see",
    SiteRole.RESEARCHER: "can also create studies and judgment sets",
}
