"""System checks of the settings."""

from __future__ import annotations

import os

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register


def is_set(name: str) -> bool:
    """Whether the environment variable is set, itself or by a file (NAME_FILE)."""
    return bool(os.environ.get(name) or os.environ.get(f"{name}_FILE"))


@register()
def check_servers(**_: object) -> list[CheckMessage]:
    """Warn if only one of the servers is embedded, which works on one machine only."""
    messages: list[CheckMessage] = []
    if bool(settings.DATABASE_URL) != bool(settings.BROKER_URL):
        set_name, missing = ("DATABASE_URL", "BROKER_URL")
        if settings.BROKER_URL:
            set_name, missing = missing, set_name
        messages.append(
            Warning(
                f"{set_name} is set but {missing} is not. The other server is the embedded one, "
                "which only processes on this machine can reach.",
                hint=f"Set {missing} too.",
                id="concord.W001",
            )
        )
    engine = settings.DATABASES["default"]["ENGINE"]
    if "postgresql" not in engine:
        messages.append(
            Error(
                f"DATABASE_URL names {engine}, but Concord needs PostgreSQL.",
                hint="Set it to postgresql://user:password@host/name.",
                id="concord.E001",
            )
        )
    return messages


@register(deploy=True)
def check_identity_keys_are_set(**_: object) -> list[CheckMessage]:
    """Require explicit keys when several machines share a database."""
    if settings.EMBEDDED or is_set("IDENTITY_KEYS"):
        return []
    return [
        Error(
            "IDENTITY_KEYS is not set. This machine created its own key, so that other machines "
            "cannot decrypt the identities of raters.",
            hint="Set IDENTITY_KEYS on all machines to the content of var/identity_key here.",
            id="concord.E003",
        )
    ]
