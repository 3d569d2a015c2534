"""Studies whose stage draws what people rate, for tests."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from django.contrib.auth.models import User
from django.utils.timezone import now

from annotation.rating.models import HitCandidate
from annotation.stages.models import CandidateDraw
from annotation.stages.services import (
    sampling_rules,
)
from annotation.studies.models import Study
from concord.protocols import HitRules, QualityRules, RatingRule
from concord.sampling import SamplingRule, StoppingRule
from tests.annotation import people

PASSAGES = 80


def sampled_study(
    owner: User,
    *,
    rule: SamplingRule | None = None,
    stopping: StoppingRule | None = None,
    wave: int = 15,
    slug: str = "boats",
    **changes: object,
) -> tuple[Study, dict[str, int]]:
    """(a study of two systems that draws `wave` instances at a time, each answer's rating).

    changes: of the protocol.
    """
    fields: dict[str, object] = {
        "rating_rules": (RatingRule(1),),
        "hit": HitRules(max_candidates=6),
        "quality": QualityRules(),
        "split_shares": (),
    }
    protocol = people.protocol(**fields | changes)
    study = people.new_study(owner, protocol, people.candidates(PASSAGES, each=2), slug=slug)
    rng = np.random.default_rng(1)
    rows = list(study.candidates.order_by("position"))
    worth = {
        row.key: int(np.clip(round(2.6 + 1.2 * (row.system == "system 1") + rng.normal()), 1, 5))
        for row in rows
    }
    sampling_rules.set_sampling(
        study.stages.get(kind="full"),
        rule or SamplingRule("stratified"),
        stopping or StoppingRule("ranking", 0.05, 60),
        wave,
        scores_of(worth, rng),
        by=owner,
        at=now(),
    )
    return study, worth


def scores_of(worth: dict[str, int], rng: np.random.Generator) -> pd.DataFrame:
    """A metric that agrees with people."""
    values = [value + rng.normal(0, 0.5) for value in worth.values()]
    return pd.DataFrame({"good": values}, index=list(worth))


def rate_everything(study: Study, worth: Mapping[str, int | None], name: str = "ann") -> None:
    people.rate(study.stages.get(kind="full"), people.join(study, name), worth)


def in_hits(study: Study) -> set[int]:
    return set(
        HitCandidate.objects.filter(hit__stage__study=study).values_list("candidate", flat=True)
    )


def in_waves(study: Study) -> set[str]:
    draws = CandidateDraw.objects.filter(sampling__stage__study=study, drawn__isnull=False)
    return set(draws.values_list("candidate__key", flat=True))
