"""What a study costs and how long it takes, while it is set up: nobody has rated yet."""

from __future__ import annotations

import math
from dataclasses import dataclass

from django.db.models import Avg, F, Func, TextField, Value
from django.db.models.functions import Length

from annotation.stages.services.stage_figures import study_cost
from annotation.studies.models import Study, StudyCandidate
from concord.protocols import Protocol

# Silent reading of English: 238 words a minute (Brysbaert, 2019), of six characters each.
CHARS_PER_SECOND = 238 * 6 / 60
SECONDS_PER_ANSWER = 5.0
# An answer with its question, reference and share of the passage, before there are any.
TYPICAL_CHARS = 400.0
# Planning the HITs of more candidates takes over half a second: then only the page Cost does it.
MAX_PACKED_AT_ONCE = 10_000
EXAMPLE_CANDIDATES = 100


@dataclass(frozen=True)
class SetUpCost:
    """What all stages require, without the qualification test.

    assignments: of all HITs. seconds: of all raters together. `is_example`: of EXAMPLE_CANDIDATES
    candidates of a typical length, because the study has none. `problem` says why it is not known;
    all else is then zero.
    """

    candidates: int = 0
    assignments: int = 0
    ratings: int = 0
    pay_cents: int = 0
    seconds: float = 0.0
    is_example: bool = False
    problem: str = ""


def example_cost(protocol: Protocol) -> SetUpCost:
    """The cost of EXAMPLE_CANDIDATES generative answers in full HITs, without a trial."""
    each = max((rule.ratings for rule in protocol.rating_rules), default=0)
    size = protocol.hit.max_candidates
    hits = math.ceil(EXAMPLE_CANDIDATES / size)
    last = EXAMPLE_CANDIDATES - (hits - 1) * size
    cents = (hits - 1) * protocol.pay.cents(size, size) + protocol.pay.cents(last, size)
    ratings = each * EXAMPLE_CANDIDATES
    return SetUpCost(
        EXAMPLE_CANDIDATES,
        each * hits,
        ratings,
        each * cents,
        ratings * _seconds_per_rating(protocol, TYPICAL_CHARS),
        is_example=True,
    )


def set_up_cost(study: Study) -> SetUpCost | None:
    """The cost of the study as it is now; None where its HITs are too many to plan for a page."""
    protocol = study.current.protocol
    rated = study.candidates.filter(use=StudyCandidate.Use.RATED, same_as=None).order_by()
    count = rated.count()
    if not count:
        return example_cost(protocol)
    if count > MAX_PACKED_AT_ONCE:
        return None
    cost = study_cost(study)
    for stage in cost.stages:
        if stage.problem and not stage.each:
            return SetUpCost(problem=stage.problem)
    references = Func(
        F("instance__references"), Value(" "), function="array_to_string", output_field=TextField()
    )
    texts = rated.aggregate(
        candidate=Avg(Length("text")),
        question=Avg(Length("instance__question")),
        references=Avg(Length(references)),
        passage=Avg(Length("instance__passage")),
    )
    passage = texts.pop("passage") * cost.assignments / max(cost.ratings, 1)
    seconds = _seconds_per_rating(protocol, sum(texts.values()) + passage)
    return SetUpCost(count, cost.assignments, cost.ratings, cost.pay_cents, cost.ratings * seconds)


def _seconds_per_rating(protocol: Protocol, chars: float) -> float:
    questions = 1 + sum(criterion.required for criterion in protocol.criteria)
    return chars / CHARS_PER_SECOND + questions * SECONDS_PER_ANSWER
