"""What the services of annotation refuse, as the API answers it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from annotation.crowds.providers.offer import OfferError
from annotation.crowds.providers.provider import CrowdError
from annotation.privacy.services.erasing import ErasingRefusedError
from annotation.privacy.services.retention import RetentionRefusedError
from annotation.quality.services.checking import CheckRefusedError
from annotation.quality.services.ledgers import LedgerRefusedError
from annotation.rating.services.correspondence import AnswerRefusedError
from annotation.studies.errors import StudyError
from annotation.studies.intake import IntakeError
from annotation.studies.services.access import RoleNeededError, StudyMissingError
from annotation.studies.services.uploads import UploadError
from concord.filtering import LedgerError
from concord.planning.plan import PlanError
from concord.protocols import ProtocolError
from core.rest.problems import Fault, register


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


register(StudyMissingError, "not-found", 404, "There is nothing here")
register(RoleNeededError, "role-needed", 403, "Your role is too small")
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
