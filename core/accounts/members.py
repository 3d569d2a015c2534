"""Members of one study or one judgment set: who has which role, and changing that.

Both rooms keep rows of their own with a user, a role and since when; the rules are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import models, transaction
from django.db.models import Q

from core import audit
from core.accounts.roles import Role

Changed = Callable[[str, User, Role | None, Role | None], None]


class MembershipError(ValueError):
    """The change cannot be made; the message says why and what to do."""


@dataclass(frozen=True)
class Members:
    """The members of one thing: the rows of `model` that have the values of `of`.

    `changed` is told what was done, to whom, and their role before and after.
    """

    model: Any
    of: Mapping[str, Any]
    changed: Changed

    @property
    def rows(self) -> models.QuerySet[Any]:
        """Each with its `user`, `role` and `since`; those who came first come first."""
        found: models.QuerySet[Any] = self.model._default_manager.filter(**self.of)
        return found.select_related("user")

    def add(self, user: User, role: Role, *, at: datetime) -> None:
        """Make somebody a member. Raises MembershipError for whom is one already."""
        if not self.join(user, role, at=at, only_new=True):
            raise MembershipError(f"{user.get_username()} is a member already: change their role.")

    def join(self, user: User, role: Role, *, at: datetime, only_new: bool = False) -> bool:
        """Give somebody at least this role; False where nothing was to be changed."""
        with transaction.atomic():
            row, made = self.model._default_manager.get_or_create(
                **self.of, user=user, defaults={"role": role, "since": at}
            )
            if made:
                self.changed("member.added", user, None, role)
                return True
            before = Role(row.role)
            if only_new or before.allows(role):
                return False
            self._set(row, role)
        return True

    def change(self, pk: int, role: Role) -> User:
        """Give a member another role. Raises MembershipError for the last owner."""
        with transaction.atomic():
            row = self._locked(pk)
            if role != Role.OWNER:
                self._keep_an_owner(row)
            if row.role != role:
                self._set(row, role)
        user: User = row.user
        return user

    def remove(self, pk: int) -> User:
        """End a membership. Raises MembershipError for the last owner."""
        with transaction.atomic():
            row = self._locked(pk)
            self._keep_an_owner(row)
            row.delete()
            self.changed("member.removed", row.user, Role(row.role), None)
        user: User = row.user
        return user

    def _set(self, row: Any, role: Role) -> None:
        before, row.role = Role(row.role), role
        row.save(update_fields=["role"])
        self.changed("member.changed", row.user, before, role)

    def _locked(self, pk: int) -> Any:
        """The row and every owner's, so that two owners cannot leave at once."""
        rows = self.rows.filter(Q(pk=pk) | Q(role=Role.OWNER)).order_by("pk")
        found = {row.pk: row for row in rows.select_for_update(of=("self",))}
        if pk not in found:
            raise MembershipError("They are not a member any more.")
        return found[pk]

    def _keep_an_owner(self, row: Any) -> None:
        others = self.rows.filter(role=Role.OWNER).exclude(pk=row.pk)
        if row.role == Role.OWNER and not others.exists():
            raise MembershipError(
                f"{row.user.get_username()} is the last owner. Make somebody else an owner first."
            )


def recorded(kind: str, target: Any, **about: Any) -> Changed:
    """What writes changes of roles to the audit log: `kind` begins the action, `target` is what the
    role is on."""

    def record(action: str, user: User, before: Role | None, after: Role | None) -> None:
        named = {"member": user.get_username()}
        audit.record(
            None,
            f"{kind}.{action}",
            target,
            named | {"role": before.value} if before else None,
            named | {"role": after.value} if after else None,
            **about,
        )

    return record
