"""Identify the caller of a request: by account, IP address, rating link or API token."""

from __future__ import annotations

import ipaddress
import unicodedata

from django.conf import settings
from django.http import HttpRequest

IPV6_PREFIX = 64  # the network that a provider assigns to one customer


def address(request: HttpRequest) -> str:
    """The caller's IP address, or the /64 network of an IPv6 address; empty if it is unknown.

    Behind proxies it is the address that the outermost of the TRUSTED_PROXIES saw, counted from the
    right of X-Forwarded-For. The caller can forge what is left of it.
    """
    remote = request.META.get("REMOTE_ADDR", "")
    if settings.TRUSTED_PROXIES:
        forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
        remote = forwarded[-min(settings.TRUSTED_PROXIES, len(forwarded))].strip() or remote
    try:
        ip = ipaddress.ip_address(remote)
    except ValueError:
        return ""
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped:
            return str(ip.ipv4_mapped)
        return str(ipaddress.ip_network((int(ip), IPV6_PREFIX), strict=False))
    return str(ip)


def account(request: HttpRequest) -> str:
    """The signed-in account; the address for visitors."""
    user = getattr(request, "user", None)
    if user is not None and user.is_authenticated:
        return f"account {user.pk}"
    return address(request)


def named_account(request: HttpRequest) -> str:
    """The account that a posted form names, normalized in case and width."""
    for field in ("username", "email", "name"):
        if name := request.POST.get(field, ""):
            return unicodedata.normalize("NFKC", name).casefold().strip()[:200]
    return ""


def named_account_at_address(request: HttpRequest) -> str:
    """The account that a form names, together with the caller's address."""
    return f"{address(request)} {named_account(request)}"


def link(request: HttpRequest) -> str:
    """The signed part of a rating link; the path if there is none."""
    match = request.resolver_match
    kwargs = match.kwargs if match else {}
    return str(kwargs.get("token") or kwargs.get("signed") or request.path)


def bearer(request: HttpRequest) -> str:
    """The API token of a request, else the signed-in account, else the address."""
    return request.META.get("HTTP_AUTHORIZATION", "") or account(request)
