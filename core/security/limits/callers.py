"""Identify the callers whom a rate limit counts: accounts, addresses and their networks.

A caller is never a text that the client chose: whoever sends another text would be another caller,
and each would have a rate and a row of its own.
"""

from __future__ import annotations

import ipaddress
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest

IPV6_PREFIX = 64  # the network that a provider assigns to one customer
# The network that a provider assigns to a large customer, or anybody gets from a tunnel broker: it
# has 65,536 of those with IPV6_PREFIX.
IPV6_SITE_PREFIX = 48
# A group of callers, such as the accounts at one address, together has the rates of so many.
GROUP_SHARE = 20
UNKNOWN = "unknown address"  # all callers without an address share one rate


@dataclass(frozen=True)
class Caller:
    """Whom a rate limit counts. `share`: of how many single callers it has the rate."""

    key: str
    share: int = 1


# The group comes first: when it is over its rate, no rows are added for the callers in it.
Callers = list[Caller]


def address(request: HttpRequest) -> Callers:
    """The caller's IP address; of an IPv6 address, its /48 network and its /64 network."""
    ip = _ip(request)
    if isinstance(ip, ipaddress.IPv6Address):
        return [_group(ip), Caller(_network(ip, IPV6_PREFIX))]
    return [Caller(UNKNOWN if ip is None else str(ip))]


def account(request: HttpRequest) -> Callers:
    """All accounts at the caller's address, and the signed-in one; the address for visitors."""
    user = getattr(request, "user", None)
    if user is not None and user.is_authenticated:
        return one_of_many(request, f"account {user.pk}")
    return address(request)


def one_of_many(request: HttpRequest, key: str) -> Callers:
    """All callers at the address or in the IPv6 /48 network of the caller `key`, and this one."""
    return [_group(_ip(request)), Caller(key)]


def named_account(field: str) -> Callable[[HttpRequest], Callers]:
    """The account that `field` of a posted form names, normalized in case and width."""

    def named(request: HttpRequest) -> Callers:
        name = _posted_name(request, field)
        return [Caller(name)] if name else []

    return named


def named_account_at_address(field: str) -> Callable[[HttpRequest], Callers]:
    """The account that `field` of a posted form names, together with the caller's address."""

    def named(request: HttpRequest) -> Callers:
        return [Caller(f"{address(request)[-1].key} {_posted_name(request, field)}")]

    return named


def _posted_name(request: HttpRequest, field: str) -> str:
    name = request.POST.get(field, "")
    return unicodedata.normalize("NFKC", name).casefold().strip()[:200]


def _group(ip: ipaddress.IPv4Address | ipaddress.IPv6Address | None) -> Caller:
    """All callers at an IPv4 address or in the /48 network of an IPv6 address."""
    if isinstance(ip, ipaddress.IPv6Address):
        return Caller(f"all of {_network(ip, IPV6_SITE_PREFIX)}", GROUP_SHARE)
    return Caller(f"all of {UNKNOWN if ip is None else ip}", GROUP_SHARE)


def _network(ip: ipaddress.IPv6Address, prefix: int) -> str:
    return str(ipaddress.ip_network((int(ip), prefix), strict=False))


def _ip(request: HttpRequest) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The caller's IP address; None if it is unknown.

    Behind proxies it is the address that the outermost of the TRUSTED_PROXIES saw, counted from the
    right of X-Forwarded-For. The caller can forge what is left of it. If that entry is no address,
    it is the address of the proxy.
    """
    remote = _parse(request.META.get("REMOTE_ADDR", ""))
    if settings.TRUSTED_PROXIES:
        forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
        entry = forwarded[-min(settings.TRUSTED_PROXIES, len(forwarded))]
        return _parse(entry.strip()) or remote
    return remote


def _parse(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """An address, with or without the port that some proxies add: 192.0.2.1:80, [2001:db8::1]:80.

    An IPv4 address that was mapped to IPv6 is an IPv4 address.
    """
    host = text
    if text.startswith("["):
        host = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        host = text.partition(":")[0]
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return None
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped:
        return ip.ipv4_mapped
    return ip
