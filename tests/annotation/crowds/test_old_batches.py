"""Publications by batch files, which release 0.2.0 had."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from annotation.crowds.models import Publication
from annotation.crowds.services.publication_specs import offer_of
from annotation.crowds.services.reviewing import to_review
from tests.annotation.crowds import scenes

pytestmark = pytest.mark.django_db


def test_a_batch_becomes_an_ended_publication_by_a_link() -> None:
    study = scenes.make_study(1, replace(scenes.small(), qualification=None))
    publication = scenes.published(study, "", provider="link")
    offer = {**publication.offer, "question": "html"}
    Publication.objects.update(provider="files", offer=offer)
    migration = import_module("annotation.migrations.0012_without_batch_files")
    migration.end_batches(apps, connection.schema_editor())
    publication.refresh_from_db()
    assert (publication.provider, publication.status) == ("link", "ended")
    assert publication.listings.get().expired_at is not None
    assert offer_of(publication).title == scenes.OFFER.title
    assert not to_review(publication).exists()
