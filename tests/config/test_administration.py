"""Administrators' pages of the site: its state and its jobs."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.studies.models import CandidateImport
from benchmarks.analyses.models import Analysis
from benchmarks.judging import services as judging
from benchmarks.judging.services import JudgeSpec
from benchmarks.runs.models import MetricRun
from config.administration import jobs, site
from config.settings_reference import readings
from core.audit.models import AuditEvent
from core.jobs.models import BaseJob
from tests.annotation import people
from tests.benchmarks.factories import make_set
from tests.benchmarks.factories import request as request_runs
from tests.html import readable

LIST = "administration-jobs"


@pytest.fixture
def administrator(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("ada"))
    return client


@pytest.fixture
def run(tmp_path: Any, db: None) -> MetricRun:
    return request_runs(make_set(tmp_path), "token-f1")[0]


def post(client: Client, do: str, job: Any) -> str:
    """The text of the page after stopping or retrying a job."""
    url = reverse(f"administration-{do}-job", args=[job._meta.model_name, job.pk])
    return readable(client.post(url, follow=True))


def listed(client: Client, show: str = "active") -> list[Any]:
    response = client.get(reverse(LIST), {"show": show})
    assert response.status_code == 200
    return [row.job for row in response.context["jobs"]]


def test_jobs_of_all_kinds_are_listed_latest_first(administrator: Client, run: MetricRun) -> None:
    study = people.new_study(people.researcher())
    waiting = people.candidate_import(study, study.owner)
    assert listed(administrator) == [waiting, run]
    page = readable(administrator.get(reverse(LIST)))
    assert f'href="{run.get_absolute_url()}"' in page and "Token-f1" in page
    assert listed(administrator, "failed") == []
    CandidateImport.objects.update(status="failed", reason="u.jsonl:3: no reference")
    assert listed(administrator, "failed") == [waiting]
    assert "u.jsonl:3: no reference" in readable(administrator.get(f"{reverse(LIST)}?show=failed"))
    assert jobs.counts()["candidate import"] == {"failed": 1}


def test_every_kind_of_job_is_found_by_its_name(db: None) -> None:
    kinds = jobs.models()
    assert kinds["metricrun"] is MetricRun and len(kinds) > 5
    assert all(issubclass(model, BaseJob) for model in kinds.values())


def test_all_work_with_a_status_and_a_reason_is_a_job() -> None:
    columns = {"status", "reason", "finished_at"}
    works = [
        model
        for model in apps.get_models()
        if columns <= {field.name for field in model._meta.get_fields()}
    ]
    assert len(works) > 5 and all(issubclass(model, BaseJob) for model in works)


def test_a_job_is_stopped_and_tried_again(
    administrator: Client,
    run: MetricRun,
    django_capture_on_commit_callbacks: Any,
) -> None:
    job = run
    assert "is stopped." in post(administrator, "stop", job)
    job.refresh_from_db()
    assert job.status == "cancelled"
    assert "has ended already." in post(administrator, "stop", job)
    with django_capture_on_commit_callbacks() as callbacks:
        assert "is queued again." in post(administrator, "retry", job)
    job.refresh_from_db()
    assert job.status == "queued" and len(callbacks) == 1, "its task is sent"
    assert "cannot be tried again here." in post(administrator, "retry", job)
    actions = list(AuditEvent.objects.order_by("pk").values_list("action", flat=True))
    assert [one for one in actions if one.startswith("job.")] == ["job.stopped", "job.queued again"]


def test_a_failed_analysis_is_computed_again(administrator: Client, run: MetricRun) -> None:
    analysis = Analysis.objects.create(
        judgment_set=run.judgment_set,
        kind="comparison",
        parameters={},
        runs=[run.pk],
        fingerprint="f",
        status="failed",
        reason="out of memory",
        done=3,
        total=5,
        created_at=now(),
        sent_at=now(),
    )
    assert listed(administrator, "failed") == [analysis]
    post(administrator, "retry", analysis)
    analysis.refresh_from_db()
    assert (analysis.status, analysis.reason, analysis.done) == ("queued", "", 0)


def test_an_import_is_not_tried_again_without_its_owner(administrator: Client) -> None:
    study = people.new_study(people.researcher())
    waiting = people.candidate_import(study, study.owner)
    assert "is stopped." in post(administrator, "stop", waiting)
    assert "cannot be tried again here." in post(administrator, "retry", waiting)
    waiting.refresh_from_db()
    assert waiting.status == "cancelled"


def test_an_unknown_job_is_not_found(administrator: Client, run: MetricRun) -> None:
    for kind, pk in (("metricrun", 10**9), ("user", 1)):
        for do in ("stop", "retry"):
            url = reverse(f"administration-{do}-job", args=[kind, pk])
            assert administrator.post(url).status_code == 404


def test_jobs_are_changed_by_administrators_with_a_csrf_token_only(run: MetricRun) -> None:
    researcher, strict = Client(), Client(enforce_csrf_checks=True)
    researcher.force_login(people.researcher())
    strict.force_login(User.objects.create_superuser("ada"))
    for do in ("stop", "retry"):
        url = reverse(f"administration-{do}-job", args=["metricrun", run.pk])
        assert Client().post(url).status_code == 302
        assert researcher.post(url).status_code == strict.post(url).status_code == 403
    run.refresh_from_db()
    assert run.status == "queued"


def test_the_site_s_state(administrator: Client, run: MetricRun) -> None:
    response = administrator.get(reverse("administration"))
    page = readable(response)
    assert response.context["servers"]["database"] == "ok"
    assert response.context["storage"].database > 1_000_000
    sizes = [size for _, size in response.context["storage"].tables]
    assert len(sizes) == site.MAX_TABLES and sizes == sorted(sizes, reverse=True)
    assert "metric run" in page and "SCORING_LEASE_SECONDS" in page


def test_settings_are_shown_without_secrets(settings: Any) -> None:
    settings.ALLOWED_MODELS = ["some/encoder"]
    values = {one.name: one.value for one in site.shown_settings()}
    assert values["ALLOWED_MODELS"] == "some/encoder"
    assert values["SCORING_LEASE_SECONDS"] == str(settings.SCORING_LEASE_SECONDS)
    texts = {one.name for one in readings() if one.kind.startswith("text")}
    assert values.keys() & texts == set(site.SHOWN_TEXTS)


def test_no_secret_is_on_the_page(administrator: Client) -> None:
    page = readable(administrator.get(reverse("administration")))
    for secret in (settings.SECRET_KEY, *settings.IDENTITY_KEYS, settings.DATABASES["default"]):
        assert not isinstance(secret, str) or secret not in page
    assert "METRICS_TOKEN" not in page and "DATABASE_URL" not in page


def test_a_draft_of_a_model_judge_is_no_job(administrator: Client, run: MetricRun) -> None:
    owner = User.objects.get(username="ada")
    spec = JudgeSpec("model", "https://8.8.8.8/v1", "m", "", 1000)
    judge = judging.draft(run.judgment_set, spec, owner=owner, at=now())
    assert listed(administrator) == [run]
    assert "has ended already" in post(administrator, "stop", judge)
    judging.confirm(judge, by=owner, at=now())
    assert listed(administrator) == [judge, run]
    assert "is stopped" in post(administrator, "stop", judge)
    judge.refresh_from_db()
    assert judge.status == "cancelled"
