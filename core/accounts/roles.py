"""What a person may do: by account, and on one study or one judgment set."""

from __future__ import annotations

from django.db import models


class Role(models.TextChoices):
    """A member's role on one study or one judgment set; each may do what those before it may.

    A viewer sees everything of it and changes nothing, an editor changes it too, and an owner also
    publishes, pays, has raters forgotten and says who the members are.
    """

    VIEWER = "viewer"
    EDITOR = "editor"
    OWNER = "owner"

    @property
    def meaning(self) -> str:
        return MEANINGS[self]

    def allows(self, needed: Role) -> bool:
        """Whether this role may do what `needed` may."""
        ranks = list(Role)
        return ranks.index(self) >= ranks.index(needed)


class SiteRole(models.TextChoices):
    """What an account may do apart from any membership; administrators are made by command."""

    SUBMITTER = "submitter"
    RESEARCHER = "researcher"

    @property
    def meaning(self) -> str:
        return MEANINGS[self]


MEANINGS: dict[str, str] = {
    Role.VIEWER: "sees everything of it, changes nothing",
    Role.EDITOR: "changes it, too",
    Role.OWNER: "publishes, pays, forgets raters, and says who the members are, too",
    SiteRole.SUBMITTER: "may submit metrics to the boards it sees",
    SiteRole.RESEARCHER: "may begin studies and judgment sets, too",
}
