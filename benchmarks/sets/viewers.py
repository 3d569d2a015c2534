"""Who looks at a judgment set, and what that lets them see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.accounts.roles import Role


@dataclass(frozen=True)
class Viewer:
    """`user`: whose own private metric runs are shown, beside the public ones; None: nobody's.

    role: on the set that is looked at; None: none. every_set: sets that are not published and that
    they are no member of, too. every_run: everybody's. hidden_labels: what people said of
    candidates whose labels are hidden.
    """

    user: int | None = None
    role: Role | None = None
    every_set: bool = False
    every_run: bool = False
    hidden_labels: bool = False

    @classmethod
    def of(cls, user: Any, role: Role | None = None) -> Viewer:
        """What an account sees of a set on which it has this role: editors see hidden labels,
        administrators everything."""
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
        """Whether they may do with the set what `needed` may; administrators may all of it."""
        return self.every_set or (self.role is not None and self.role.allows(needed))


PUBLIC = Viewer()
# Whoever has a shell on the server can read its database.
OPERATOR = Viewer(every_set=True, hidden_labels=True)
