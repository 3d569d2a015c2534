"""Who looks at a judgment set, and what that lets them see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Viewer:
    """`user`: whose own private metric runs are shown, beside the public ones; None: nobody's.

    every_run: everybody's. hidden_labels: what people said of candidates whose labels are hidden.
    """

    user: int | None = None
    every_run: bool = False
    hidden_labels: bool = False

    @classmethod
    def of(cls, user: Any) -> Viewer:
        """What an account sees: staff see hidden labels, administrators private runs too."""
        if not user.is_authenticated:
            return PUBLIC
        return cls(user.pk, every_run=user.is_superuser, hidden_labels=user.is_staff)


PUBLIC = Viewer()
# Whoever has a shell on the server can read its database.
OPERATOR = Viewer(hidden_labels=True)
