"""A second look at a judge's disagreements: from the list to who was right."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.stages.services import opening
from annotation.studies.models import Stage, Study
from benchmarks.analyses.leaderboards import complete_board_runs
from benchmarks.freezing import services as freezing
from benchmarks.runs.models import MetricRun
from benchmarks.second_looks import services
from benchmarks.second_looks.models import SecondLook
from benchmarks.second_looks.services import SecondLookRefusedError
from benchmarks.sets.models import JudgmentSet
from benchmarks.submissions import services as submissions
from benchmarks.submissions.services import SubmissionInfo
from concord.protocols import RatingRule
from core.accounts.roles import Role
from core.audit.models import AuditEvent
from tests.annotation import people
from tests.annotation.conftest import signed_in
from tests.benchmarks.factories import add_member, make_set, score_here, write_lines
from tests.core.rest.people import caller

FIRST, TRUTH, JUDGE = 2, 5, 5


def wrong_keys() -> list[str]:
    """The candidates whose first ratings were wrong: one of each of six passages."""
    return [f"c{passage}-0" for passage in range(6)]


@pytest.fixture
def study(rosa: User) -> Study:
    """24 candidates rated by two people, who both were wrong about six of them."""
    protocol = people.protocol(rating_rules=(RatingRule(2),))
    rows = people.candidates(8, each=3)
    study = people.new_study(rosa, protocol, rows)
    values = {row.key: 1 + at % 5 for at, row in enumerate(rows)}
    values |= dict.fromkeys(wrong_keys(), FIRST)
    full = people.open_stage(study)
    for name in "ab":
        people.rate(full, people.join(study, name), values)
    opening.close_stage(full, at=now())
    return study


@pytest.fixture
def run(study: Study, rosa: User, tmp_path) -> MetricRun:
    """A judge that gives people's score, and the truth where they were wrong."""
    judgment_set = freezing.freeze(study, "mean", by=rosa, at=now())
    rows = [
        {"id": key, "score": JUDGE if key in wrong_keys() else gold}
        for key, gold in judgment_set.candidates.values_list("key", "gold")
    ]
    path = write_lines(tmp_path / "judge.jsonl", rows)
    submissions.submit_judgments(judgment_set, SubmissionInfo("judge"), path, owner=None, at=now())
    (run,) = complete_board_runs(judgment_set)
    return MetricRun.objects.defer(None).get(pk=run.pk)


def request_look(run: MetricRun, by: User, keys: list[str] | None = None) -> SecondLook:
    keys = wrong_keys() if keys is None else keys
    return services.request(run.judgment_set, run, keys, 2, by=by, at=now())


def rate_again(study: Study, value: int) -> None:
    stage = people.open_stage(study, "second-look")
    for name in "cd":
        people.rate(stage, people.join(study, name), dict.fromkeys(wrong_keys(), value))
    opening.close_stage(stage, at=now())


def test_the_largest_disagreements_are_listed(run: MetricRun) -> None:
    rows = services.disagreements(run.judgment_set, run, 6)
    assert {row.candidate.key for row in rows} == set(wrong_keys())
    assert {(row.grade, row.gold) for row in rows} == {(JUDGE, FIRST)}


@pytest.mark.parametrize(("value", "nearer", "share"), [(TRUTH, "judge", 1), (FIRST, "people", 0)])
def test_new_ratings_say_who_was_right(
    run: MetricRun, study: Study, rosa: User, value: int, nearer: str, share: float
) -> None:
    look = request_look(run, rosa)
    assert look.signature == run.signature
    assert services.findings(look) is None
    rate_again(study, value)
    look = SecondLook.objects.get()
    findings = services.findings(look)
    assert findings is not None
    assert findings.comparison.share.value == pytest.approx(share)
    assert (findings.comparison.n, findings.comparison.nearer) == (6, nearer)
    assert [(row.again, row.ratings) for row in findings.rows] == [(value, 2)] * 6
    assert services.reviewed_positions(run) == set(
        run.judgment_set.candidates.filter(key__in=wrong_keys()).values_list("position", flat=True)
    )
    assert AuditEvent.objects.get(action="judge.second look").after["candidates"] == 6


