"""Django on another database than the tests' own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import dj_database_url
from django.db import connections

_PLACE = ("HOST", "PORT", "NAME", "USER", "PASSWORD")


@contextmanager
def on_database(url: str) -> Iterator[None]:
    """Within the block this thread's queries go to the database at `url`."""
    usual = connections["default"]
    own = usual.copy()
    own.settings_dict = usual.settings_dict | {
        key: value for key, value in dj_database_url.parse(url).items() if key in _PLACE
    }
    connections["default"] = own
    try:
        yield
    finally:
        own.close()
        connections["default"] = usual
