"""The viewer of a judgment set, and what they may see."""

from __future__ import annotations

from dataclasses import dataclass

from core.accounts.roles import Role, SiteUser


@dataclass(frozen=True)
class Viewer:
    """What somebody may see of a judgment set.

    user: primary key of the account whose private metric runs are visible, or None. role: the
    account's role on the set, or None. every_set: whether all sets are visible. every_run: whether
    the private metric runs of all accounts are visible. hidden_labels: whether hidden labels are.
    """

    user: int | None = None
    role: Role | None = None
    every_set: bool = False
    every_run: bool = False
    hidden_labels: bool = False

    @classmethod
    def for_user(cls, user: SiteUser, role: Role | None = None) -> Viewer:
        """The viewer of a set on which the account has this role.

        Editors see hidden labels; administrators see everything.
        """
        if not user.is_authenticated:
            return PUBLIC
        everything: bool = user.is_superuser
        editor = role is not None and role.allows(Role.EDITOR)
        return cls(
            user.pk,
            role,
            every_set=everything,
            every_run=everything,
            hidden_labels=everything or editor,
        )

    def allows(self, needed: Role) -> bool:
        """Whether the viewer has the role `needed` or a higher one, or is an administrator."""
        return self.every_set or (self.role is not None and self.role.allows(needed))


PUBLIC = Viewer()
# For commands: somebody with a shell on the server can read its database anyway.
OPERATOR = Viewer(every_set=True, hidden_labels=True)
