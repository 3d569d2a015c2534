"""Which addresses this server may call: none of its own network, unless an administrator says so.

A name is resolved once and every address it has is judged; the caller then connects to one of
these very addresses, so that a name that resolves differently the next moment (DNS rebinding)
gains nothing.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

MOST_URL_CHARACTERS = 2000
IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

# Networks that carry an IPv4 address inside an IPv6 one, which counts instead, and at which bit
# of the address it begins, from the right.
_CARRIERS = (
    (ipaddress.IPv6Network("::ffff:0:0/96"), 0),  # IPv4-mapped
    (ipaddress.IPv6Network("::/96"), 0),  # IPv4-compatible, long deprecated
    (ipaddress.IPv6Network("::ffff:0:0:0/96"), 0),  # IPv4-translated
    (ipaddress.IPv6Network("64:ff9b::/96"), 0),  # NAT64
    (ipaddress.IPv6Network("2002::/16"), 80),  # 6to4
)
# What the library of some Python versions takes for public.
_CLOSED = tuple(
    ipaddress.ip_network(network)
    for network in (
        "0.0.0.0/8",
        "100.64.0.0/10",
        "192.0.0.0/24",
        "192.88.99.0/24",
        "198.18.0.0/15",
        "240.0.0.0/4",
        "64:ff9b:1::/48",
        "100::/64",
        "2001::/23",  # Teredo among them
        "2001:db8::/32",
        "3fff::/20",
        "5f00::/16",
        "fec0::/10",
    )
)


class AddressRefusedError(ValueError):
    """This server does not call that address; the message says why, without the path."""


@dataclass(frozen=True)
class Target:
    """Where to connect: `addresses` were all judged, `host` is the name for TLS and Host."""

    scheme: str
    host: str
    port: int
    addresses: tuple[str, ...]
    path: str

    @property
    def host_header(self) -> str:
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == _default_port(self.scheme) else f"{name}:{self.port}"


def check_url(url: str, allowed: Collection[str] = ()) -> SplitResult:
    """The URL's parts, judged by what it says alone, without asking any name server.

    `allowed` holds hosts, as "host" or "host:port", that may have private addresses and be called
    without TLS. Raises AddressRefusedError.
    """
    if len(url) > MOST_URL_CHARACTERS:
        raise AddressRefusedError(f"the address is longer than {MOST_URL_CHARACTERS} characters")
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise AddressRefusedError("the address may hold printable ASCII characters only")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise AddressRefusedError(f"this is no address: {error}") from error
    if parts.scheme not in ("https", "http"):
        raise AddressRefusedError("the address must begin with https://")
    if not parts.hostname:
        raise AddressRefusedError("the address names no host")
    if parts.username is not None or parts.password is not None:
        raise AddressRefusedError("the address may not hold a name or password")
    if parts.fragment:
        raise AddressRefusedError("the address may not hold a fragment (#)")
    if port == 0:
        raise AddressRefusedError("there is no port 0")
    if parts.scheme == "http" and not _is_allowed(parts, allowed):
        raise AddressRefusedError("the address must begin with https://")
    return parts


def resolve(url: str, allowed: Collection[str] = ()) -> Target:
    """Where to connect for this URL. Raises AddressRefusedError, as `check_url`, and when the
    name does not resolve or any of its addresses is not public."""
    parts = check_url(url, allowed)
    host = parts.hostname or ""
    port = parts.port or _default_port(parts.scheme)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise AddressRefusedError(f"the name {host} does not resolve") from error
    addresses = tuple(dict.fromkeys(str(entry[4][0]) for entry in found))
    if not _is_allowed(parts, allowed):
        for address in addresses:
            if not is_public(address):
                raise AddressRefusedError(
                    f"{host} is not on the public internet; this server calls no address of a "
                    "private, local or reserved network"
                )
    path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    return Target(parts.scheme, host, port, addresses, path)


def is_public(address: str) -> bool:
    """Whether an IP address, as text, belongs to the public internet; an unreadable one does not.

    An IPv6 address that carries an IPv4 one is judged by that.
    """
    try:
        ip: IPAddress = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.scope_id is not None:
            return False
        for network, shift in _CARRIERS:
            if ip in network:
                return is_public(str(ipaddress.IPv4Address((int(ip) >> shift) & 0xFFFFFFFF)))
    if any(ip.version == network.version and ip in network for network in _CLOSED):
        return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified)


def _is_allowed(parts: SplitResult, allowed: Collection[str]) -> bool:
    host = (parts.hostname or "").lower()
    name = f"[{host}]" if ":" in host else host
    port = parts.port or _default_port(parts.scheme)
    return bool({host, name, f"{name}:{port}"} & {entry.lower() for entry in allowed})


def _default_port(scheme: str) -> int:
    return 443 if scheme == "https" else 80