def test_from_the_page_to_the_result(run: MetricRun, study: Study, rosa: User) -> None:
    client = signed_in(rosa)
    url = reverse("second-look", args=[str(run.judgment_set), run.pk])
    page = client.get(url).content.decode()
    assert page.count('type="checkbox"') >= 20 and "Ask raters of boats again" in page
    answer = client.post(url, {"ratings": 2, "candidate": ["c0-0", "nobody"]})
    assert answer.status_code == 422 and "with these keys: nobody" in answer.content.decode()
    assert client.post(url, {"ratings": 2}).status_code == 422
    assert client.post(url, {"ratings": 0, "candidate": ["c0-0"]}).status_code == 422
    assert not Stage.objects.filter(kind="second-look").exists()
    assert client.post(url, {"ratings": 2, "candidate": wrong_keys()}).status_code == 302
    assert "Open the stage on the study" in client.get(url).content.decode()
    # Raters read neither the judge's grade nor the first ratings.
    stage = people.open_stage(study, "second-look")
    page = client.get(url).content.decode()
    assert "Raters are at work" in page and "c0-0" not in page
    opening.close_stage(stage, at=now())
    assert "There are no new ratings." in client.get(url).content.decode()
    rate_again(study, TRUTH)
    page = " ".join(client.get(url).content.decode().split())
    assert "The judge was nearer to the new ratings" in page and "c1-0" in page


def test_the_api_takes_and_reads_it(run: MetricRun, study: Study, rosa: User) -> None:
    client = caller(rosa)
    url = f"/sets/{run.judgment_set}/runs/{run.pk}/second-look"
    assert client.get(url).status_code == 404
    made = client.post(url, {"candidates": wrong_keys(), "ratings": 2})
    assert made.status_code == 201, made.content
    assert made.json()["status"] == "planned" and made.json()["comparison"] is None
    again = client.post(url, {"candidates": ["c4-0"]})
    assert again.status_code == 422 and "has a second look already" in again.json()["detail"]
    rate_again(study, TRUTH)
    document = client.get(url).json()
    assert document["comparison"]["nearer"] == "judge"
    assert document["comparison"]["share"]["value"] == pytest.approx(1)
    assert document["candidates"][0] | {"candidate": ""} == {
        "candidate": "", "grade": JUDGE, "first": FIRST, "again": TRUTH, "ratings": 2,
    }  # fmt: skip


def test_who_may_not_edit_the_study_is_refused(run: MetricRun, rosa: User) -> None:
    edith = User.objects.create_user("edith")
    add_member(run.judgment_set.name, edith, Role.EDITOR)
    url = reverse("second-look", args=[str(run.judgment_set), run.pk])
    client = signed_in(edith)
    assert "There is no such study." in client.get(url).content.decode()
    refused = client.post(url, {"ratings": 2, "candidate": ["c0-0"]})
    assert refused.status_code == 422
    answer = caller(edith).post(
        f"/sets/{run.judgment_set}/runs/{run.pk}/second-look", {"candidates": ["c0-0"]}
    )
    assert answer.status_code == 404
    assert not SecondLook.objects.exists()


def test_who_is_not_of_the_study_reads_no_ratings(run: MetricRun, study: Study, rosa: User) -> None:
    request_look(run, rosa)
    rate_again(study, TRUTH)
    edith = User.objects.create_user("edith")
    add_member(run.judgment_set.name, edith, Role.EDITOR)
    url = reverse("second-look", args=[str(run.judgment_set), run.pk])
    page = signed_in(edith).get(url).content.decode()
    assert "There is no such study." in page and "c0-0" not in page
    answer = caller(edith).get(f"/sets/{run.judgment_set}/runs/{run.pk}/second-look")
    assert answer.status_code == 404


def test_of_two_requests_at_once_the_second_is_refused(
    run: MetricRun, rosa: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = services.request_second_look

    def after_another(*args: object, **more: object) -> Stage:
        monkeypatch.setattr(services, "request_second_look", request)
        request_look(run, rosa)
        return request(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(services, "request_second_look", after_another)
    with pytest.raises(SecondLookRefusedError, match="has a second look already"):
        request_look(run, rosa)


def test_a_set_with_second_looks_in_its_scores_has_none(run: MetricRun, rosa: User) -> None:
    run.judgment_set.report["study"]["stages"] = ["full", "second-look"]
    with pytest.raises(SecondLookRefusedError, match="Freeze a set without the stage second-look"):
        request_look(run, rosa)
    assert not Stage.objects.filter(kind="second-look").exists()


def test_an_imported_set_has_no_raters_to_ask(tmp_path, db: None) -> None:
    judgment_set: JudgmentSet = make_set(tmp_path, instances=20)
    score_here(judgment_set, "token-f1")
    (run,) = complete_board_runs(judgment_set)
    run = MetricRun.objects.defer(None).get(pk=run.pk)
    with pytest.raises(SecondLookRefusedError, match="not frozen from a study"):
        services.request(judgment_set, run, ["x"], 2, by=User.objects.create_user("a"), at=now())


def test_visitors_do_not_see_it(run: MetricRun) -> None:
    url = reverse("second-look", args=[str(run.judgment_set), run.pk])
    assert Client().get(url).status_code in (302, 404)
