"""The study of tests/annotation/studies, with its people."""

from tests.annotation.studies.conftest import everybody, owner, rosa, scene

__all__ = ["everybody", "owner", "rosa", "scene"]
