"""Readable names of browsers, from user agent strings."""

from __future__ import annotations

# The first match counts: browsers also name those from which they descend.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)
UNKNOWN = "an unknown browser"


def device(user_agent: str) -> str:
    """For example "Firefox on Linux", or "an unknown browser"."""
    browser = next((name for pattern, name in BROWSERS if pattern in user_agent), "")
    system = next((name for pattern, name in SYSTEMS if pattern in user_agent), "")
    if not browser:
        return f"{UNKNOWN} on {system}" if system else UNKNOWN
    return f"{browser} on {system}" if system else browser
