"""The command that publishes a set."""

from __future__ import annotations

from django.core.management import call_command

from tests.benchmarks.scenes import Scene


def test_a_set_is_published_and_made_private_again(unlisted: Scene) -> None:
    judgment_set = unlisted.judgment_set
    call_command("publish_set", "small")
    judgment_set.refresh_from_db()
    assert judgment_set.published_at is not None
    call_command("publish_set", "small", "--unpublish")
    judgment_set.refresh_from_db()
    assert judgment_set.published_at is None
