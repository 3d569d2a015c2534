"""Studies of adaptive pairs, which release 0.2.0 had."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from annotation.studies.models import ProtocolVersion
from concord.protocols import preset
from tests.annotation import factories

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("is_open", [False, True])
def test_adaptive_pairs_become_balanced_and_open_stages_keep_theirs(is_open: bool) -> None:
    study = factories.make_study(preset("mt-bench-2023"), factories.candidates(2, 3))
    if is_open:
        factories.open_stage(study, "full")
    units = study.candidates.filter(parts__isnull=False, use="rated").distinct()
    chosen = units.count()
    assert chosen > 0
    version = ProtocolVersion.objects.get()
    version.content["pairs"] = {"design": "adaptive", "per_candidate": 4, "batch": 50}
    version.save()
    migration = import_module("annotation.migrations.0013_without_adaptive_pairs")
    migration.make_balanced(apps, connection.schema_editor())
    assert ProtocolVersion.objects.get().protocol.pairs.design == "balanced"
    assert units.count() == (chosen if is_open else 0)
