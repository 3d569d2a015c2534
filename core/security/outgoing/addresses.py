"""Check which addresses this server may call: public ones, and those that a setting allows.

A name is resolved once and all its addresses are checked. The caller connects to one of the checked
addresses, which prevents DNS rebinding.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import threading
from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

MAX_URL_CHARS = 2000
RESOLVE_SECONDS = 10.0
IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

# IPv6 networks whose addresses contain an IPv4 address, and at which bit from the right it begins.
_IPV4_IN_IPV6 = (
    (ipaddress.IPv6Network("::ffff:0:0/96"), 0),  # IPv4-mapped
    (ipaddress.IPv6Network("::/96"), 0),  # IPv4-compatible, long deprecated
    (ipaddress.IPv6Network("::ffff:0:0:0/96"), 0),  # IPv4-translated
    (ipaddress.IPv6Network("64:ff9b::/96"), 0),  # NAT64
    (ipaddress.IPv6Network("2002::/16"), 80),  # 6to4
)
# Networks that some Python versions regard as public.
_NOT_PUBLIC = tuple(
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
        "2001::/23",  # includes Teredo
        "2001:db8::/32",
        "3fff::/20",
        "5f00::/16",
        "fec0::/10",
    )
)


class AddressRefusedError(ValueError):
    """This server must not call the URL. The message says why and does not contain the path.

    permanent: whether a later call would be refused too.
    """

    permanent = True


class UnresolvedNameError(AddressRefusedError):
    """The name does not resolve now; it may later."""

    permanent = False


@dataclass(frozen=True)
class ConnectionTarget:
    """Where to connect. `addresses` are all checked; `host` is the name for TLS and Host."""

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
    """Check a URL without resolving its name. Returns its parts.

    allowed: hosts, as "host" or "host:port", that may have private addresses and no TLS.

    Raises AddressRefusedError.
    """
    if len(url) > MAX_URL_CHARS:
        raise AddressRefusedError(f"the URL is longer than {MAX_URL_CHARS} characters")
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise AddressRefusedError("the URL must consist of printable ASCII characters")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise AddressRefusedError(f"this is not a URL: {error}") from error
    if parts.scheme not in ("https", "http"):
        raise AddressRefusedError("the URL must begin with https://")
    if not parts.hostname:
        raise AddressRefusedError("the URL has no host")
    if parts.username is not None or parts.password is not None:
        raise AddressRefusedError("the URL must not contain a user name or password")
    if parts.fragment:
        raise AddressRefusedError("the URL must not contain a fragment (#)")
    if port == 0:
        raise AddressRefusedError("port 0 is not valid")
    if parts.scheme == "http" and not _is_allowed(parts, allowed):
        raise AddressRefusedError("the URL must begin with https://")
    return parts


def resolve(
    url: str, allowed: Collection[str] = (), *, seconds: float = RESOLVE_SECONDS
) -> ConnectionTarget:
    """Resolve a URL. Raises AddressRefusedError as `check_url` does, and when the name does not
    resolve within `seconds` or one of its addresses is not public."""
    parts = check_url(url, allowed)
    host = parts.hostname or ""
    port = parts.port or _default_port(parts.scheme)
    addresses = _look_up(host, port, seconds)
    if not _is_allowed(parts, allowed):
        for address in addresses:
            if not is_public(address):
                raise AddressRefusedError(
                    f"{host} is not on the public internet; this server does not call private, "
                    "local or reserved addresses"
                )
    path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    return ConnectionTarget(parts.scheme, host, port, addresses, path)


def _look_up(host: str, port: int, seconds: float) -> tuple[str, ...]:
    """The addresses of a host. The system's resolver has no timeout, so a thread waits for it."""
    found: list[tuple[str, ...]] = []

    def look_up() -> None:
        with contextlib.suppress(OSError, UnicodeError):
            entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            found.append(tuple(dict.fromkeys(str(entry[4][0]) for entry in entries)))

    thread = threading.Thread(target=look_up, name="name look-up", daemon=True)
    thread.start()
    thread.join(seconds)
    if not found:
        raise UnresolvedNameError(f"the name {host} does not resolve")
    return found[0]


def is_public(address: str) -> bool:
    """Whether a text is an IP address on the public internet.

    An IPv6 address that contains an IPv4 address counts as that address.
    """
    try:
        ip: IPAddress = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.scope_id is not None:
            return False
        for network, shift in _IPV4_IN_IPV6:
            if ip in network:
                return is_public(str(ipaddress.IPv4Address((int(ip) >> shift) & 0xFFFFFFFF)))
    if any(ip.version == network.version and ip in network for network in _NOT_PUBLIC):
        return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified)


def _is_allowed(parts: SplitResult, allowed: Collection[str]) -> bool:
    host = (parts.hostname or "").lower()
    name = f"[{host}]" if ":" in host else host
    port = parts.port or _default_port(parts.scheme)
    return bool({host, name, f"{name}:{port}"} & {entry.lower() for entry in allowed})


def _default_port(scheme: str) -> int:
    return 443 if scheme == "https" else 80
