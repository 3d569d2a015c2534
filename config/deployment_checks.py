"""System checks for deployment: unsafe combinations of settings."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register
from django.core.exceptions import ImproperlyConfigured

from config.checks import is_set
from core.security.limits.rules import rate_of

LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]", "testserver"})


@register()
def check_allowed_hosts(**_: object) -> list[CheckMessage]:
    """Refuse *: with any Host header, an attacker chooses the site of password-reset links."""
    if "*" not in settings.ALLOWED_HOSTS:
        return []
    return [
        Error(
            "ALLOWED_HOSTS contains *: links in e-mails could lead to any site.",
            hint="List the host names of the site.",
            id="concord.E004",
        )
    ]


@register()
def check_secret_key_is_set(**_: object) -> list[CheckMessage]:
    """Require an explicit key when several machines share a database."""
    if not settings.DATABASE_URL or is_set("SECRET_KEY"):
        return []
    return [
        Error(
            "DATABASE_URL is set and SECRET_KEY is not. Each machine would create its own key and "
            "reject links and sessions of the others.",
            hint="Set SECRET_KEY to the same long random text on all machines.",
            id="concord.E005",
        )
    ]


@register()
def check_rates(**_: object) -> list[CheckMessage]:
    """Report invalid rate limits, which prevent the site from starting."""
    messages: list[CheckMessage] = []
    for name in settings.RATE_LIMITS:
        try:
            rate_of(name)
        except ImproperlyConfigured as error:
            messages.append(Error(str(error), id="concord.E006"))
    return messages


@register()
def check_tls_and_proxies(**_: object) -> list[CheckMessage]:
    """Warn about combinations with which callers can forge their address."""
    return list(_proxy_warnings())


@register()
def check_outgoing_allowed_hosts(**_: object) -> list[CheckMessage]:
    """Report entries that are no hosts, which would never match."""
    invalid = [one for one in settings.OUTGOING_ALLOWED_HOSTS if "/" in one or "*" in one]
    if not invalid:
        return []
    return [
        Error(
            f"OUTGOING_ALLOWED_HOSTS contains {', '.join(invalid)}, which is not a host.",
            hint="Write hosts, or host:port, without a scheme, path or *.",
            id="concord.E007",
        )
    ]


def _proxy_warnings() -> Iterator[CheckMessage]:
    public_hosts = set(settings.ALLOWED_HOSTS) - LOCAL_HOSTS
    if public_hosts and not settings.BEHIND_TLS:
        yield Warning(
            f"The site answers as {', '.join(sorted(public_hosts))} without TLS. Passwords are "
            "sent over the network unencrypted.",
            hint="Put a reverse proxy with HTTPS in front and set BEHIND_TLS=true.",
            id="concord.W002",
        )
    if settings.BEHIND_TLS and not settings.TRUSTED_PROXIES:
        yield Warning(
            "BEHIND_TLS is true and TRUSTED_PROXIES is 0. All callers have the proxy's address, so "
            "that they share one rate limit.",
            hint="Set TRUSTED_PROXIES to the number of proxies in front.",
            id="concord.W003",
        )
    if settings.TRUSTED_PROXIES and not settings.BEHIND_TLS:
        yield Warning(
            "TRUSTED_PROXIES is set and BEHIND_TLS is not. If the site can be reached without the "
            "proxies, callers can forge their address in X-Forwarded-For.",
            hint="Set TRUSTED_PROXIES=0, or make sure that only the proxies can reach the site.",
            id="concord.W004",
        )
