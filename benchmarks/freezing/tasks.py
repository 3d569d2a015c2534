"""The Celery task of freezing."""

from __future__ import annotations

from benchmarks.freezing.services import FREEZINGS

freeze_study = FREEZINGS.declare_task("benchmarks.tasks.freeze_study")
