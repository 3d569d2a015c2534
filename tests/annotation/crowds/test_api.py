"""The API over a crowd's files, payment totals and missing raters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils.timezone import now

from annotation.crowds import tasks
from annotation.crowds.models import CrowdAssignment, Publication
from annotation.crowds.services import progress, publishing, syncing
from annotation.studies.models import StudyMember
from core.accounts.roles import Role
from mturk_sandbox import Sandbox
from tests.annotation.crowds import scenes
from tests.annotation.crowds.scenes import OFFER, make_study, small
from tests.annotation.crowds.workers import Turker
from tests.core.rest.people import Caller, caller, person

pytestmark = pytest.mark.django_db
STAGE = "/studies/bridges/stages/full"


@pytest.fixture
def owner(db: None) -> Caller:
    return caller(scenes.researcher())


@pytest.fixture
def panel(db: None) -> Publication:
    offer = replace(
        OFFER,
        tasks_each=2,
        split=False,
        id_parameter="pid",
        return_url="https://panel.example/end?c={code}",
    )
    study = make_study(4, replace(small(ratings=2, cents=10), qualification=None))
    return scenes.published(study, "panel", offer, provider="link")


def send(caller: Caller, content: str | bytes, **headers: str) -> Any:
    content = content.encode() if isinstance(content, str) else content
    file = SimpleUploadedFile("results.csv", content, "text/csv")
    return caller.upload(f"{STAGE}/results", {"file": file}, **headers)


def test_repeated_results_with_one_key_get_the_same_response(
    owner: Caller, panel: Publication
) -> None:
    first, again = (send(owner, "pid\np9\n", Idempotency_Key="one") for _ in range(2))
    assert first.json() == again.json() and again["Idempotency-Replayed"] == "true"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a,b\n1,2\n", "has no column"),
        (b"\xff\xfe\x00", "not UTF-8"),
    ],
)
def test_an_invalid_file_changes_nothing(
    owner: Caller, panel: Publication, content: bytes, message: str
) -> None:
    refused = send(owner, content)
    assert refused.status_code == 409 and message in refused.json()["detail"]
    assert not CrowdAssignment.objects.exists()


def test_a_list_needs_a_publication_by_a_link(owner: Caller) -> None:
    make_study(1)
    refused = send(owner, b"pid\np1\n")
    assert refused.status_code == 409
    assert "not published to a panel by a link" in refused.json()["detail"]


def test_a_panels_list_says_who_finished_and_gets_its_decisions_back(
    owner: Caller, panel: Publication
) -> None:
    entrance = urlsplit(progress.panel_link(panel).replace("pid=ID", "pid=p1"))
    assert Client().get(f"{entrance.path}?{entrance.query}").status_code == 303
    name = CrowdAssignment.objects.get().participation.worker.name
    report = send(owner, "pid,code\np1,WRONG\np9,X\n").json()
    assert (report["submitted"], report["unknown_lines"], report["wrong_codes"]) == (1, [3], [name])
    path = f"/studies/bridges/publications/{panel.pk}/decisions.csv"
    assert owner.get(path).content.decode().startswith("worker")
    without = caller(scenes.researcher(), "studies:read", "studies:write")
    assert without.get(path).status_code == 403, "ids leave for a token that may pay alone"


def test_a_sync_ends_no_pause(owner: Caller, sandbox: Sandbox) -> None:
    scene = scenes.published(make_study(2, small(ratings=2)), sandbox.url)
    path = f"/studies/bridges/publications/{scene.pk}"
    publishing.end(scene, at=now())
    Publication.objects.filter(pk=scene.pk).update(problem="The account has no money.")
    editor = person("ed")
    StudyMember.objects.create(study=scene.stage.study, user=editor, role=Role.EDITOR, since=now())
    synced = caller(editor, "studies:read", "studies:write").post(f"{path}/sync")
    assert (synced.status_code, synced.json()["problem"]) == (202, "The account has no money.")
    tasks.sync_crowd(scene.pk)
    scene.refresh_from_db()
    assert scene.synced_at is not None, "the platform is still asked"
    waiting = scene.calls.filter(kind="expire", status="waiting")
    assert waiting.count() == 2 and scene.problem


def test_submissions_are_listed(owner: Caller, sandbox: Sandbox) -> None:
    scene = scenes.published(make_study(2, small(ratings=2)), sandbox.url)
    worker = Turker(sandbox, "AONE").qualified(scene)
    for listing in scene.listings.all():
        worker.hand_in(listing)
    syncing.sync(scene, at=now())
    path = f"/studies/bridges/publications/{scene.pk}"
    assert len(owner.get(f"{path}/submissions").json()["results"]) == 2
    missing = owner.get(f"{path}/missing-raters")
    assert missing.status_code == 200, missing.content


def test_the_files_need_the_same_role_as_the_page(owner: Caller) -> None:
    study = make_study(1)
    viewer = person("vera")
    StudyMember.objects.create(study=study, user=viewer, role=Role.VIEWER, since=now())
    viewer_caller = caller(viewer)
    assert send(viewer_caller, "a\n").status_code == 403
