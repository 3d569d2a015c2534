"""System checks of how the site is reached: combinations that are not safe, and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register
from django.core.exceptions import ImproperlyConfigured

from config.checks import is_given
from core.security.limits.rules import rate_of

LOCAL = frozenset({"localhost", "127.0.0.1", "[::1]", "testserver"})


@register()
def hosts_are_named(**_: Any) -> list[CheckMessage]:
    """With any Host taken, whoever asks for a new password for somebody chooses where its link
    leads to."""
    if "*" not in settings.ALLOWED_HOSTS:
        return []
    return [
        Error(
            "ALLOWED_HOSTS holds *: links in mails could lead to any site.",
            hint="Name the hosts by which the site is reached.",
            id="concord.E004",
        )
    ]


@register()
def secret_key_is_shared(**_: Any) -> list[CheckMessage]:
    """Web processes and workers on several machines must sign alike."""
    if not settings.DATABASE_URL or is_given("SECRET_KEY"):
        return []
    return [
        Error(
            "DATABASE_URL is set and SECRET_KEY is not: each machine would make a key of its own, "
            "and take no link or session of another.",
            hint="Set SECRET_KEY to one long random text on all machines.",
            id="concord.E005",
        )
    ]


@register()
def rates_can_be_read(**_: Any) -> list[CheckMessage]:
    """Rate limits that are no rates stop the site at its start."""
    found: list[CheckMessage] = []
    for name in settings.RATE_LIMITS:
        try:
            rate_of(name)
        except ImproperlyConfigured as error:
            found.append(Error(str(error), id="concord.E006"))
    return found


@register()
def tls_and_proxies_fit_together(**_: Any) -> list[CheckMessage]:
    """Who calls is known from the proxies in front, and from nothing that callers write."""
    return list(_proxies())


@register()
def allowed_hosts_of_calls_are_hosts(**_: Any) -> list[CheckMessage]:
    """An entry with a scheme or a path would never fit an address."""
    wrong = [one for one in settings.OUTGOING_ALLOWED_HOSTS if "/" in one or "*" in one]
    if not wrong:
        return []
    return [
        Error(
            f"OUTGOING_ALLOWED_HOSTS holds {', '.join(wrong)}, which is no host.",
            hint="Write hosts, or host:port, without a scheme, path or *.",
            id="concord.E007",
        )
    ]


def _proxies() -> Iterator[CheckMessage]:
    others = set(settings.ALLOWED_HOSTS) - LOCAL
    if others and not settings.BEHIND_TLS:
        yield Warning(
            f"The site answers as {', '.join(sorted(others))} without TLS: passwords cross the "
            "network in the clear.",
            hint="Put a proxy that speaks HTTPS in front and set BEHIND_TLS=true.",
            id="concord.W002",
        )
    if settings.BEHIND_TLS and not settings.TRUSTED_PROXIES:
        yield Warning(
            "BEHIND_TLS is true and TRUSTED_PROXIES is 0: all callers have the proxy's address, "
            "and one of them uses up the rate limits of all.",
            hint="Set TRUSTED_PROXIES to the number of proxies in front.",
            id="concord.W003",
        )
    if settings.TRUSTED_PROXIES and not settings.BEHIND_TLS:
        yield Warning(
            "TRUSTED_PROXIES is set and BEHIND_TLS is not: if the site can be reached without the "
            "proxies, callers may write any address into X-Forwarded-For.",
            hint="Set TRUSTED_PROXIES=0, or see that only the proxies reach the site.",
            id="concord.W004",
        )
