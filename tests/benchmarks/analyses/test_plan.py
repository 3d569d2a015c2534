"""The page of a study like a set: its analysis, ratings, costs, and who may see them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotation.stages.services.rating_terms import study_terms
from benchmarks.analyses import kinds, tasks
from benchmarks.analyses import services as analyses
from benchmarks.analyses.kinds.plan import computation as plan
from benchmarks.analyses.kinds.plan.computation import PlanAnalysis
from benchmarks.analyses.leaderboards import complete_board_runs
from benchmarks.analyses.models import Analysis
from benchmarks.analyses.rater_agreement import set_ratings
from benchmarks.sets.models import JudgmentSet, Rating
from concord.planning.variance import variance_components
from concord.protocols import Pay, RatingRule
from core.accounts.roles import Role
from core.refusals import RefusedError
from tests.annotation import people
from tests.benchmarks.factories import (
    add_member,
    make_set,
    published,
    score_here,
    set_default_draws,
)
from tests.documents import faults
from tests.html import readable


@pytest.fixture
def judged(tmp_path, db, monkeypatch) -> JudgmentSet:
    set_default_draws(monkeypatch, "plan", 3)
    judgment_set = make_set(tmp_path, instances=60, systems=("a", "b", "c"))
    score_here(judgment_set, "token-f1,rouge-l")
    return published(judgment_set)


def compute(judgment_set: JudgmentSet, **parameters: object) -> Analysis:
    analysis = analyses.request_analysis("plan", judgment_set, parameters)
    tasks.compute_analysis(analysis.pk)
    analysis.refresh_from_db()
    return analysis


@pytest.mark.parametrize("target", ["20", "ranking"])
def test_every_rule_is_planned(judged: JudgmentSet, target: str) -> None:
    analysis = compute(judged, target=target, units=90)
    assert analysis.status == "complete", analysis.reason
    result = kinds.plan.KIND.result_of(analysis)
    assert faults(analysis.result, PlanAnalysis) == []
    assert faults(analysis.parameters, kinds.plan.KIND.parameters) == []
    assert [row.rule for row in result.rules] == [
        "plain mean", "uniform", "stratified",
    ]  # fmt: skip
    assert (result.rated, result.units) == (60, 90)
    assert judged.scale_low is not None and judged.scale_high is not None
    share = 0.1 if target == "ranking" else 0.2
    assert result.width == pytest.approx(share * (judged.scale_high - judged.scale_low))
    for row in result.rules:
        mean, low, high = row.units
        assert 10 <= low <= mean <= high <= 90


def test_raters_without_ratings_of_systems_are_not_counted(
    judged: JudgmentSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    ratings = set_ratings(judged)
    more = replace(ratings, rater_names=(*ratings.rater_names, "another"))
    monkeypatch.setattr(plan, "set_ratings", lambda *_: more)
    needs = kinds.plan.KIND.result_of(compute(judged)).needs
    assert needs is not None and needs.persons == ratings.n_raters


def test_the_variance_of_the_ratings_is_the_librarys(judged: JudgmentSet) -> None:
    needs = kinds.plan.KIND.result_of(compute(judged)).needs
    assert needs is not None
    ratings = set_ratings(judged)
    system_of = dict(judged.candidates.values_list("key", "system"))
    names = [system_of[str(name)] for name in ratings.unit_names]
    parts = variance_components(ratings, np.unique(names, return_inverse=True)[1])
    assert needs.components.rating == pytest.approx(parts.rating)
    assert needs.persons == ratings.n_raters
    assert len(needs.mean) == len(needs.difference) == min(5, ratings.n_raters)


def test_the_page_names_costs(judged: JudgmentSet, client: Client) -> None:
    run = complete_board_runs(judged)[1]
    compute(judged, run=run.pk)
    url = reverse("rating-plan", args=[str(judged)])
    page = client.get(url, {"run": run.pk}, follow=True)
    assert f"With <strong>{run.metric}</strong>" in page.content.decode()
    assert "Where the variance of a rating comes from" in readable(page)
    assert "Cost of a system" not in readable(page)
    assert page.content.decode().count("<svg") >= 2
    priced = readable(client.get(url, {"run": run.pk, "cents": 7, "ratings_each": 2}, follow=True))
    plain = Analysis.objects.get(kind="plan").result["rules"][0]
    ratings = 2 * plain["candidates"][0]
    assert f"${7 * ratings / 100:,.2f}" in priced and "2 ratings of an answer" in priced


def test_the_price_and_size_are_those_of_a_study(judged: JudgmentSet, client: Client) -> None:
    rosa = people.researcher("rosa")
    protocol = people.protocol(rating_rules=(RatingRule(3),), pay=Pay(33))
    study = people.new_study(rosa, protocol, people.candidates(40, each=2))
    compute(judged, units=40)
    url = reverse("rating-plan", args=[str(judged)])
    client.force_login(rosa)
    page = readable(client.get(url, {"study": study.slug}, follow=True))
    plain = Analysis.objects.get(kind="plan").result["rules"][0]
    cents = study_terms(study).cents(3, plain["candidates"][0])
    assert "studies of 40 instances" in page and "3 ratings of an answer" in page
    assert f"${cents / 100:,.2f}" in page
    client.force_login(people.researcher("olaf"))
    assert client.get(url, {"study": study.slug}, follow=True).status_code == 400


def test_editors_start_and_stop_it(judged: JudgmentSet, client: Client) -> None:
    editor = User.objects.create_user("editor")
    add_member(judged.name, editor, Role.EDITOR)
    client.force_login(editor)
    url = reverse("compute-rating-plan", args=[str(judged)])
    answer = client.post(url, {"units": "200", "cents": "5"})
    assert answer.status_code == 302 and "cents=5" in answer["Location"]
    assert Analysis.objects.get(kind="plan").parameters["units"] == 200
    client.post(url, {"units": "200", "stop": "1"})


@pytest.mark.parametrize("query", ["units=-1", "units=1000000", "target=3", "run=9", "cents=x"])
def test_an_unknown_choice_is_refused(judged: JudgmentSet, client: Client, query: str) -> None:
    assert client.get(f"{reverse('rating-plan', args=[str(judged)])}?{query}").status_code == 400


def test_what_cannot_be_planned_says_why(judged: JudgmentSet, tmp_path, client: Client) -> None:
    with pytest.raises(RefusedError, match="units: 200000 is not from 0 to 100,000"):
        compute(judged, units=200_000)
    small = make_set(tmp_path, "small", instances=8)
    score_here(small, "token-f1")
    assert "8 passages are rated; a plan needs 30 or more" in compute(small).reason
    Rating.objects.filter(candidate__judgment_set=judged).delete()
    analysis = compute(judged)
    assert analysis.status == "complete"
    assert "gold scores only" in analysis.result["no_needs"]
    page = readable(client.get(reverse("rating-plan", args=[str(judged)]), follow=True))
    assert "gold scores only" in page and "stratified" in page
