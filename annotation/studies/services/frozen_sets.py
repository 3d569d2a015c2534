"""The judgment sets that were frozen from a study, by the audit log."""

from __future__ import annotations

from annotation.studies.models import Study
from core.audit.models import AuditEvent


def frozen_sets(study: Study) -> tuple[str, ...]:
    """The sets, such as "boats@1", the latest last."""
    events = AuditEvent.objects.of_study(study).filter(action="study.frozen")
    return tuple(event.after["judgment set"] for event in events.order_by("pk") if event.after)
