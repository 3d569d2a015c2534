"""The study of tests/annotation, with its people."""

from tests.annotation.conftest import everybody, owner, rosa, scene

__all__ = ["everybody", "owner", "rosa", "scene"]
