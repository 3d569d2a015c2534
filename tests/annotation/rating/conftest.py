"""A small open study, and a browser without cookies."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.annotation.rating.scenes import Scene, open_study, qualify


@pytest.fixture
def scene(db: None) -> Scene:
    return open_study()


@pytest.fixture
def qualified(scene: Scene) -> Scene:
    """The worker has consented and passed the test."""
    qualify(scene)
    return scene


@pytest.fixture
def rater() -> Client:
    """As browsers in another site's frame are: checked for CSRF, and without any cookie."""
    return Client(enforce_csrf_checks=True)
