"""Look-ups of the objects in URLs of the API, among a ledger's steps."""

from __future__ import annotations

from annotation.quality.models import LedgerStep
from annotation.studies.api.access import found_or_404
from annotation.studies.models import Study


def step_of(study: Study, number: int) -> LedgerStep:
    return found_or_404(study.ledger_steps.filter(number=number).first(), "step of the ledger")
