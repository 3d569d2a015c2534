"""Register the exceptions of all apps with the API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

import scorers
from annotation.crowds.providers.offer import OfferError
from annotation.crowds.providers.provider import CrowdError
from concord.documents.problems import FaultDocument
from concord.filtering import LedgerError
from concord.formats import FormatError
from concord.protocols import ProtocolError
from core.rest.problems import register


class ProblemsError(Protocol):
    """An error with the problems of an object's parts, by their names."""

    @property
    def problems(self) -> Mapping[str, str]: ...


def _of_parts(whole: str) -> Callable[[ProblemsError], list[FaultDocument]]:
    """A function that lists the errors in the parts of an object."""

    def faults(error: ProblemsError) -> list[FaultDocument]:
        return [
            {"field": name if name == whole else f"{whole}.{name}", "detail": text}
            for name, text in error.problems.items()
        ]

    return faults


def _of_file(error: FormatError) -> list[FaultDocument]:
    faults: list[FaultDocument] = []
    for problem in error.problems:
        fault: FaultDocument = {
            "field": problem.field or "",
            "detail": problem.message,
            "line": problem.line,
        }
        if problem.file:
            fault["file"] = Path(problem.file).name
        faults.append(fault)
    return faults


def _of_metrics(error: Exception) -> list[FaultDocument]:
    return [{"field": "metrics", "detail": str(error)}]


register(ProtocolError, "protocol-refused", 422, "Invalid protocol", _of_parts("protocol"))
register(OfferError, "offer-refused", 422, "Invalid offer", _of_parts("offer"))
register(CrowdError, "crowd-refused", 409, "The crowd platform refused")
register(LedgerError, "step-refused", 422, "Invalid quality-control step")
register(FormatError, "file-refused", 422, "The file was rejected", _of_file)
register(scorers.MetricError, "metric-refused", 422, "Unknown or invalid metric", _of_metrics)
register(scorers.ModelError, "model-missing", 422, "A model is missing", _of_metrics)
