"""`simulate_crowd`: marked, reproducible, and to be gone on with."""

from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command
from django.utils.timezone import now

from annotation.rating.models import Assignment, Participation, Rating, Worker
from annotation.rating.services import handing_out
from annotation.studies.intake import Item
from annotation.studies.models import Study, StudyCandidate
from annotation.studies.services.candidates import add_items
from concord.protocols import RatingRule
from concord.reliability import Ratings, alpha
from tests.annotation import factories
from tests.annotation.rating.invariants import assert_complete, assert_invariants

pytestmark = pytest.mark.django_db


def simulate(slug: str = "study", **options) -> str:
    out = io.StringIO()
    call_command("simulate_crowd", slug, stdout=out, **({"workers": 4} | options))
    return out.getvalue()


def test_a_crowd_rates_everything_and_is_marked():
    stage = factories.open_study(factories.plain(consent="Agree?"), passages=4, each=3)
    output = simulate()
    assert_complete(stage.study)
    assert "8 tasks submitted, 24 ratings" in output
    assert set(Worker.objects.values_list("provider", "simulated")) == {("simulated", True)}
    assert set(Rating.objects.values_list("simulated", flat=True)) == {True}
    assert not Participation.objects.filter(consented_at=None).exists()
    assert not Rating.objects.filter(seconds=None).exists()
    assert Assignment.objects.values("worker").distinct().count() == 4, "they take turns"
    assert "0 tasks submitted" in simulate(), "nothing is left for them"


def test_a_limit_is_respected_and_the_same_command_continues():
    stage = factories.open_study(passages=5)
    assert "3 tasks submitted" in simulate(limit=3)
    assert_invariants(stage.study)
    assert "7 tasks submitted" in simulate()
    assert_complete(stage.study)


@pytest.mark.slow
def test_better_raters_agree_more():
    def alpha_of(slug: str, **figures) -> float:
        protocol = factories.plain(rating_rules=(RatingRule(3),))
        factories.open_stage(factories.make_study(protocol, factories.candidates(6), slug=slug))
        simulate(slug, **figures)
        rows = Rating.objects.filter(candidate__study__slug=slug)
        value = alpha(Ratings.from_rows(rows.values_list("candidate", "worker", "value"))).value
        assert value is not None
        return value

    assert alpha_of("good", ability=1.0, noise=0.0) == 1.0
    assert alpha_of("bad", ability=0.0) < 0.6


def test_the_test_is_taken_first_and_spammers_fail_it():
    # Many items, so that nobody passes by luck.
    study = factories.make_study(factories.TESTED, factories.candidates(3))
    add_items(study, factories.keyed(15), use=StudyCandidate.Use.QUALIFICATION)
    factories.open_stage(study, "qualification")
    factories.open_stage(study)
    output = simulate(ability=1.0, noise=0.0, spam=0.25)
    assert "Tests: 3 passed, 1 failed." in output
    assert sorted(Participation.objects.values_list("qualified", "tries")) == [
        ("failed", 2),
        ("passed", 1),
        ("passed", 1),
        ("passed", 1),
    ]
    assert_complete(study)


def test_the_better_of_a_pair_is_truly_better():
    study = factories.make_study()
    pairs = [
        Item.minimal_pair(f"p{at}", factories.instance(at), f"right {at}", "wrong", "negation")
        for at in range(3)
    ]
    add_items(study, pairs, "pairs")
    factories.open_stage(study)
    simulate(ability=1.0, noise=0.0)
    assert_complete(study)
    for at in range(3):
        better, worse = (
            Rating.objects.filter(candidate__key=f"p{at}/{member}").first().value
            for member in (1, 2)
        )
        assert better >= 3 >= worse


@pytest.mark.parametrize(
    ("slug", "options", "says"),
    [
        ("nobody", {}, "no study 'nobody'"),
        ("planned", {}, "Open one"),
        ("study", {"ability": 2.0}, "ability must be from 0 to 1"),
        ("study", {"workers": 0}, "--workers must be at least 1"),
    ],
)
def test_impossible_simulations_are_explained(slug, options, says):
    factories.open_study()
    factories.make_study(slug="planned")
    with pytest.raises(CommandError, match=says):
        simulate(slug, **options)


def test_a_study_that_people_rate_is_refused_and_a_copy_is_simulated():
    study = factories.make_study(factories.TESTED, factories.candidates(2))
    add_items(study, factories.keyed(5), use=StudyCandidate.Use.QUALIFICATION)
    test = factories.open_stage(study, "qualification")
    factories.open_stage(study)
    factories.submitted(handing_out.hand_out(factories.worker(study, "ann"), test, at=now()))
    with pytest.raises(CommandError, match="simulate_crowd study --copy"):
        simulate()
    assert set(Rating.objects.values_list("simulated", flat=True)) == {False}
    said = simulate(copy="", ability=1.0, noise=0.0)
    assert "Copied study to study-simulated" in said
    copy = Study.objects.get(slug="study-simulated")
    assert_complete(copy)
    assert set(copy.workers.values_list("simulated", flat=True)) == {True}
    assert set(study.workers.values_list("simulated", flat=True)) == {False}
    with pytest.raises(CommandError, match="A study of this name exists"):
        simulate(copy="study-simulated")
