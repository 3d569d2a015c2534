"""Adding candidates as a job: all or none whatever happens, followed and stopped on its page."""

from __future__ import annotations

import json
from datetime import timedelta
from threading import Barrier, Thread
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.studies import tasks
from annotation.studies.errors import UploadError
from annotation.studies.models import CandidateImport, Study, StudyCandidate, StudyMember, Upload
from annotation.studies.services import candidate_imports, removing, upload_rows, uploads
from annotation.studies.services.members import members
from concord.protocols import preset
from core.accounts.roles import Role
from core.audit.models import AuditEvent
from core.jobs import kinds
from core.jobs.models import MAX_TRIES
from core.refusals import RefusedError
from tests.annotation import people
from tests.annotation.conftest import signed_in
from tests.html import readable

HTMX = {"HX-Request": "true"}
ROWS = [{"id": f"u{at}", "references": ["a"], "candidate": f"b {at}"} for at in range(3)]


@pytest.fixture
def study(rosa: User) -> Study:
    return people.new_study(rosa, people.protocol())


def keep(study: Study, rows: list[dict[str, Any]] = ROWS, **more: Any) -> Upload:
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    options = {"by": study.owner, "at": now()} | more
    return uploads.store_upload(study, "u.jsonl", content, "concord", "rated", **options)


def ask(upload: Upload, by: User | None = None) -> CandidateImport:
    return candidate_imports.request(upload, by=by or upload.study.owner, at=now())


def done(asked: CandidateImport) -> CandidateImport:
    candidate_imports.IMPORTS.perform(asked.pk)
    return CandidateImport.objects.get(pk=asked.pk)


def assert_nothing_is_added() -> None:
    assert not StudyCandidate.objects.exists()
    assert not AuditEvent.objects.filter(action="candidates.added").exists()


def test_from_the_page_to_the_candidates(
    study: Study, owner: Client, django_capture_on_commit_callbacks: Any, monkeypatch: Any
) -> None:
    sent: list[int] = []
    monkeypatch.setattr(tasks.import_candidates, "delay", sent.append)
    upload = keep(study)
    file_page = reverse("study-upload", args=[study.slug, upload.pk])
    url = reverse("study-import-upload", args=[study.slug, upload.pk])
    with django_capture_on_commit_callbacks(execute=True), monkeypatch.context() as patched:
        patched.delattr(uploads, "read_content")  # the request does not read the file
        answer = owner.post(url)
    asked = CandidateImport.objects.get()
    assert sent == [asked.pk] and answer["Location"] == asked.get_absolute_url()
    assert_nothing_is_added()
    followed = readable(owner.get(answer["Location"]))
    assert f'hx-get="{answer["Location"]}"' in followed and "waiting for a worker" in followed
    listing = reverse("study-candidates", args=[study.slug])
    assert answer["Location"] in readable(owner.get(listing)), "the list of candidates links it"
    assert owner.get(file_page)["Location"] == answer["Location"]
    job = done(asked)
    assert (job.status, job.percent, job.upload) == ("complete", 100, None)
    ended = readable(owner.get(answer["Location"]))
    assert "hx-trigger" not in ended and "3 added" in ended
    next_page = owner.get(answer["Location"], headers=HTMX)["HX-Redirect"]
    assert next_page == reverse("study-after-import", args=[study.slug, asked.pk])
    for _ in range(2):  # a page that polls may be led on twice
        assert owner.get(next_page)["Location"] == reverse("study-protocol-rules", args=["boats"])
    page = readable(owner.get(listing))
    assert page.count("u.jsonl: 3 added.") == 1 and answer["Location"] not in page


def test_a_message_delivered_twice_adds_them_once(study: Study) -> None:
    asked = done(ask(keep(study)))
    candidate_imports.IMPORTS.perform(asked.pk)
    assert study.candidates.count() == 3 and not study.uploads.exists()
    actor = AuditEvent.objects.get(action="candidates.added").actor_name
    assert actor == study.owner.get_username()


