"""The Celery task that imports candidates."""

from __future__ import annotations

from annotation.studies.services.candidate_imports import IMPORTS

import_candidates = IMPORTS.declare_task("annotation.tasks.import_candidates")
