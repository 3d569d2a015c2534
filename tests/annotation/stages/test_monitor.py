"""The live monitor of a stage, and pausing it."""

from __future__ import annotations

import dataclasses
from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.quality.services import agreement_reports, ledgers
from annotation.quality.services.rating_data import collect_ratings
from annotation.rating.models import Assignment, Participation, Rating
from annotation.rating.services import handing_out, participation
from annotation.rating.services.handing_out import Answer
from annotation.rating.services.tokens import token_for
from annotation.stages.services import opening, pausing
from annotation.stages.services.monitoring import Monitor, RaterFigures
from annotation.studies.models import Stage, Study
from concord.protocols import HitRules, Pay, QualityRules, RatingRule
from concord.protocols.keys import Key
from core.audit.models import AuditEvent
from core.refusals import RefusedError
from tests.annotation import factories, people
from tests.html import readable

Status = Assignment.Status
PROTOCOL = people.protocol(
    rating_rules=(RatingRule(2),),
    hit=HitRules(max_candidates=3),
    pay=Pay(cents_per_full_hit=30),
    quality=QualityRules(),
)


@pytest.fixture
def stage(rosa: User) -> Stage:
    """8 HITs of 3 candidates, 2 ratings each, opened a day ago."""
    cache.clear()
    stage = people.open_stage(people.new_study(rosa, PROTOCOL, people.candidates(8, 3)))
    Stage.objects.filter(pk=stage.pk).update(opened_at=now() - timedelta(hours=24))
    return people_stage(stage)


def people_stage(stage: Stage) -> Stage:
    return Stage.objects.select_related("study").get(pk=stage.pk)


def figures(stage: Stage, at: datetime | None = None) -> Monitor:
    cache.clear()
    return Monitor(people_stage(stage), "hour", at or now())


def rate(stage: Stage, name: str, *, tasks: int = 1, ago: timedelta, seconds: float = 6) -> None:
    """Rated and submitted this long ago."""
    done = people.rate(stage, people.join(stage.study, name), limit=tasks, seconds=seconds)
    at = now() - ago
    keys = [one.pk for one in done]
    Rating.objects.filter(assignment__in=keys).update(created_at=at, updated_at=at)
    Assignment.objects.filter(pk__in=keys).update(submitted_at=at)


def begin(stage: Stage, name: str, *, rated: int = 0, ago: timedelta = timedelta()) -> None:
    at = now() - ago
    assignment = handing_out.hand_out(people.join(stage.study, name).worker, stage, at=at)
    assert assignment is not None
    for pk in factories.members(assignment)[:rated]:
        handing_out.save_rating(assignment, pk, Answer(3, seconds=5.0), at=at)


def row(monitor: Monitor, study: Study, name: str) -> RaterFigures:
    worker = people.join(study, name).worker
    return next(one for one in monitor.raters if one.participation.worker_id == worker.pk)


def test_who_rates_now_and_what_is_done(stage: Stage) -> None:
    rate(stage, "done", tasks=2, ago=timedelta(hours=3))
    begin(stage, "active", rated=2)
    begin(stage, "away", ago=timedelta(minutes=30))
    monitor = figures(stage)
    assert (monitor.progress.ratings, monitor.wanted_ratings) == (6, 48)
    assert monitor.recent == {"hour": 2, "day": 8}
    assert (monitor.active, len(monitor.raters)) == (1, 3)
    active, away = row(monitor, stage.study, "active"), row(monitor, stage.study, "away")
    assert active.task and (active.task.rated, active.task.candidates) == (2, 3)
    assert monitor.raters[0] is active
    assert away.task and not away.is_active
    assert row(monitor, stage.study, "done").task is None


def test_a_lapsed_task_is_not_in_progress(stage: Stage) -> None:
    begin(stage, "gone", rated=1)
    factories.let_lapse(Assignment.objects.get())
    assert figures(stage).active == 0


def test_pay_an_hour_is_pay_by_the_time_on_the_page(stage: Stage) -> None:
    rate(stage, "ann", tasks=2, ago=timedelta(hours=1), seconds=10)  # 60 cents in a minute
    rate(stage, "bob", ago=timedelta(hours=1), seconds=40)  # 30 cents in two minutes
    rate(stage, "untimed", ago=timedelta(hours=1))
    untimed = people.join(stage.study, "untimed").worker
    Rating.objects.filter(worker=untimed).update(seconds=None)
    monitor = figures(stage)
    assert row(monitor, stage.study, "ann").cents_per_hour == pytest.approx(3600)
    assert row(monitor, stage.study, "bob").cents_per_hour == pytest.approx(900)
    assert row(monitor, stage.study, "untimed").cents_per_hour is None
    assert monitor.cents_per_hour == pytest.approx(90 * 60 / 3)


def test_missing_times_count_as_the_rater_s_mean(stage: Stage) -> None:
    rate(stage, "ann", ago=timedelta(hours=1), seconds=10)
    Rating.objects.filter(pk=Rating.objects.latest("pk").pk).update(seconds=None)
    assert row(figures(stage), stage.study, "ann").cents_per_hour == pytest.approx(3600)


