"""Publishing a study's public page, and making it private again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.utils.safestring import SafeString

from annotation import markdown
from annotation.quality.services.agreement_reports import AgreementFigures, agreement_table
from annotation.quality.services.rating_data import Simulation, collect_gold_ratings, simulation
from annotation.studies.models import Stage, Study
from concord.protocols import Deviation, Protocol
from core.accounts import publishing


@dataclass(frozen=True)
class PublicStudy:
    """What the public page of a study shows: protocol, number of candidates, agreement.

    It contains no candidate texts, workers, ratings, messages or costs.
    """

    study: Study
    version: int
    protocol: Protocol
    preset: str
    deviations: list[Deviation]
    texts: dict[str, SafeString]
    stages: list[Stage]
    candidates: int
    agreement: AgreementFigures | None
    origin: Simulation


def public_study(study: Study) -> PublicStudy:
    """What the public page shows, or would show after publishing."""
    current, ratings = study.current, collect_gold_ratings(study)
    protocol = current.protocol
    rows = agreement_table(study, ratings, protocol.level) if len(ratings) else []
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
    """Make the study's public page visible to everybody."""
    publishing.publish(study, "study", at=at, study=study)


def unpublish(study: Study) -> None:
    """Make the study visible to members only."""
    publishing.unpublish(study, "study", study=study)
