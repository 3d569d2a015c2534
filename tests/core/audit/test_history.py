"""The audit log on the pages of a study and a set, filtered, paged, and as files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils.timezone import now

from annotation.setup.services.study_creation import StudySource, create_study
from annotation.studies.models import Study, StudyMember
from concord.protocols import preset
from core import audit
from core.accounts.roles import Role
from core.audit.history import PAGE_SIZE
from core.audit.models import AuditEvent

pytestmark = pytest.mark.django_db
Signed = Callable[[str], Client]


@pytest.fixture
def study() -> Study:
    alice = User.objects.create_user("alice", is_staff=True)
    bob, carol = User.objects.create_user("bob"), User.objects.create_user("carol", is_staff=True)
    assert carol
    study = create_study(
        "boats",
        "Boats",
        preset("blank"),
        source=StudySource("blank"),
        owner=alice,
        seed=1,
        at=now(),
    )
    StudyMember.objects.create(study=study, user=bob, role=Role.VIEWER, since=now())
    return study


@pytest.fixture
def signed() -> Signed:
    def sign_in(name: str) -> Client:
        client = Client()
        client.force_login(User.objects.get(username=name))
        return client

    return sign_in


def text_of(response: Any) -> str:
    return b"".join(response.streaming_content).decode()


def test_a_viewer_reads_who_made_the_study(study: Study, signed: Signed) -> None:
    page = signed("bob").get("/studies/boats/history/").content.decode()
    assert "study.created" in page and "alice" in page and "Boats" in page


@pytest.mark.parametrize("path", ["history/", "history.csv", "history.jsonl"])
def test_outsiders_cannot_read_the_history(study: Study, signed: Signed, path: str) -> None:
    assert signed("carol").get(f"/studies/boats/{path}").status_code == 404
    assert Client().get(f"/studies/boats/{path}").status_code == 302


def test_events_of_other_studies_are_left_out(study: Study, signed: Signed) -> None:
    audit.record(None, "stage.opened", ("stage", "elsewhere"), study=Study(pk=study.pk + 1))
    assert "elsewhere" not in signed("bob").get("/studies/boats/history/").content.decode()


def test_the_audit_log_is_filtered_by_actor_action_and_date(study: Study, signed: Signed) -> None:
    audit.record(study.owner, "stage.opened", ("stage", "trial stage"), study=study)
    audit.record(None, "stage.closed", ("stage", "full stage"), study=study)
    bob = signed("bob")
    for query, shown, hidden in (
        ("actor=alice", "trial stage", "full stage"),
        ("action=stage.closed", "full stage", "trial stage"),
        ("since=2000-01-01&until=2999-01-01", "full stage", "nothing"),
        ("until=2000-01-01", "No events match", "full stage"),
        ("since=soon", "full stage", "No events match"),
    ):
        page = bob.get(f"/studies/boats/history/?{query}").content.decode()
        assert shown in page and hidden not in page.partition("<tbody>")[2], query


def test_pages_continue_where_the_previous_one_ended(study: Study, signed: Signed) -> None:
    for number in range(PAGE_SIZE + 5):
        audit.record(None, "thing.done", ("thing", f"number {number:03}"), study=study)
    bob, ids, address = signed("bob"), [], "/studies/boats/history/?action=thing.done"
    for size in (PAGE_SIZE, 5):
        history = bob.get(address).context["history"]
        ids += [event.target_name for event in history.events]
        assert len(history.events) == size
        address = f"/studies/boats/history/?{history.query}&before={history.older}"
    assert ids == sorted(ids, reverse=True) and len(set(ids)) == PAGE_SIZE + 5


def test_the_history_can_be_exported_as_csv_and_json_lines(study: Study, signed: Signed) -> None:
    bob = signed("bob")
    bob.head("/studies/boats/history.jsonl")  # is no download
    lines = text_of(bob.get("/studies/boats/history.jsonl")).splitlines()
    first = json.loads(lines[0])
    assert (first["action"], first["actor"]) == ("study.created", "alice")
    assert first["after"]["title"] == "Boats"
    rows = list(csv.DictReader(io.StringIO(text_of(bob.get("/studies/boats/history.csv")))))
    assert [row["action"] for row in rows] == ["study.created", "audit.exported", "audit.exported"]
    assert json.loads(rows[0]["after"])["title"] == "Boats"
    assert rows[1]["actor"] == "bob"


def test_no_cell_of_the_csv_is_a_formula(study: Study, signed: Signed) -> None:
    audit.record(None, "thing.done", ("thing", "=HYPERLINK(1)"), study=study)
    rows = csv.DictReader(io.StringIO(text_of(signed("bob").get("/studies/boats/history.csv"))))
    assert "'=HYPERLINK(1)" in [row["target_name"] for row in rows]


def test_shown_texts_are_escaped(study: Study, signed: Signed) -> None:
    audit.record(None, "thing.done", ("thing", "<script>x"), after={"<b>": "<i>"}, study=study)
    page = signed("bob").get("/studies/boats/history/").content.decode()
    assert "<script>x" not in page and "<i>" not in page and "&lt;script&gt;x" in page


def test_the_whole_audit_log_is_for_administrators(study: Study, signed: Signed) -> None:
    User.objects.create_superuser("root")
    audit.record(None, "token.made", ("token", "laptop"))
    assert "laptop" in signed("root").get("/audit/").content.decode()
    assert "token.made" in text_of(signed("root").get("/audit.jsonl"))
    for path in ("/audit/", "/audit.csv"):
        assert signed("alice").get(path).status_code == 403
        assert Client().get(path).status_code == 302


def test_a_page_of_the_audit_log_takes_few_queries(
    study: Study, signed: Signed, django_assert_max_num_queries: Any
) -> None:
    for number in range(PAGE_SIZE):
        audit.record(None, "thing.done", ("thing", str(number)), study=study)
    User.objects.create_superuser("root")
    root = signed("root")
    with django_assert_max_num_queries(8):
        root.get("/audit/")
    assert AuditEvent.objects.count() > PAGE_SIZE