def test_the_end_is_predicted_from_the_hits_of_the_last_day(stage: Stage) -> None:
    for hours in (2, 8, 14, 20):
        rate(stage, f"rater {hours}", ago=timedelta(hours=hours))
    monitor = figures(stage)
    prediction = monitor.prediction
    assert prediction and prediction.expected and prediction.low and prediction.high
    # 12 of 16 HITs are left, at 4 a day
    assert prediction.expected - monitor.at == pytest.approx(
        timedelta(days=3), abs=timedelta(minutes=1)
    )
    assert monitor.at < prediction.low < prediction.expected < prediction.high


def test_no_end_is_predicted_from_too_little(stage: Stage) -> None:
    rate(stage, "ann", tasks=2, ago=timedelta(hours=2))
    monitor = figures(stage)
    assert monitor.prediction is None and "Fewer than 3 assignments" in monitor.no_prediction


def test_a_stage_that_has_just_been_opened_has_figures(stage: Stage) -> None:
    at = now()
    Stage.objects.filter(pk=stage.pk).update(opened_at=at)
    assert figures(stage, at).prediction is None


def test_a_complete_stage_needs_no_prediction(stage: Stage) -> None:
    for name in ("ann", "bob"):
        rate(stage, name, tasks=8, ago=timedelta(hours=2))
    monitor = figures(stage)
    assert monitor.prediction is None and monitor.no_prediction == ""


def test_ratings_are_counted_by_the_hour(stage: Stage) -> None:
    at = now()
    rate(stage, "ann", ago=timedelta(hours=3))
    rate(stage, "bob", tasks=2, ago=timedelta(hours=3))
    monitor = Monitor(stage, "hour", at)
    counted = dict(zip(monitor.starts, monitor.counts, strict=True))
    hour = (at - timedelta(hours=3)).replace(minute=0, second=0, microsecond=0)
    assert counted[hour] == 9 and sum(monitor.counts) == 9
    by_day = Monitor(stage, "day", at)
    assert sum(by_day.counts) == 9 and len(by_day.counts) == 30


def test_agreement_and_warnings(stage: Stage) -> None:
    for at, name in enumerate(("ann", "bob")):
        rate(stage, name, tasks=8, ago=timedelta(hours=1), seconds=0.3 if at else 5)
    monitor = figures(stage)
    assert monitor.quality.ratings == 48
    assert row(monitor, stage.study, "bob").warnings == (
        "too fast: 100% under 1 s",
        "straight line: 24 equal in a row",
    )
    assert row(monitor, stage.study, "ann").warnings == ("straight line: 24 equal in a row",)


def test_agreement_is_that_of_the_page_of_quality(stage: Stage) -> None:
    for name in ("ann", "bob"):
        rate(stage, name, tasks=8, ago=timedelta(hours=1))
    for rating in Rating.objects.select_related("candidate"):
        value = rating.candidate.position % 4 + rating.pk % 2 + 1
        Rating.objects.filter(pk=rating.pk).update(value=value)
    quality = figures(stage).quality
    row, *_ = agreement_reports.agreement_table(stage.study, collect_ratings(stage.study))
    assert quality.alpha["alpha"] is not None and quality.alpha["draws"] > 0
    assert quality.alpha == row.alpha


def test_failed_hidden_checks_are_shown(rosa: User, owner: Client) -> None:
    protocol = dataclasses.replace(PROTOCOL, quality=QualityRules(gold_share=0.5))
    study = people.new_study(rosa, protocol, people.candidates(4, 3))
    gold = [dataclasses.replace(one, test_key=Key(5)) for one in factories.keyed(2)]
    factories.add_items(study, gold, use="gold")
    stage = people.open_stage(study)
    rate(stage, "ann", tasks=4, ago=timedelta(minutes=5))  # all 3
    ann = row(figures(stage), study, "ann")
    assert (ann.failed_checks, ann.checks) == (2, 2)
    page = readable(owner.get(reverse("study-monitor", args=[study.slug])))
    assert "hidden checks: 2 of 2 failed" in page


def test_quality_is_computed_once_a_minute_after_the_first_rating(stage: Stage) -> None:
    assert figures(stage).quality.ratings == 0
    rate(stage, "ann", ago=timedelta(minutes=1))
    first = Monitor(stage, "hour", now()).quality
    assert first.ratings > 0
    rate(stage, "bob", ago=timedelta(minutes=1))
    assert Monitor(stage, "hour", now()).quality == first


def test_the_number_of_queries_does_not_depend_on_the_raters(
    stage: Stage, owner: Client, django_assert_max_num_queries: object
) -> None:
    rate(stage, "eve", ago=timedelta(minutes=1))
    for name in ("ann", "bob", "cem", "dan"):
        begin(stage, name, rated=1)
    url = reverse("study-monitor", args=[stage.study.slug])
    owner.get(url)
    with django_assert_max_num_queries(22):  # type: ignore[operator]
        response = owner.get(url, headers={"HX-Request": "true"})
    page = readable(response)
    assert "<h1" not in page and 'hx-trigger="every 5s"' in page


