"""A stage that chooses what people rate: waves, looks, stopping, and what it refuses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from django.contrib.auth.models import User
from django.db.models import Count
from django.utils.timezone import now

from annotation.rating.models import HitCandidate
from annotation.setup.services.study_creation import change_protocol
from annotation.stages import tasks
from annotation.stages.models import CandidateDraw, StageSampling
from annotation.stages.services import (
    completing,
    continuing,
    opening,
    sampling_rules,
    sampling_waves,
    stage_plans,
)
from annotation.stages.services.sampling_figures import sampling_figures
from annotation.studies.models import Stage
from annotation.studies.services.candidates import add_items
from concord.filtering import LedgerError
from concord.protocols import ProtocolError, QualityRules, RatingRule, ScalePoint, Trial
from concord.protocols.keys import Key
from concord.sampling import SamplingRule, StoppingRule, look, unit_hashes
from core.audit.models import AuditEvent
from core.refusals import RefusedError
from tests.annotation import people
from tests.annotation.stages.sampled import (
    PASSAGES,
    in_hits,
    in_waves,
    rate_everything,
    sampled_study,
    scores_of,
)

OTHERS = RatingRule(1, split="other")
CHOICE = (ScalePoint(1, "the first"), ScalePoint(2, "the second"))


def test_the_first_wave_is_packed_by_instance_and_can_be_checked(rosa: User) -> None:
    study, _ = sampled_study(rosa)
    planned = stage_plans.planned_hits(study.stages.get(kind="full"))
    stage = people.open_stage(study)
    draws = CandidateDraw.objects.filter(sampling__stage=stage)
    assert draws.count() == 2 * PASSAGES
    for draw in draws:
        (p,) = draw.probabilities
        assert p == pytest.approx(15 / PASSAGES)
        assert (draw.drawn == 1) == (unit_hashes(study.seed, 1, [draw.unit])[0] < p)
    drawn = set(draws.filter(drawn=1).values_list("candidate", flat=True))
    assert drawn and in_hits(study) == drawn
    assert {key for hit in planned for key in hit.keys} == drawn, "the plan is what is opened"
    # A HIT has candidates of one passage, with all systems' answers.
    passages = stage.hits.annotate(n=Count("members__candidate__instance", distinct=True))
    assert set(passages.values_list("n", flat=True)) == {1}


def test_waves_follow_until_the_ranking_is_resolved(rosa: User) -> None:
    study, worth = sampled_study(rosa)
    stage = people.open_stage(study)
    waves = 0
    while stage.status == Stage.Status.OPEN:
        assert not continuing.continue_sampling(stage, at=now()), "the wave is not rated yet"
        before = in_hits(study)
        rate_everything(study, worth)
        assert completing.announce_complete(at=now()) == 0
        assert continuing.continue_sampling(stage, at=now())
        waves += 1
        stage.refresh_from_db()
        if stage.status == Stage.Status.OPEN:
            assert before < in_hits(study)
        assert not continuing.continue_sampling(stage, at=now()), "nothing happens twice"
    design = StageSampling.objects.get(stage=stage)
    assert len(design.looks) == waves
    last = design.looks[-1]
    assert design.ended_at is not None and last["is_reached"] and not last["unresolved"]
    assert last["units"] == len(in_hits(study)) / 2 < 60
    assert [each["waves"] for each in design.looks] == list(range(1, waves + 1))
    assert not stage.hits.filter(open_slots__gt=0).exists()
    actions = list(AuditEvent.objects.of_study(study).values_list("action", flat=True))
    assert actions.count("sampling.wave drawn") == waves
    assert {"sampling.set", "sampling.ended", "stage.closed"} <= set(actions)
    # A candidate's probabilities end with the wave that drew it.
    for draw in design.draws.all():
        assert len(draw.probabilities) == (draw.drawn or waves)


def test_the_stored_looks_are_the_librarys(rosa: User) -> None:
    study, worth = sampled_study(rosa, stopping=StoppingRule("width", 0.9, 60), wave=40)
    stage = people.open_stage(study)
    rate_everything(study, worth)
    continuing.continue_sampling(stage, at=now())
    design = StageSampling.objects.get(stage=stage)
    population, drawn, ids = sampling_waves.population_of(design)
    keys = dict(study.candidates.values_list("pk", "key"))
    seen = drawn[0].drawn[population.units]
    outcomes = np.where(seen, [float(worth[keys[pk]]) for pk in ids], np.nan)
    own = look(population, outcomes, drawn[:1], design.stopping_rule)
    for row in own.estimates:
        stored = design.looks[0]["systems"][row.system]
        assert row.ci is not None
        assert (stored["mean"], stored["ci"]) == (row.mean, list(row.ci))


def test_the_budget_closes_the_stage(rosa: User) -> None:
    study, worth = sampled_study(rosa, stopping=StoppingRule("width", 0.01, 30))
    stage = people.open_stage(study)
    for _ in range(2):
        rate_everything(study, worth)
        continuing.continue_sampling(stage, at=now())
    stage.refresh_from_db()
    assert stage.status == Stage.Status.CLOSED
    (event,) = AuditEvent.objects.of_study(study).filter(action="sampling.ended")
    assert event.after["target reached"] is False
    assert event.after["share"] == 1.0


def test_a_wave_without_all_its_ratings_is_not_estimated(rosa: User) -> None:
    study, worth = sampled_study(rosa)
    stage = people.open_stage(study)
    people.rate(stage, people.join(study, "ann"), worth, limit=3)
    assert not continuing.continue_sampling(stage, at=now())
    design = StageSampling.objects.get(stage=stage)
    assert design.looks == []


def test_everything_is_rated_without_a_rule(rosa: User) -> None:
    study, _ = sampled_study(rosa)
    full = study.stages.get(kind="full")
    sampling_rules.remove_sampling(full, by=rosa)
    people.open_stage(study)
    assert len(in_hits(study)) == 2 * PASSAGES
    with pytest.raises(RefusedError, match="the sampling rule is fixed"):
        sampling_rules.remove_sampling(full, by=rosa)


def test_copies_share_the_draw_of_their_original(rosa: User) -> None:
    study, _ = sampled_study(rosa)
    first, second = study.candidates.order_by("position")[:2]
    second.same_as = first
    second.save()
    design = StageSampling.objects.get(stage__study=study)
    _, _, ids = sampling_waves.population_of(design)
    assert list(ids[:2]) == [first.pk, first.pk]


def test_what_cannot_be_drawn_is_refused(rosa: User) -> None:
    study, worth = sampled_study(rosa)
    full = study.stages.get(kind="full")
    rng = np.random.default_rng(2)
    scores = scores_of(worth, rng)
    rule, stopping = SamplingRule(), StoppingRule("budget", 1, 50)

    def refused(message: str, stage: Stage = full, rule: SamplingRule = rule, wave: int = 15,
                scores: pd.DataFrame = scores) -> None:  # fmt: skip
        with pytest.raises(RefusedError, match=message):
            sampling_rules.set_sampling(stage, rule, stopping, wave, scores, by=rosa, at=now())

    refused("1 of 160 candidates have no score", scores=scores.iloc[1:])
    refused("needs 10 instances or more", wave=5)
    gap = SamplingRule("stratified", aim="difference", systems=("system 0", "gpt"))
    refused("no system “gpt”", rule=gap)
    refused("has 501 characters", scores=scores.rename(columns={"good": "m" * 501}))
    refused("contains a NUL character", scores=scores.rename(columns={"good": "m\0"}))
    assert StageSampling.objects.get(stage=full).rule["name"] == "stratified", "nothing was changed"
    people.open_stage(study)
    refused("must be set before it is opened")


def test_one_stage_that_cannot_go_on_does_not_stop_the_others(
    rosa: User,
) -> None:
    broken, _ = sampled_study(rosa, stopping=StoppingRule("width", 0.01, 30))
    study, worth = sampled_study(rosa, slug="ships")
    for one in (broken, study):
        people.open_stage(one)
        rate_everything(one, worth)
    # Another protocol requests no ratings of the next wave.
    change_protocol(broken, replace(broken.current.protocol, rating_rules=(OTHERS,)), at=now())
    before = in_hits(study)
    tasks.continue_sampling()
    assert before < in_hits(study)
    design = StageSampling.objects.get(stage__study=broken)
    assert "No rating rule of the protocol applies" in design.problem
    assert design.problem_at is not None
    assert design.looks == [], "all or nothing"


def test_an_error_of_the_ledger_is_shown(rosa: User, monkeypatch: pytest.MonkeyPatch) -> None:
    study, worth = sampled_study(rosa)
    people.open_stage(study)
    rate_everything(study, worth)

    def study_gold(*_: object) -> None:
        raise LedgerError("no ratings are left")

    monkeypatch.setattr(sampling_waves, "study_gold", study_gold)
    tasks.continue_sampling()
    assert StageSampling.objects.get().problem == "No ratings are left."
    with pytest.raises(RefusedError, match="cannot go on: no ratings are left"):
        continuing.continue_now(StageSampling.objects.get(), at=now())


def test_the_others_go_on_where_a_rule_is_removed_meanwhile(
    rosa: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for slug in ("boats", "ships"):
        people.open_stage(sampled_study(rosa, slug=slug)[0])

    def remove(stage: Stage, **_: object) -> None:
        StageSampling.objects.filter(stage=stage).delete()
        raise RefusedError("It is removed.", "study-refused")

    monkeypatch.setattr(continuing, "continue_sampling", remove)
    tasks.continue_sampling()
    assert not StageSampling.objects.exists()
    assert not AuditEvent.objects.filter(action="sampling.problem").exists()


def test_nothing_is_left_where_a_person_closed_the_stage(rosa: User) -> None:
    study, worth = sampled_study(rosa)
    stage = people.open_stage(study)
    rate_everything(study, {**worth, min(in_waves(study)): None})
    StageSampling.objects.update(problem="Set a value.", problem_at=now())
    opening.close_stage(stage, at=now())
    figures = sampling_figures(StageSampling.objects.select_related("stage__study").get())
    assert (figures.state, figures.units_left, figures.ratings_left) == (
        "closed", (0, 0, 0), (0, 0, 0),
    )  # fmt: skip
    assert (figures.problem, figures.problem_at) == ("", None)


def test_an_unexpected_error_is_shown_and_logged(
    rosa: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    study, worth = sampled_study(rosa)
    stage = people.open_stage(study)
    rate_everything(study, worth)
    monkeypatch.setattr(sampling_waves, "study_gold", None)
    tasks.continue_sampling()
    assert StageSampling.objects.get().problem == continuing.UNEXPECTED
    assert f"could not continue the sampling of stage {stage.pk}" in caplog.text


def test_a_person_is_told_why_nothing_follows(rosa: User) -> None:
    study, worth = sampled_study(rosa, stopping=StoppingRule("width", 0.01, 15))
    design = StageSampling.objects.select_related("stage__study").get()
    with pytest.raises(RefusedError, match="The full stage is not open"):
        continuing.continue_now(design, at=now())
    people.open_stage(study)
    design = StageSampling.objects.select_related("stage__study").get()
    with pytest.raises(RefusedError, match="The last wave is not rated yet"):
        continuing.continue_now(design, at=now())
    rate_everything(study, worth)
    continuing.continue_now(design, at=now())
    design.refresh_from_db()
    with pytest.raises(RefusedError, match="The sampling has ended"):
        continuing.continue_now(design, at=now())


def test_candidates_without_a_rating_rule_are_refused(rosa: User) -> None:
    with pytest.raises(RefusedError, match="applies to candidates without a split"):
        sampled_study(rosa, rating_rules=(OTHERS,))


def test_comparisons_are_refused(rosa: User) -> None:
    with pytest.raises(RefusedError, match="Comparisons of candidates cannot be drawn"):
        sampled_study(rosa, unit="pair", scale=CHOICE)


def test_candidates_and_unit_are_fixed_while_a_rule_is_set(rosa: User) -> None:
    study, _ = sampled_study(rosa)
    more = [replace(one, key=f"new-{one.key}") for one in people.candidates(1, each=1)]
    with pytest.raises(RefusedError, match="has a sampling rule"):
        add_items(study, more)
    pairs = replace(study.current.protocol, unit="pair", scale=CHOICE)
    with pytest.raises(ProtocolError, match="remove the sampling rule"):
        change_protocol(study, pairs, at=now())
    add_items(study, [replace(more[0], test_key=Key(4.0))], use="gold")
    sampling_rules.remove_sampling(study.stages.get(kind="full"), by=rosa)
    add_items(study, [replace(more[0], key="last")])
    change_protocol(study, pairs, at=now())


@pytest.mark.parametrize("lost", [1, 160])
def test_a_stage_whose_candidates_have_no_draw_is_not_opened(rosa: User, lost: int) -> None:
    study, _ = sampled_study(rosa)
    full = study.stages.get(kind="full")
    rows = CandidateDraw.objects.order_by("-candidate__position")[:lost]
    CandidateDraw.objects.filter(pk__in=rows.values("pk")).delete()
    for attempt in (lambda: stage_plans.planned_hits(full), lambda: people.open_stage(study)):
        with pytest.raises(RefusedError, match="The candidates have changed"):
            attempt()
    full.refresh_from_db()
    assert full.status == Stage.Status.PLANNED and not full.hits.exists()


def test_every_wave_has_hidden_checks(rosa: User) -> None:
    study, worth = sampled_study(rosa, quality=QualityRules(gold_share=0.5))
    checks = [
        replace(one, key=f"check-{one.key}", test_key=Key(4.0))
        for one in people.candidates(40, each=1)
    ]
    add_items(study, checks, use="gold")
    stage = people.open_stage(study)
    gold = HitCandidate.objects.filter(hit__stage=stage, candidate__use="gold")
    for _ in range(2):
        assert gold.count() == round(stage.hits.count() / 2)
        assert gold.values("hit").distinct().count() == gold.count(), "one each"
        before = gold.count()
        rate_everything(study, worth)
        assert continuing.continue_sampling(stage, at=now())
    assert gold.count() > before


def test_a_trial_that_counts_is_refused(rosa: User) -> None:
    protocol = people.protocol(trial=Trial(candidates=4, ratings=2))
    study = people.new_study(rosa, protocol, people.candidates(30, each=2), slug="tried")
    keys = list(study.candidates.values_list("key", flat=True))
    scores = pd.DataFrame({"m": np.arange(60.0)}, index=keys)
    with pytest.raises(RefusedError, match="The trial's ratings count"):
        sampling_rules.set_sampling(
            study.stages.get(kind="full"), SamplingRule(), StoppingRule("budget", 1, 30), 10,
            scores, by=rosa, at=now(),
        )  # fmt: skip
