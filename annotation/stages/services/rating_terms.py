"""What a study requires of its raters, and pays them, for plans of further ratings."""

from __future__ import annotations

from django.db.models import Count

from annotation.stages.services.stage_figures import stage_cost
from annotation.studies.models import Stage, Study, StudyCandidate
from concord.planning.plan import PayTerms


def candidates_per_hit(study: Study) -> float | None:
    """The mean size of the full stage's HITs; None if they cannot be planned yet."""
    return stage_cost(study.stages.get(kind=Stage.Kind.FULL)).candidates_per_hit


def study_terms(study: Study, fee: float = 0.0) -> PayTerms:
    """What ratings of the study cost; fee: of the platform, in percent."""
    protocol = study.current.protocol
    return PayTerms(protocol.pay, protocol.hit.max_candidates, fee, candidates_per_hit(study))


def ratings_per_candidate(study: Study) -> int:
    """The ratings that the protocol requires of a candidate, the mean over all, rounded; 0 without
    candidates."""
    protocol = study.current.protocol
    kinds = study.candidates.filter(use=StudyCandidate.Use.RATED, same_as=None).order_by()
    rows = kinds.values_list("instance__split", "instance__span_based").annotate(n=Count("pk"))
    required = [(protocol.ratings_for(split, span_based=spans), n) for split, spans, n in rows]
    total = sum(n for _, n in required)
    return round(sum(ratings * n for ratings, n in required) / total) if total else 0
