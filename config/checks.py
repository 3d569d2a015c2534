"""System checks: settings that do not fit together, each with an id and what to do."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register


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
