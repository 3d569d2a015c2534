"""What is kept, what the ledger does with it, and what people see and settle by hand."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now
from pytest_django import DjangoAssertNumQueries

from annotation.quality.models import LedgerStep, SpotCheck
from annotation.quality.services import (
    adjudication,
    agreement_reports,
    checking,
    ledgers,
    worker_reports,
)
from annotation.quality.services.rating_data import collect_ratings
from annotation.rating.models import Message, Participation, Rating
from annotation.rating.services import participation
from annotation.stages.services import missing_ratings, opening, stage_figures, stage_plans
from annotation.studies.services.candidate_counts import count_candidates
from concord.filtering import ExcludeWorker, MinimumSeconds, ZScoreFilter, filter_by_zscore
from concord.protocols import Trial
from concord.reliability import alpha
from core.refusals import RefusedError
from tests.annotation import people
from tests.annotation.people import Scene
from tests.html import readable


def test_ratings_are_read_in_one_query_in_stored_order(
    scene: Scene, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(1):
        collected = collect_ratings(scene.study)
    expected = Rating.objects.filter(value__isnull=False).order_by("created_at", "pk")
    assert collected.pks.tolist() == list(expected.values_list("pk", flat=True))
    assert collected.ratings.values.tolist() == list(expected.values_list("value", flat=True))
    names = [collected.ratings.unit_names[unit] for unit in collected.ratings.units]
    assert names == list(expected.values_list("candidate__key", flat=True))


def test_only_submitted_ratings_of_those_who_stayed_are_kept(rosa: User) -> None:
    study = people.new_study(rosa, rows=people.candidates(2))
    stage = people.open_stage(study)
    done, left, busy = (people.join(study, name) for name in ("done", "left", "busy"))
    people.rate(stage, done)
    people.rate(stage, left)
    people.rate(stage, busy)
    busy_ones = Rating.objects.filter(worker=busy.worker)
    first = busy_ones[0].assignment
    first.status = "held"
    first.save()
    participation.withdraw(left, "", at=now())
    collected = collect_ratings(study)
    assert set(collected.ratings.rater_names) == {done.worker.name, busy.worker.name}
    assert len(collected) == 6 + busy_ones.exclude(assignment=first).count()


def test_the_reports_take_few_queries(
    scene: Scene, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    collected = collect_ratings(scene.study)
    with django_assert_max_num_queries(2):
        agreement_reports.agreement_table(scene.study, collected)
    with django_assert_max_num_queries(8):
        worker_reports.worker_table(scene.study, collected)
    with django_assert_max_num_queries(2):
        ledgers.ledger_report(scene.study, collected)
    with django_assert_max_num_queries(5):
        stage_figures.stages_progress(scene.study)
    with django_assert_max_num_queries(6):
        count_candidates(scene.study)


def test_figures_follow_new_ratings(rosa: User) -> None:
    study = people.new_study(rosa, rows=people.candidates(2))
    stage = people.open_stage(study)
    people.rate(stage, people.join(study, "a"))
    row = agreement_reports.agreement_table(study, collect_ratings(study))[0]
    assert row.alpha["alpha"] is None and "two ratings" in row.alpha["reason"]
    people.rate(
        stage, people.join(study, "b"), people.crowd_values(study, np.random.default_rng(1), 1)
    )
    assert agreement_reports.agreement_table(study, collect_ratings(study))[0].alpha["units"] == 6


def test_the_ledger_says_what_each_step_did(scene: Scene) -> None:
    collected = collect_ratings(scene.study)
    report = ledgers.ledger_report(scene.study, collected)
    (line,) = report.lines
    filtered = filter_by_zscore(collected.ratings, 1.2, 1)
    assert line.outcome is not None
    assert line.outcome.removed == int((~filtered).sum()) == report.removed
    assert report.after["alpha"] == alpha(collected.ratings.keep(filtered)).value
    assert report.before["alpha"] == alpha(collected.ratings).value
    assert report.null is not None and report.null["alpha"] is not None
    assert "shuffled" in report.sentence


def test_undo_and_redo_restore_the_same_figures(scene: Scene) -> None:
    collected = collect_ratings(scene.study)
    first = ledgers.ledger_report(scene.study, collected)
    row = LedgerStep.objects.get()
    ledgers.undo_step(row, at=now())
    undone = ledgers.ledger_report(scene.study, collected)
    assert undone.kept.all() and undone.null is None and undone.lines[0].outcome is None
    ledgers.redo_step(row, at=now())
    again = ledgers.ledger_report(scene.study, collected)
    assert again.after == first.after and again.null == first.null
    assert (again.kept == first.kept).all()


def test_no_step_deletes_a_rating_or_touches_pay(scene: Scene, rosa: User) -> None:
    before = Rating.objects.count()
    worker = scene.workers[3]
    earned = participation.earned_cents(worker)
    step = ledgers.exclude_worker(worker, "one value", by=rosa, at=now())
    assert Rating.objects.count() == before
    assert participation.earned_cents(worker) == earned > 0
    worker.refresh_from_db()
    assert worker.excluded_at and worker.exclusion_reason == "one value"
    report = ledgers.ledger_report(scene.study, collected := collect_ratings(scene.study))
    gone = ~report.kept
    assert gone[
        collected.ratings.raters == collected.ratings.rater_names.index(worker.worker.name)
    ].all()
    ledgers.undo_step(step, at=now())
    worker.refresh_from_db()
    assert worker.excluded_at is None


def test_readmitting_undoes_the_exclusion_and_redoing_excludes_again(
    scene: Scene, rosa: User
) -> None:
    worker = scene.workers[0]
    step = ledgers.exclude_worker(worker, "too fast", by=rosa, at=now())
    assert ledgers.exclude_worker(worker, "again", by=rosa, at=now()) == step
    ledgers.readmit_worker(worker, at=now())
    step.refresh_from_db()
    worker.refresh_from_db()
    assert not step.active and worker.excluded_at is None
    ledgers.redo_step(step, at=now())
    worker.refresh_from_db()
    assert worker.exclusion_reason == "too fast"


def test_a_filter_that_could_never_remove_anything_is_refused(scene: Scene, rosa: User) -> None:
    with pytest.raises(RefusedError, match="can never remove any"):
        ledgers.add_step(scene.study, ZScoreFilter(4.0), by=rosa, at=now())
    with pytest.raises(RefusedError, match="already"):
        ledgers.add_step(scene.study, ZScoreFilter(1.2, 1), by=rosa, at=now())
    with pytest.raises(RefusedError, match="no rating of"):
        ledgers.drop_rating(scene.study, "c0-0", "nobody", "", by=rosa, at=now())
    with pytest.raises(RefusedError, match="reason"):
        ledgers.exclude_worker(scene.workers[0], "  ", by=rosa, at=now())


def test_filters_of_the_protocol_are_suggested_but_not_applied(owner: Client, rosa: User) -> None:
    rules = people.PROTOCOL.quality
    study = people.new_study(rosa, people.protocol(quality=rules), people.candidates(3))
    stage = people.open_stage(study)
    rng = np.random.default_rng(2)
    for at in range(4):
        people.rate(stage, people.join(study, f"w{at}"), people.crowd_values(study, rng, 1.0))
    assert ledgers.suggested_steps(study) == [ZScoreFilter(1.0, 2)]
    assert not LedgerStep.objects.exists()
    page = readable(owner.get(reverse("study-quality", args=[study.slug])))
    assert "Nothing is filtered until you add" in page
    owner.post(reverse("study-add-suggested", args=[study.slug]), {"step": "0"})
    assert ledgers.parse_step(LedgerStep.objects.get()) == ZScoreFilter(1.0, 2)
    assert ledgers.suggested_steps(study) == []


def test_the_workers_table_flags_a_straight_liner(scene: Scene) -> None:
    rows = worker_reports.worker_table(scene.study, collect_ratings(scene.study))
    row = next(row for row in rows if row.name == scene.workers[3].worker.name)
    assert any("too fast" in flag for flag in row.flags)
    assert row.alpha_change is not None and row.alpha_change > 0
    others = [other for other in rows if other is not row]
    assert not any(other.flags for other in others)
    assert all(other.correlation is not None and other.correlation > 0.8 for other in others)


def test_the_sample_is_stable_while_ratings_arrive() -> None:
    few, many = np.arange(1, 2001), np.arange(1, 20_001)
    first = checking.is_drawn(few, 7, 0.05)
    assert (checking.is_drawn(many, 7, 0.05)[:2000] == first).all()
    assert 0.045 < checking.is_drawn(many, 7, 0.05).mean() < 0.055
    assert (checking.is_drawn(few, 8, 0.05) != first).any()
    assert not checking.is_drawn(few, 7, 0.0).any() and checking.is_drawn(few, 7, 1.0).all()


def test_a_verdict_empties_the_queue_and_changes_no_rating(scene: Scene, owner: Client) -> None:
    queue = checking.spot_check_queue(scene.study)
    assert queue.open_count == queue.drawn > 0
    assert not SpotCheck.objects.exists()
    rating = queue.open[0]
    url = reverse("study-verdict", args=[scene.slug, rating.pk])
    owner.post(url, {"verdict": "poor"})
    owner.post(url, {"verdict": "lovely"})
    after = checking.spot_check_queue(scene.study)
    assert (after.poor, after.open_count) == (1, queue.open_count - 1)
    assert Rating.objects.get(pk=rating.pk).value == rating.value
    assert checking.poor_by_worker(scene.study) == {rating.worker_id: (1, 1)}


def test_disagreements_are_sorted_by_spread_and_removed_when_adjudicated(
    scene: Scene, rosa: User
) -> None:
    collected = collect_ratings(scene.study)
    question = adjudication.question_of(scene.study.current.protocol, "")
    rows = adjudication.disagreements(scene.study, question, collected)
    total = len(rows)
    by_hand = {}
    for unit in range(collected.ratings.n_units):
        values = collected.ratings.values[collected.ratings.units == unit]
        if len(values) > 1 and np.ptp(values):
            by_hand[int(collected.candidate_ids[unit])] = (np.ptp(values), values.std())
    assert {row.candidate: (row.range, pytest.approx(row.sd)) for row in rows} == by_hand
    assert total == len(by_hand) and [row[1] for row in rows] == sorted(
        (row[1] for row in rows), reverse=True
    )
    by_sd = adjudication.disagreements(scene.study, question, collected, "sd")
    sds = [row.sd for row in by_sd]
    assert sds == sorted(sds, reverse=True)
    widest = adjudication.with_texts(question, collected, rows)[0].candidate
    adjudication.adjudicate(widest, 4, "read it again", by=rosa, at=now())
    assert len(adjudication.disagreements(scene.study, question, collected)) == total - 1
    for value in (0, 6):
        with pytest.raises(RefusedError, match="from 1 to 5"):
            adjudication.adjudicate(widest, value, "", by=rosa, at=now())
    adjudication.remove_adjudication(widest)
    assert len(adjudication.disagreements(scene.study, question, collected)) == total


def test_the_form_says_that_the_worker_reads_the_reason(scene: Scene, owner: Client) -> None:
    url = reverse("study-worker", args=[scene.slug, scene.workers[0].worker.name])
    assert "The worker reads this text word for word" in readable(owner.get(url))


def test_an_appeal_is_answered_and_the_worker_readmitted(scene: Scene, owner: Client) -> None:
    appeal = Message.objects.get(kind=Message.Kind.APPEAL)
    worker = appeal.participation
    ledgers.exclude_worker(worker, "too fast", by=scene.study.owner, at=now())
    url = reverse("study-answer", args=[scene.slug, appeal.pk])
    assert owner.post(url, {"answer": " "}).status_code == 422
    owner.post(url, {"answer": "You are right.", "readmit": "on"})
    appeal.refresh_from_db()
    worker.refresh_from_db()
    assert appeal.answer == "You are right." and appeal.answered_at is not None
    assert worker.excluded_at is None
    page = readable(owner.get(reverse("study-messages", args=[scene.slug])))
    assert "You are right." in page


def test_lost_ratings_can_be_requested_again_but_not_those_a_z_score_removed(rosa: User) -> None:
    study = people.new_study(rosa, rows=people.candidates(2))
    stage = people.open_stage(study)
    rng = np.random.default_rng(4)
    crowd = [people.join(study, f"w{at}") for at in range(4)]
    for worker in crowd:
        people.rate(stage, worker, people.crowd_values(study, rng, 1.5))
    assert missing_ratings.candidates_missing_ratings(stage) == []
    ledgers.add_step(study, ZScoreFilter(1.0, 2), by=rosa, at=now())
    assert missing_ratings.candidates_missing_ratings(stage) == []
    ledgers.exclude_worker(crowd[0], "noise", by=rosa, at=now())
    short = missing_ratings.candidates_missing_ratings(stage)
    assert len(short) == 6 and {lacking for _, lacking in short} == {1}
    opening.top_up(stage)
    assert missing_ratings.candidates_missing_ratings(stage) == []
    people.rate(stage, people.join(study, "w9"))
    assert missing_ratings.candidates_missing_ratings(stage) == []


def test_costs_are_those_of_the_hits_that_opening_makes(rosa: User) -> None:
    apart = people.protocol(trial=Trial(candidates=4, ratings=2, counted=False))
    study = people.new_study(rosa, apart, people.candidates(3))
    before = stage_figures.study_cost(study)
    trial, full = before.stages
    assert (trial.candidates, trial.ratings) == (4, 8)
    # Three candidates a passage, HITs of four at 40 cents: 30 cents each, four workers.
    assert (full.hits, full.assignments, full.ratings, full.pay_cents) == (3, 12, 36, 360)
    assert before.pay_cents == trial.pay_cents + 360
    planned = [hit.keys for hit in stage_plans.planned_hits(full.stage)]
    people.open_stage(study, "trial")
    opening.close_stage(study.stages.get(kind="trial"), at=now())
    stage = people.open_stage(study, "full")
    made = [
        tuple(hit.members.order_by("position").values_list("candidate_id", flat=True))
        for hit in stage.hits.order_by("index")
    ]
    assert made == planned
    after = stage_figures.study_cost(study)
    assert [(c.hits, c.ratings, c.pay_cents) for c in after.stages] == [
        (c.hits, c.ratings, c.pay_cents) for c in before.stages
    ]


def test_a_stage_shows_the_one_before_it_and_is_opened_by_a_person(
    owner: Client, rosa: User
) -> None:
    study = people.new_study(rosa, people.TRIAL, people.candidates(3))
    url = reverse("study-stages", args=[study.slug])
    owner.post(reverse("study-open-stage", args=[study.slug, "trial"]))
    stage = study.stages.get(kind="trial")
    assert (stage.status, stage.opened_by) == ("open", rosa)
    live = readable(owner.get(url, headers={"HX-Request": "true"}))
    assert "hx-trigger" in live and "<html" not in live
    for name in ("a", "b"):
        people.rate(stage, people.join(study, name))
    page = readable(owner.get(url))
    assert "Agreement of the ratings and workers" in page
    owner.post(reverse("study-close-stage", args=[study.slug, "trial"]))
    assert "hx-trigger" not in readable(owner.get(url, headers={"HX-Request": "true"}))
    owner.post(reverse("study-open-stage", args=[study.slug, "full"]))
    assert study.stages.get(kind="full").status == "open"
    page = readable(owner.get(url))
    assert "the trial cannot be opened again" in page and "Open the trial stage" not in page


def test_a_stage_that_cannot_open_says_why(owner: Client, rosa: User) -> None:
    study = people.new_study(rosa)
    url = reverse("study-open-stage", args=[study.slug, "full"])
    assert "upload candidates first" in readable(owner.post(url, follow=True))


def test_simulated_ratings_are_marked_on_every_page(rosa: User, owner: Client) -> None:
    scene = people.full_scene(rosa, simulated=True)
    name = scene.workers[0].worker.name
    for page in (
        "study",
        "study-protocol",
        "study-candidates",
        "study-cost",
        "study-preview",
        "study-stages",
        "study-quality",
        "study-spot-checks",
        "study-adjudication",
        "study-messages",
        "study-freeze",
    ):
        text = readable(owner.get(reverse(page, args=[scene.slug])))
        assert "Every rating here is simulated" in text, page
    assert "simulated" in readable(owner.get(reverse("study-worker", args=[scene.slug, name])))


def test_a_minimum_of_seconds_removes_quick_ratings(scene: Scene, rosa: User) -> None:
    ledgers.add_step(scene.study, MinimumSeconds(1.0), by=rosa, at=now() + timedelta(seconds=2))
    collected = collect_ratings(scene.study)
    report = ledgers.ledger_report(scene.study, collected)
    assert not report.kept[collected.seconds < 1].any()


def test_an_excluded_worker_is_named_in_the_ledger(scene: Scene, owner: Client) -> None:
    name = scene.workers[3].worker.name
    owner.post(
        reverse("study-exclude-worker", args=[scene.slug, name]), {"reason": "<b>one value</b>"}
    )
    step = ledgers.parse_step(LedgerStep.objects.get(number=2))
    assert step == ExcludeWorker(name, "<b>one value</b>")
    page = readable(owner.get(reverse("study-quality", args=[scene.slug])))
    assert "&lt;b&gt;one value" in page and "<b>one" not in page
    assert Participation.objects.get(worker__name=name).excluded_at is not None


def test_the_preview_leads_to_the_page_that_raters_see(owner: Client, rosa: User) -> None:
    study = people.new_study(rosa, people.TRIAL, people.candidates(2))
    page = owner.get(reverse("study-preview", args=[study.slug]))
    raters = Client().get(page.context["preview_url"])
    assert raters.status_code == 200
    shown = readable(page)
    assert "HIT 1" in shown
    first = page.context["hits"][0]["candidates"][0]
    assert first.text in shown and first.text in readable(raters)
    assert not study.participations.exists()
