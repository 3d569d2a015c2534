"""System checks: settings that do not fit together, each with an id and what to do."""

from __future__ import annotations

import os
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register


def is_given(name: str) -> bool:
    """Whether the environment holds the variable, or names a file with it."""
    return bool(os.environ.get(name) or os.environ.get(f"{name}_FILE"))


@register()
def servers_fit_together(**_: Any) -> list[CheckMessage]:
    """One of the two servers by URL and the other embedded works on one machine only."""
    found: list[CheckMessage] = []
    if bool(settings.DATABASE_URL) != bool(settings.BROKER_URL):
        given, missing = ("DATABASE_URL", "BROKER_URL")
        if settings.BROKER_URL:
            given, missing = missing, given
        found.append(
            Warning(
                f"{given} is set but {missing} is not: the other server is the embedded one, "
                "which only processes on this machine can reach.",
                hint=f"Set {missing} too.",
                id="concord.W001",
            )
        )
    engine = settings.DATABASES["default"]["ENGINE"]
    if "postgresql" not in engine:
        found.append(
            Error(
                f"DATABASE_URL names {engine}, but Concord needs PostgreSQL.",
                hint="Give postgresql://user:password@host/name.",
                id="concord.E001",
            )
        )
    return found


@register()
def identity_keys_are_keys(**_: Any) -> list[CheckMessage]:
    """A short key could be guessed, and with it everybody's identity read."""
    if all(len(key.strip()) >= 32 for key in settings.IDENTITY_KEYS):
        return []
    return [
        Error(
            "IDENTITY_KEYS holds a key of fewer than 32 characters.",
            hint="Make one: python -c 'import secrets; print(secrets.token_urlsafe(50))'",
            id="concord.E002",
        )
    ]


@register(deploy=True)
def identity_keys_are_given(**_: Any) -> list[CheckMessage]:
    """Machines that share a database must share the keys to what is in it."""
    if settings.EMBEDDED or is_given("IDENTITY_KEYS"):
        return []
    return [
        Error(
            "IDENTITY_KEYS is not set: this machine made a key of its own, and others could not "
            "tell who its raters are.",
            hint="Set IDENTITY_KEYS on all machines to what stands in var/identity_key here.",
            id="concord.E003",
        )
    ]