def test_the_page_before_any_stage_is_opened(rosa: User, owner: Client) -> None:
    study = people.new_study(rosa, PROTOCOL, people.candidates(2, 3))
    page = readable(owner.get(reverse("study-monitor", args=[study.slug])))
    assert "No stage was opened yet" in page
    planned = owner.get(reverse("study-monitor", args=[study.slug]), {"stage": "full"})
    assert "No stage was opened yet" in readable(planned)
    for query in ({"stage": "lunch"}, {"by": "week"}):
        assert owner.get(reverse("study-monitor", args=[study.slug]), query).status_code == 400


def pause(stage: Stage, reason: str = "The link is wrong") -> None:
    pausing.pause_stage(stage, reason, by=stage.study.owner, at=now())


def test_a_paused_stage_hands_out_nothing_and_takes_what_was_begun(
    stage: Stage, client: Client
) -> None:
    worker = people.join(stage.study, "ann")
    Participation.objects.update(consented_at=now())
    begun = handing_out.hand_out(worker.worker, stage, at=now())
    assert begun is not None
    pause(stage)
    home = reverse("rating-home", args=[token_for(worker)])
    assert "You have a task in progress" in readable(client.get(home))
    assert factories.submitted(begun).status == Status.SUBMITTED
    client.post(reverse("rating-task", args=[token_for(worker)]))
    assert Assignment.objects.count() == 1, "no new task"
    page = readable(client.get(home))
    assert "The study is paused." in page and "The link is wrong" not in page
    pausing.resume_stage(people_stage(stage), by=stage.study.owner)
    assert "available" in readable(client.get(home))


def test_a_paused_test_is_not_repeated(rosa: User) -> None:
    study = factories.make_study(factories.TESTED, factories.candidates(2))
    factories.add_items(study, factories.keyed(5), use="qualification")
    test = factories.open_stage(study, "qualification")
    worker = factories.join(study, "ann")
    assignment = handing_out.hand_out(worker.worker, test, at=now())
    assert assignment is not None
    factories.rate_all(assignment, 1)
    participation.submit_test(assignment, at=now())
    pausing.pause_stage(test, "Wrong keys", by=rosa, at=now())
    assert participation.retry_test(worker, at=now()) is None
    pausing.resume_stage(test, by=rosa)
    assert participation.retry_test(worker, at=now()) is not None


def test_pausing_on_the_page_is_recorded_with_its_reason(stage: Stage, owner: Client) -> None:
    slug = stage.study.slug
    url = reverse("study-monitor", args=[slug])
    refused = owner.post(reverse("study-pause-stage", args=[slug, "full"]), {"reason": " "})
    assert refused.status_code == 422 and "Say why the stage is paused." in readable(refused)
    too_long = owner.post(reverse("study-pause-stage", args=[slug, "full"]), {"reason": "x" * 501})
    assert too_long.status_code == 422
    assert people_stage(stage).paused_at is None
    reason = {"reason": "The link is wrong"}
    owner.post(reverse("study-pause-stage", args=[slug, "full"]), reason)
    event = AuditEvent.objects.get(action="stage.paused")
    assert (event.actor_name, event.after, event.study_id) == ("rosa", reason, stage.study_id)
    page = readable(owner.get(url))
    assert "The link is wrong" in page and "Resume the full stage" in page
    again = owner.post(reverse("study-pause-stage", args=[slug, "full"]), reason, follow=True)
    assert "The full stage is paused already." in readable(again)
    owner.post(reverse("study-resume-stage", args=[slug, "full"]))
    assert people_stage(stage).hands_out
    assert AuditEvent.objects.filter(action="stage.resumed").count() == 1
    assert "Pause the full stage" in readable(owner.get(url))


def test_only_an_open_stage_is_paused_and_closing_ends_the_pause(stage: Stage) -> None:
    pause(stage)
    opening.close_stage(stage, at=now())
    assert people_stage(stage).paused_at is None
    for change in (pause, lambda one: pausing.resume_stage(one, by=one.study.owner)):
        with pytest.raises(RefusedError, match="is not"):
            change(people_stage(stage))


def test_the_pace_after_a_pause_begins_with_the_resumption(stage: Stage) -> None:
    for hours in (20, 21, 22, 23):
        rate(stage, f"rater {hours}", ago=timedelta(hours=hours))
    pause(stage)
    assert figures(stage).no_prediction == "The stage hands out no HITs."
    pausing.resume_stage(people_stage(stage), by=stage.study.owner)
    assert figures(stage).prediction is None, "nothing was submitted since then"


def test_excluded_raters_are_marked(stage: Stage, owner: Client) -> None:
    rate(stage, "ann", ago=timedelta(hours=1))
    worker = people.join(stage.study, "ann")
    ledgers.exclude_worker(worker, "spam", by=stage.study.owner, at=now())
    page = readable(owner.get(reverse("study-monitor", args=[stage.study.slug])))
    assert "excluded" in page
