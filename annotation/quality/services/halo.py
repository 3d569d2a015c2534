"""Halo between the questions of a protocol: see `concord.reliability.halo`."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from annotation.quality.services.criteria import SCORED
from annotation.quality.services.ledgers import ledger_state
from annotation.quality.services.rating_data import cached, collect_ratings, gold_stages
from annotation.studies.models import Study
from concord.reliability import Halo, halo


@dataclass(frozen=True)
class QuestionPair:
    """Two questions of a protocol, by name; "" is the main question."""

    first: str
    second: str
    halo: Halo


def halo_between_criteria(study: Study) -> list[QuestionPair]:
    """A row for every two questions whose answers have an order: the main question, scales, sliders
    and yes-no, in the protocol's order. Cached.

    Of all ratings of stages that count for the gold score, before the ledger. A choice between two
    candidates has no order.
    """
    protocol = study.current.protocol
    criteria = [None, *protocol.criteria] if not protocol.compares else [*protocol.criteria]
    criteria = [one for one in criteria if one is None or one.kind in SCORED]
    if len(criteria) < 2:
        return []

    stages = gold_stages(study)

    def compute() -> list[QuestionPair]:
        ratings = [
            ("" if one is None else one.name, collect_ratings(study, stages, one).ratings)
            for one in criteria
        ]
        return [
            QuestionPair(first, second, halo(x, y, seed=study.seed % 2**32))
            for (first, x), (second, y) in combinations(ratings, 2)
        ]

    key = ("halo", repr(criteria), *stages, ledger_state(study))
    return cached(study, key, compute)
