"""Adaptive pairs of a study: batches, what is stored, what follows, and how fast."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.timezone import now

from annotation.lifecycle.services.copying import copy_study
from annotation.quality.services import choices
from annotation.rating.services import handing_out
from annotation.setup.services.study_creation import change_protocol
from annotation.stages import tasks
from annotation.stages.services import completing, opening
from annotation.studies.errors import StudyError
from annotation.studies.intake import CandidateInput, KeyedPairInput
from annotation.studies.models import Stage, Study
from annotation.studies.services import adaptive_pairs
from annotation.studies.services.candidates import add_check_pairs
from concord.formats.preferences import Preference
from concord.protocols import (
    HitRules,
    PairRules,
    ProtocolError,
    QualityRules,
    RatingRule,
    Trial,
    preset,
)
from tests.annotation import factories
from tests.core.rest.people import caller

pytestmark = pytest.mark.django_db

SYSTEMS = "abcde"
ADAPTIVE = replace(
    preset("mt-bench-2023"),
    consent="",
    rating_rules=(RatingRule(1),),
    hit=HitRules(max_candidates=2, same_passage=False),
    pairs=PairRules("adaptive", per_candidate=3, batch=10),
)


def candidates(questions: int, systems: str = SYSTEMS) -> list[CandidateInput]:
    return [
        CandidateInput(f"q{n}-{name}", factories.instance(n), f"{name} {n}", name)
        for n in range(questions)
        for name in systems
    ]


@pytest.fixture
def stage() -> Stage:
    return factories.open_stage(factories.make_study(ADAPTIVE, candidates(6)))


def units(study: Study) -> list[str]:
    rows = study.candidates.filter(use="rated").order_by("position")
    return list(rows.values_list("key", flat=True))


def rate_open_hits(stage: Stage, name: str) -> None:
    """Let a worker rate all they get; of two answers, that of the earlier letter is better."""
    worker = factories.worker(stage.study, name)
    while (assignment := handing_out.hand_out(worker, stage, at=now())) is not None:
        factories.submitted(assignment, 1)


def test_the_first_batch_connects_all_systems_and_is_what_the_stage_opens_with(
    stage: Stage,
) -> None:
    study = stage.study
    assert len(units(study)) == 10
    batch = study.pair_batches.get()
    assert (batch.number, batch.choices, batch.is_last, batch.seed) == (1, 0, False, study.seed)
    assert [row[0] for row in batch.pairs] == list(
        study.candidates.filter(use="rated").order_by("position").values_list("pk", flat=True)
    )
    assert all(0 < p <= 1 and 0 < q <= 1 and value > 0 for _, p, q, value in batch.pairs)
    assert set(batch.strengths) == set(SYSTEMS)
    groups = {name: name for name in SYSTEMS}
    for key in units(study)[:4]:
        first, second = (part.rpartition("-")[2] for part in key.split(" | "))
        old, new = groups[second], groups[first]
        assert old != new, "the first four pairs connect the five systems"
        groups = {name: new if group == old else group for name, group in groups.items()}
    assert stage.hits.count() == 5


def test_the_next_batch_follows_when_few_places_are_left(stage: Stage) -> None:
    study = stage.study
    assert not opening.continue_pairs(stage)  # all places are open
    rate_open_hits(stage, "ann")
    tasks.continue_pairs()
    assert len(units(study)) == 20 and stage.hits.count() == 10
    tasks.continue_pairs()
    assert len(units(study)) == 20, "the new places are open"
    second = study.pair_batches.get(number=2)
    assert second.choices == 10
    assert second.strengths["a"][0] > second.strengths["e"][0]
    assert second.strengths["a"][1] < study.pair_batches.get(number=1).strengths["a"][1]
    members = stage.hits.values_list("candidates", flat=True)
    assert max(Counter(members).values()) == 1


def test_a_study_ends_at_its_number_of_pairs_and_is_announced_then(stage: Stage) -> None:
    study = stage.study
    for number in range(8):
        assert completing.announce_complete(at=now()) == 0
        rate_open_hits(stage, f"w{number}")
        if not opening.continue_pairs(stage):
            break
    # 30 candidates in 3 pairs each, on average, are 45 pairs.
    assert len(units(study)) == 45 and len(set(units(study))) == 45
    assert [one.is_last for one in study.pair_batches.all()] == [False] * 4 + [True]
    assert adaptive_pairs.is_over(study)
    assert completing.announce_complete(at=now()) == 1
    assert len(choices.preferences(study)) == 45


def test_a_trial_of_an_adaptive_study_is_announced() -> None:
    trial = replace(ADAPTIVE, trial=Trial(candidates=2, ratings=1, counted=False))
    study = factories.make_study(trial, candidates(6))
    rate_open_hits(factories.open_stage(study, "trial"), "ann")
    assert completing.announce_complete(at=now()) == 1


def test_hidden_checks_are_added_to_later_batches() -> None:
    quality = QualityRules(gold_share=0.5)
    study = factories.make_study(replace(ADAPTIVE, quality=quality), candidates(6))
    checks = [
        KeyedPairInput(f"g{n}", factories.instance(90 + n), ("good", "bad"), choice=1)
        for n in range(6)
    ]
    add_check_pairs(study, checks, "gold")
    stage = factories.open_stage(study)
    in_hits = study.candidates.filter(use="gold", memberships__isnull=False)
    before = in_hits.count()
    rate_open_hits(stage, "ann")
    assert opening.continue_pairs(stage)
    assert 0 < before < in_hits.count() == stage.hits.count() // 2
    assert len(units(study)) == 20, "checks are not among the pairs to choose"


def test_no_pair_is_chosen_twice_and_all_may_be_chosen() -> None:
    rules = replace(ADAPTIVE, pairs=PairRules("adaptive", per_candidate=50, batch=100))
    study = factories.make_study(rules, candidates(3, "abc"))
    assert len(set(units(study))) == 9
    assert study.pair_batches.get().is_last and adaptive_pairs.choose(study, []) == []


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([CandidateInput("x", factories.instance(0), "x")], "these candidates have none: x"),
        (
            [CandidateInput(key, factories.instance(0), key, "a") for key in ("one", "two")],
            "one answer of a system to a question. a has two",
        ),
    ],
)
def test_candidates_that_cannot_be_chosen_by_system_are_refused(
    rows: list[CandidateInput], message: str
) -> None:
    with pytest.raises(StudyError, match=message):
        factories.make_study(ADAPTIVE, rows)


def test_a_counted_trial_is_refused() -> None:
    with pytest.raises(ProtocolError, match=r"trial.counted: must be off"):
        replace(ADAPTIVE, trial=Trial(counted=True)).validated()


def test_another_design_removes_the_batches_and_a_copy_has_its_own(stage: Stage) -> None:
    copy = copy_study(stage.study, "copy", "A copy", owner=stage.study.owner, at=now())
    assert units(copy) == units(stage.study) and copy.pair_batches.count() == 1
    change_protocol(copy, replace(ADAPTIVE, pairs=PairRules("all")), at=now())
    assert copy.pair_batches.count() == 0 and len(units(copy)) == 60


def test_pages_say_how_pairs_are_chosen_and_withhold_shares_of_wins(stage: Stage) -> None:
    client = Client()
    client.force_login(stage.study.owner)
    for name in ("study-stages", "study-cost"):
        page = client.get(reverse(name, args=[stage.study.slug])).content.decode()
        assert "Pairs are chosen in batches of 10, 45 in all" in " ".join(page.split())
    rate_open_hits(stage, "ann")
    page = client.get(reverse("study-quality", args=[stage.study.slug])).content.decode()
    assert "shares of wins are biased" in page and ">Wins<" not in page
    answer = caller(stage.study.owner).get(f"/studies/{stage.study.slug}/agreement").json()
    assert answer["ranking"]["is_adaptive"] is True


def test_the_api_lists_what_was_chosen_and_how(stage: Stage) -> None:
    (row,) = (
        caller(stage.study.owner).get(f"/studies/{stage.study.slug}/pair-batches").json()["results"]
    )
    batch = stage.study.pair_batches.get()
    assert (row["number"], row["seed"], row["choices"]) == (1, stage.study.seed, 0)
    assert [one["system"] for one in row["strengths"]] == list(SYSTEMS)
    assert [one["pair"] for one in row["pairs"]] == units(stage.study)
    assert row["pairs"][0]["question_probability"] == pytest.approx(1 / 6)
    assert row["pairs"][3]["information"] == batch.pairs[3][3]


def test_the_api_reads_the_pairs_of_all_batches_at_once(
    stage: Stage, django_assert_max_num_queries: Any
) -> None:
    client, path = caller(stage.study.owner), f"/studies/{stage.study.slug}/pair-batches"
    with CaptureQueriesContext(connection) as of_one:
        client.get(path)
    for _ in range(3):
        adaptive_pairs.choose(stage.study, [])
    keys = [units(stage.study)[at : at + 10] for at in (0, 10, 20, 30)]
    with django_assert_max_num_queries(len(of_one)):
        rows = client.get(path).json()["results"]
    assert [[one["pair"] for one in row["pairs"]] for row in rows] == keys


def test_the_plan_counts_candidates_and_does_not_load_them(stage: Stage) -> None:
    study = stage.study
    with CaptureQueriesContext(connection) as queries:
        plan = adaptive_pairs.pair_plan(study)
    assert plan == adaptive_pairs.PairPlan(batch=10, budget=45, chosen=10)
    assert all("COUNT(" in one["sql"] or "LIMIT 1" in one["sql"] for one in queries)


def test_the_choice_among_20_systems_and_500_questions_is_fast() -> None:
    names = "abcdefghijklmnopqrst"
    rules = replace(ADAPTIVE, pairs=PairRules("adaptive", per_candidate=4, batch=50))
    study = factories.make_study(rules, candidates(500, names))
    known = [
        Preference("q", "p", names[at % 20], names[(at * 7 + 1) % 20], "first", "w")
        for at in range(5000)
        if at % 20 != (at * 7 + 1) % 20
    ]
    start = time.perf_counter()
    assert len(adaptive_pairs.choose(study, known)) == 50
    assert time.perf_counter() - start < 5  # it takes a tenth of a second
