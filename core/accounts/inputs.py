"""What people enter about tokens, invitations and members, on pages and in the API."""

from __future__ import annotations

from dataclasses import dataclass, field

from concord.bounds import REQUIRED, Text, choice, choice_of, described, items, number, text
from core.accounts.roles import Role, SiteRole
from core.accounts.tokens import SCOPES

EMAIL = described(
    Text(320, format="email"),
    "E-mail",
    "Stored with the invitation; no e-mail is sent.",
)


@dataclass(frozen=True, slots=True)
class NewToken:
    """An API token's name, scopes and lifetime."""

    name: str = field(metadata=text(100, required=REQUIRED, label="Name"))
    scopes: tuple[str, ...] = field(
        metadata=items(
            20,
            min_items=1,
            each=choice_of({scope: f"{scope}: {meaning}" for scope, meaning in SCOPES.items()}),
            required="choose at least one scope",
            label="Scopes",
        )
    )
    days: int = field(
        default=90,
        metadata=number(1, 365, label="Expires after", help="Days until it expires."),
    )


@dataclass(frozen=True, slots=True)
class NewInvitation:
    """An invitation to an account."""

    site_role: str = field(
        default=SiteRole.SUBMITTER.value,
        metadata=choice(
            SiteRole.values,
            label="Site role",
            help=" ".join(f"A {one.value} {one.meaning}." for one in SiteRole),
        ),
    )
    email: str = field(default="", metadata=EMAIL)


@dataclass(frozen=True, slots=True)
class GiveRole:
    """The role of a member."""

    role: str = field(metadata=choice(Role.values, label="Role"))


@dataclass(frozen=True, slots=True)
class InviteMember(GiveRole):
    """An invitation to a role."""

    email: str = field(default="", metadata=EMAIL)
