"""What the services of benchmarks refuse, as the API answers it."""

from __future__ import annotations

from pathlib import Path

from django.http import Http404

import scorers
from benchmarks.analyses.services import AnalysisRefusedError
from benchmarks.correctness.services import CorrectnessRefusedError
from benchmarks.errors.services.studies_from_sets import StudyFromSetRefusedError
from benchmarks.errors.services.tags import TagRefusedError
from benchmarks.exports.services.exports import ExportRefusedError
from benchmarks.freezing.services import FreezeRefusedError
from benchmarks.sets.services.access import RoleNeededError, SetMissingError
from benchmarks.sets.services.importing import ImportRefusedError
from benchmarks.submissions.services import SubmissionRefusedError
from benchmarks.trainings.services import TrainingRefusedError
from concord.formats import FormatError
from concord.meta.inference import SampleError
from core.pages.errors import MissingError
from core.rest.problems import Fault, register


def _of_file(error: FormatError) -> list[Fault]:
    return [
        {
            "field": one.field or "",
            "detail": one.message,
            "line": one.line,
            **({"file": Path(one.file).name} if one.file else {}),
        }
        for one in error.problems
    ]


def _of_field(error: SubmissionRefusedError | TrainingRefusedError) -> list[Fault]:
    return [{"field": error.field, "detail": str(error)}] if error.field else []


def _of_metrics(error: Exception) -> list[Fault]:
    return [{"field": "metrics", "detail": str(error)}]


register(SetMissingError, "not-found", 404, "There is nothing here")
register(MissingError, "not-found", 404, "There is nothing here")
register(Http404, "not-found", 404, "There is nothing here")
register(RoleNeededError, "role-needed", 403, "Your role is too small")
register(ExportRefusedError, "not-there-yet", 409, "It is not there yet")
register(TagRefusedError, "tag-refused", 422, "The reason cannot be kept")
register(AnalysisRefusedError, "analysis-refused", 422, "It cannot be computed")
register(CorrectnessRefusedError, "analysis-refused", 422, "It cannot be computed")
register(SampleError, "analysis-refused", 422, "It cannot be computed")
register(FormatError, "file-refused", 422, "The file cannot be taken", _of_file)
register(FreezeRefusedError, "freeze-refused", 409, "The study cannot be frozen")
register(StudyFromSetRefusedError, "study-refused", 422, "No study can be made with these items")
register(ImportRefusedError, "import-refused", 422, "The file does not fit")
register(SubmissionRefusedError, "submission-refused", 422, "It cannot be taken", _of_field)
register(TrainingRefusedError, "training-refused", 422, "It cannot be", _of_field)
register(scorers.MetricError, "metric-refused", 422, "There is no such metric", _of_metrics)
register(scorers.ModelError, "model-missing", 422, "A model is not there", _of_metrics)
