"""Who is asking: by account, by address, by the token in a rating page's address."""

from __future__ import annotations

import ipaddress
import unicodedata

from django.conf import settings
from django.http import HttpRequest

IPV6_NETWORK = 64  # what a provider gives to one customer


def address(request: HttpRequest) -> str:
    """The caller's network address; of IPv6 the /64, all of which one caller has.

    Behind TRUSTED_PROXIES proxies it is the address that the outermost of them saw, counted from
    the right of X-Forwarded-For: what stands left of it the caller wrote. Empty where it is not
    known, as on a Unix socket.
    """
    found = request.META.get("REMOTE_ADDR", "")
    if settings.TRUSTED_PROXIES:
        passed = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
        found = passed[-min(settings.TRUSTED_PROXIES, len(passed))].strip() or found
    try:
        ip = ipaddress.ip_address(found)
    except ValueError:
        return ""
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped:
            return str(ip.ipv4_mapped)
        return str(ipaddress.ip_network((int(ip), IPV6_NETWORK), strict=False))
    return str(ip)


def account(request: HttpRequest) -> str:
    """The account that is signed in, or, for visitors, the address."""
    user = getattr(request, "user", None)
    if user is not None and user.is_authenticated:
        return f"account {user.pk}"
    return address(request)


def named_account(request: HttpRequest) -> str:
    """The account that a form names, however its case or width: who is to be signed in."""
    for field in ("username", "email", "name"):
        if given := request.POST.get(field, ""):
            return unicodedata.normalize("NFKC", given).casefold().strip()[:200]
    return ""


def named_account_here(request: HttpRequest) -> str:
    """An account as this address names it."""
    return f"{address(request)} {named_account(request)}"


def link(request: HttpRequest) -> str:
    """The signed link that a rating page was opened by, or the page's own name."""
    found = request.resolver_match
    kwargs = found.kwargs if found else {}
    return str(kwargs.get("token") or kwargs.get("signed") or request.path)


def bearer(request: HttpRequest) -> str:
    """The token that an API request presents, or who is signed in, or the address."""
    return request.META.get("HTTP_AUTHORIZATION", "") or account(request)
