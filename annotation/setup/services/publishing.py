"""Publishing a study: its page for everybody, and taking that back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.utils.safestring import SafeString

from annotation import markdown
from annotation.quality.services.agreement_reports import AgreementRow, agreement_table
from annotation.quality.services.collected import Simulation, collected_for_gold, simulation
from annotation.studies.models import Stage, Study
from concord.protocols import Deviation, Protocol
from core.accounts import publishing


@dataclass(frozen=True)
class PublicStudy:
    """All that the public page of a study shows: how people were asked, of how many candidates, and
    how far they agreed. No text of a candidate, no worker, no rating, no message and no cost of
    what was collected is on it."""

    study: Study
    version: int
    protocol: Protocol
    preset: str
    deviations: list[Deviation]
    texts: dict[str, SafeString]
    stages: list[Stage]
    candidates: int
    agreement: AgreementRow | None
    origin: Simulation


def public_study(study: Study) -> PublicStudy:
    """What everybody sees of the study, or would see were it published."""
    current, found = study.current, collected_for_gold(study)
    protocol = current.protocol
    rows = agreement_table(study, found) if len(found) else []
    return PublicStudy(
        study=study,
        version=current.version,
        protocol=protocol,
        preset=study.preset_title,
        deviations=study.deviations(),
        texts={
            name: markdown.render(getattr(protocol, name))
            for name in ("instructions", "examples", "consent")
        },
        stages=list(study.stages.order_by("number")),
        candidates=study.candidates.filter(use="rated").count(),
        agreement=rows[0] if rows else None,
        origin=simulation(study),
    )


def publish(study: Study, *, at: datetime) -> None:
    """Open the study's public page to everybody."""
    publishing.publish(study, "study", at=at, study=study)


def unpublish(study: Study) -> None:
    """Show it to members alone."""
    publishing.unpublish(study, "study", study=study)