def test_an_import_that_is_taken_over_adds_nothing(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, adding = ask(keep(study)), uploads.add

    def taken_over_meanwhile(*args: Any) -> dict[str, int]:
        counts = adding(*args)
        CandidateImport.objects.update(attempt=2)
        return counts

    monkeypatch.setattr(uploads, "add", taken_over_meanwhile)
    candidate_imports.IMPORTS.perform(asked.pk)
    assert_nothing_is_added()
    assert study.uploads.exists()


def test_a_job_with_an_expired_lease_is_sent_again_up_to_three_times(study: Study) -> None:
    asked = ask(keep(study))
    for _ in range(MAX_TRIES):
        assert CandidateImport.claim(asked.pk, at=now()) is not None
        candidate_imports.IMPORTS.perform(asked.pk)  # another worker holds it
        assert_nothing_is_added()
        CandidateImport.objects.update(lease_until=now() - timedelta(seconds=1))
        assert CandidateImport.stale(at=now()) == [asked.pk]
    job = done(asked)
    assert (job.status, job.reason[:10]) == ("failed", "Its worker")
    assert_nothing_is_added()


@pytest.mark.django_db(transaction=True)
def test_two_requests_at_once_start_one_import(transactional_db: None) -> None:
    upload = keep(people.new_study(people.researcher(), people.protocol()))
    barrier, jobs = Barrier(4), []

    def asks() -> None:
        barrier.wait()
        jobs.append(ask(upload).pk)
        connection.close()

    threads = [Thread(target=asks) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(jobs) == 4 and len(set(jobs)) == 1 == CandidateImport.objects.count()


def test_a_stopped_import_adds_nothing_and_keeps_the_file(study: Study, owner: Client) -> None:
    upload = keep(study)
    asked = ask(upload)
    url = reverse("study-stop-candidate-import", args=[study.slug, asked.pk])
    page = readable(owner.post(url, follow=True))
    assert "Stopped by hand." in page and "No candidate was added" in page
    assert done(asked).status == "cancelled"
    assert_nothing_is_added()
    assert "is already cancelled" in readable(owner.post(url, follow=True))
    assert done(ask(upload)).status == "complete", "it can be asked for again"


def test_a_file_that_is_discarded_is_not_added(study: Study, owner: Client) -> None:
    upload = keep(study)
    asked = ask(upload)
    owner.post(reverse("study-discard-upload", args=[study.slug, upload.pk]))
    assert done(asked).status == "cancelled" and not study.uploads.exists()
    with pytest.raises(UploadError, match="was discarded"):
        ask(upload)
    assert_nothing_is_added()


def test_a_file_that_is_deleted_while_it_is_read_is_not_added(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, reading = ask(keep(study)), upload_rows.items_of

    def deleted_meanwhile(upload: Upload) -> Any:
        rows = reading(upload)
        Upload.objects.filter(pk=upload.pk).delete()
        return rows

    monkeypatch.setattr(upload_rows, "items_of", deleted_meanwhile)
    job = done(asked)
    assert (job.status, job.reason) == ("failed", uploads.DISCARDED)
    assert_nothing_is_added()


def test_an_error_in_the_file_is_shown_on_the_imports_page(study: Study, owner: Client) -> None:
    upload = keep(study, [*ROWS, {"id": "u9", "references": ["a"]}])
    job = done(ask(upload))
    page = readable(owner.get(job.get_absolute_url()))
    assert job.status == "failed" and "u.jsonl:4" in page
    assert reverse("study-upload", args=[study.slug, upload.pk]) in page
    assert_nothing_is_added()


def test_a_file_of_yesterday_stays_while_it_is_being_added(study: Study) -> None:
    yesterday = now() - timedelta(hours=25)
    first, second = keep(study, at=yesterday), keep(study, at=yesterday)
    ask(first)
    keep(study)
    assert first in study.uploads.all() and second not in study.uploads.all()


def test_an_import_fails_if_its_user_has_lost_the_role(study: Study) -> None:
    edith = people.researcher("edith")
    members(study).add(edith, Role.EDITOR, at=now())
    asked = ask(keep(study), by=edith)
    StudyMember.objects.filter(user=edith).update(role=Role.VIEWER)
    job = done(asked)
    assert job.status == "failed" and "needs the role editor" in job.reason
    assert_nothing_is_added()


def test_a_viewer_sees_the_progress_but_cannot_stop_it(study: Study) -> None:
    vera = people.researcher("vera", staff=False)
    members(study).add(vera, Role.VIEWER, at=now())
    page = readable(signed_in(vera).get(ask(keep(study)).get_absolute_url()))
    assert "waiting for a worker" in page and "Stop" not in page


def test_an_import_of_another_study_is_not_there(study: Study, rosa: User, owner: Client) -> None:
    asked = ask(keep(study))
    people.new_study(rosa, people.protocol(), slug="other")
    assert owner.get(reverse("study-candidate-import", args=["other", asked.pk])).status_code == 404
    stop = reverse("study-stop-candidate-import", args=["other", asked.pk])
    assert owner.post(stop).status_code == 404


def test_old_imports_are_deleted_and_their_candidates_stay(study: Study) -> None:
    job = done(ask(keep(study)))
    CandidateImport.objects.filter(pk=job.pk).update(finished_at=now() - timedelta(days=31))
    kinds.delete_ended()
    assert not CandidateImport.objects.exists() and study.candidates.count() == 3


def added(study: Study, prefix: str, *answers: str) -> CandidateImport:
    """The import of a file with these answers to one question; their ids begin with the prefix."""
    question = {"question": "Who?", "references": ["Mira"]}
    rows = [
        {"id": f"{prefix}{at}", "candidate": answer} | question for at, answer in enumerate(answers)
    ]
    return done(ask(keep(study, rows)))


def test_an_added_file_is_taken_out_again(study: Study, owner: Client) -> None:
    first = added(study, "a", "Tom", "Ann")
    added(study, "b", "Tom", "Eve")
    assert study.candidates.get(key="b0").same_as == study.candidates.get(key="a0")
    listing = reverse("study-candidates", args=[study.slug])
    assert readable(owner.get(listing)).count("Take out") == 2
    url = reverse("study-take-out-import", args=[study.slug, first.pk])
    page = readable(owner.post(url, follow=True))
    assert "u.jsonl: 2 candidates were taken out." in page
    assert list(study.candidates.values_list("key", "same_as")) == [("b0", None), ("b1", None)]
    assert AuditEvent.objects.get(action="candidates.removed").before["file"] == "u.jsonl"


def test_the_last_file_leaves_no_instances_and_an_open_study_keeps_its_files(
    study: Study, owner: Client
) -> None:
    job = added(study, "a", "Tom", "Ann")
    removing.take_out(job, by=study.owner)
    assert not study.candidates.exists() and not study.instances.exists()
    job = added(study, "a", "Tom", "Ann")
    people.open_stage(study)
    with pytest.raises(RefusedError, match="Collection has begun"):
        removing.take_out(job, by=study.owner)
    assert study.candidates.count() == 2


def test_pairs_follow_a_file_that_is_taken_out(rosa: User) -> None:
    study = people.new_study(rosa, preset("mt-bench-2023"), slug="pairs")
    added(study, "a", "Tom", "Ann")
    second = added(study, "b", "Eve")
    assert study.candidates.filter(parts__isnull=False).distinct().count() == 3
    removing.take_out(second, by=study.owner)
    assert study.candidates.filter(parts__isnull=False).distinct().count() == 1
