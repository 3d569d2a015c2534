"""The people of tests/annotation."""

from tests.annotation.conftest import rosa

__all__ = ["rosa"]
