"""Refuse to listen on addresses that other machines can reach without a reverse proxy.

Each thread of gunicorn serves one connection and waits for its client, so that a few dozen slow
clients can occupy all threads. A reverse proxy (deploy/) buffers requests and responses.
"""

from __future__ import annotations

import ipaddress
import socket

from environs import FileAwareEnv

SETTING = "ALLOW_DIRECT_EXPOSURE"
_env = FileAwareEnv(strip_whitespace=True)
# -- Web server --


class ExposureError(RuntimeError):
    """Other machines could connect to the server directly."""


def is_allowed() -> bool:
    """Whether the setting allows direct exposure."""
    # Whether the web server may listen on addresses that other machines can reach, without a proxy.
    return _env.bool("ALLOW_DIRECT_EXPOSURE", False)


def check_host(host: str) -> None:
    """Raise ExposureError unless `host`, a name or an IP address, is on the loopback interface.

    A name must resolve to loopback addresses only. An empty host means all interfaces. Raises
    OSError where a name cannot be resolved.
    """
    if host and all(
        ipaddress.ip_address(entry[4][0]).is_loopback for entry in socket.getaddrinfo(host, None)
    ):
        return
    raise ExposureError(
        f"The web server would listen on {host or 'all interfaces'}, which other machines can "
        "reach. Without a reverse proxy, a few dozen slow clients can block the whole site. "
        "Listen on 127.0.0.1 with the proxy in front (see deploy/README.md), or accept the risk: "
        f"set {SETTING}=true, or give --allow-direct-exposure to `manage.py run`."
    )
