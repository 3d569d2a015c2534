"""Members of a study or a judgment set, and the rules for changing them.

Each app has its own table of members, with a user, a role and a date; the rules are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, Unpack

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Model, Q, QuerySet

from core import audit
from core.accounts.roles import Role
from core.refusals import RefusedError

OnChange = Callable[[str, User, Role | None, Role | None], None]


class MemberRow(Protocol):
    """A row of a table of members."""

    role: str

    @property
    def pk(self) -> int: ...

    @property
    def user(self) -> User: ...

    def save(self, *, update_fields: Iterable[str]) -> None: ...

    def delete(self) -> object: ...


@dataclass(frozen=True)
class Members:
    """The members of a study or judgment set: the rows of `model` with the values `filters`.

    on_change: called with the action, the user, and the role before and after.
    """

    # A model with the fields of MemberRow: each app has its own.
    model: Any
    filters: Mapping[str, object]
    on_change: OnChange

    @property
    def rows(self) -> QuerySet[Any]:  # rows of `model`
        """The members' rows with `user`, `role` and `since`, oldest first."""
        rows: QuerySet[Any] = self.model._default_manager.filter(**self.filters)  # rows of `model`
        return rows.select_related("user")

    def add(self, user: User, role: Role, *, at: datetime) -> None:
        """Add a member. Raises RefusedError when the user is already one."""
        if not self.join(user, role, at=at, only_new=True):
            raise RefusedError(
                f"{user.get_username()} is already a member. Change the role instead.",
                "membership-refused",
            )

    def join(self, user: User, role: Role, *, at: datetime, only_new: bool = False) -> bool:
        """Give a user at least this role. Returns whether something changed."""
        with transaction.atomic():
            row, is_new = self.model._default_manager.get_or_create(
                **self.filters, user=user, defaults={"role": role, "since": at}
            )
            if is_new:
                self.on_change("member.added", user, None, role)
                return True
            before = Role(row.role)
            if only_new or before.allows(role):
                return False
            self._set(row, role)
        return True

    def change(self, pk: int, role: Role) -> User:
        """Change a member's role. Raises RefusedError for the last owner."""
        with transaction.atomic():
            row = self._lock(pk)
            if role != Role.OWNER:
                self._keep_an_owner(row)
            if row.role != role:
                self._set(row, role)
        return row.user

    def remove(self, pk: int) -> User:
        """Remove a member. Raises RefusedError for the last owner."""
        with transaction.atomic():
            row = self._lock(pk)
            self._keep_an_owner(row)
            row.delete()
            self.on_change("member.removed", row.user, Role(row.role), None)
        return row.user

    def _set(self, row: MemberRow, role: Role) -> None:
        before, row.role = Role(row.role), role
        row.save(update_fields=["role"])
        self.on_change("member.changed", row.user, before, role)

    def _lock(self, pk: int) -> MemberRow:
        """Lock the row and those of all owners, so that two owners cannot leave at once."""
        rows = self.rows.filter(Q(pk=pk) | Q(role=Role.OWNER)).order_by("pk")
        locked_rows: dict[int, MemberRow] = {
            row.pk: row for row in rows.select_for_update(of=("self",))
        }
        if pk not in locked_rows:
            raise RefusedError("This person is no longer a member.", "membership-refused")
        return locked_rows[pk]

    def _keep_an_owner(self, row: MemberRow) -> None:
        others = self.rows.filter(role=Role.OWNER).exclude(pk=row.pk)
        if row.role == Role.OWNER and not others.exists():
            raise RefusedError(
                f"{row.user.get_username()} is the last owner. Make another member an owner first.",
                "membership-refused",
            )


def audit_recorder(
    kind: str, target: Model | tuple[str, str], **scope: Unpack[audit.AuditScope]
) -> OnChange:
    """A callback for `Members.on_change` that writes to the audit log.

    kind: the beginning of the audit action. target: the study or judgment set. scope: further
    arguments of `audit.record`.
    """

    def record(action: str, user: User, before: Role | None, after: Role | None) -> None:
        member = {"member": user.get_username()}
        audit.record(
            None,
            f"{kind}.{action}",
            target,
            member | {"role": before.value} if before else None,
            member | {"role": after.value} if after else None,
            **scope,
        )

    return record
