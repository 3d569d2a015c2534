"""What the services of every app refuse, as the API answers it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import scorers
from annotation.crowds.providers.offer import OfferError
from annotation.crowds.providers.provider import CrowdError
from annotation.privacy.services.erasing import ErasingRefusedError
from annotation.privacy.services.retention import RetentionRefusedError
from annotation.quality.services.checking import CheckRefusedError
from annotation.quality.services.ledgers import LedgerRefusedError
from annotation.rating.services.correspondence import AnswerRefusedError
from annotation.studies.errors import StudyError
from annotation.studies.intake import IntakeError
from annotation.studies.services import access as studies
from annotation.studies.services.uploads import UploadError
from benchmarks.analyses.services import AnalysisRefusedError
from benchmarks.correctness.services import CorrectnessRefusedError
from benchmarks.errors.services.studies_from_sets import StudyFromSetRefusedError
from benchmarks.errors.services.tags import TagRefusedError
from benchmarks.exports.services.exports import ExportRefusedError
from benchmarks.freezing.services import FreezeRefusedError
from benchmarks.sets.services import access as sets
from benchmarks.sets.services.importing import ImportRefusedError
from benchmarks.submissions.services import SubmissionRefusedError
from benchmarks.trainings.services import TrainingRefusedError
from concord.filtering import LedgerError
from concord.formats import FormatError
from concord.meta.inference import SampleError
from concord.planning.plan import PlanError
from concord.protocols import ProtocolError
from core.pages.errors import MissingError
from core.rest.problems import register
from core.security.problem_documents import Fault


def _of_parts(whole: str) -> Callable[[Any], list[Fault]]:
    """The faults of something whose error maps its parts to sentences."""

    def found(error: Any) -> list[Fault]:
        return [
            {"field": name if name == whole else f"{whole}.{name}", "detail": text}
            for name, text in error.problems.items()
        ]

    return found


def _of_lines(error: Exception) -> list[Fault]:
    return [{"field": "file", "detail": line} for line in str(error).splitlines() if line]


def _of_file(error: FormatError) -> list[Fault]:
    found: list[Fault] = []
    for one in error.problems:
        fault: Fault = {"field": one.field or "", "detail": one.message, "line": one.line}
        if one.file:
            fault["file"] = Path(one.file).name
        found.append(fault)
    return found


def _of_field(error: SubmissionRefusedError | TrainingRefusedError) -> list[Fault]:
    return [{"field": error.field, "detail": str(error)}] if error.field else []


def _of_metrics(error: Exception) -> list[Fault]:
    return [{"field": "metrics", "detail": str(error)}]


register(studies.StudyMissingError, "not-found", 404, "There is nothing here")
register(studies.RoleNeededError, "role-needed", 403, "Your role is too small")
register(ProtocolError, "protocol-refused", 422, "It cannot be run", _of_parts("protocol"))
register(OfferError, "offer-refused", 422, "It cannot be offered", _of_parts("offer"))
register(UploadError, "file-refused", 422, "The file cannot be taken", _of_lines)
register(IntakeError, "file-refused", 422, "The file cannot be taken", _of_lines)
register(StudyError, "study-refused", 409, "The study is not in a state for this")
register(CrowdError, "crowd-refused", 409, "The crowd platform refuses")
register(PlanError, "plan-refused", 422, "It cannot be planned")
register(LedgerRefusedError, "step-refused", 422, "The ledger does not take this step")
register(LedgerError, "step-refused", 422, "The ledger does not take this step")
register(CheckRefusedError, "value-refused", 422, "The value cannot be taken")
register(AnswerRefusedError, "answer-refused", 422, "The answer cannot be taken")
register(ErasingRefusedError, "erasing-refused", 409, "The worker cannot be erased now")
register(RetentionRefusedError, "value-refused", 422, "The value cannot be taken")
register(sets.SetMissingError, "not-found", 404, "There is nothing here")
register(MissingError, "not-found", 404, "There is nothing here")
register(sets.RoleNeededError, "role-needed", 403, "Your role is too small")
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
