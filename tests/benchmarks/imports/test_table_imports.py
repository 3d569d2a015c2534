"""Tables become judgment sets: on pages by chosen columns, by the API and commands by a guess."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils.timezone import now

from benchmarks.imports import services as imports
from benchmarks.imports import tasks
from benchmarks.imports.models import SetImport
from benchmarks.imports.services.drafts import DRAFT_LIFE, MAX_DRAFTS
from benchmarks.sets.models import JudgmentSet
from concord.formats.tables import JUDGED_MEANINGS, MEANINGS
from core.pages.column_form import JUDGED_LABELS, LABELS
from tests.core.rest.people import Caller, caller
from tests.html import readable

ROWS = [
    ["Query", "Gold answer", "Model output", "Human rating"],
    ["ما هذا؟", "قارب", "🛶", 4],
    ["Who?", "Mira", "Tom", 1.5],
]


def workbook() -> bytes:
    book = openpyxl.Workbook()
    book.active.title = "Data"
    for row in ROWS:
        book.active.append(row)
    book.create_sheet("Other").append(["x"])
    book["Other"].append(["y"])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


@pytest.fixture
def sam(db: None) -> User:
    return User.objects.create_user("sam", is_staff=True)


@pytest.fixture
def staff(sam: User) -> Client:
    client = Client()
    client.force_login(sam)
    return client


def send(staff: Client, content: bytes, name: str = "answers.xlsx", **more: str) -> Any:
    return staff.post(
        "/imports/", {"file": SimpleUploadedFile(name, content), "name": "new", **more}
    )


def gold_scores(judgment_set: JudgmentSet) -> list[float | None]:
    return list(judgment_set.candidates.order_by("position").values_list("gold", flat=True))


def test_columns_are_chosen_before_a_worker_imports_the_table(
    staff: Client, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[int] = []
    monkeypatch.setattr(tasks.import_set, "delay", sent.append)
    with django_capture_on_commit_callbacks(execute=True):
        answer = send(staff, workbook(), title="Boats")
    job = SetImport.objects.get()
    assert job.is_draft and not sent and imports.SET_IMPORTS.perform(job.pk) is None
    assert SetImport.stale(at=now() + timedelta(days=1)) == []
    url = staff.get(answer["Location"])["Location"]
    page = readable(staff.get(url))
    assert "ما هذا؟" in page and '<option value="score" selected>' in page
    other = readable(staff.get(url, {"sheet": "Other"}))
    assert ">x<" in other and "Gold answer" not in other
    chosen = {"sheet": "Data", "column_0": "question", "column_1": "reference"}
    assert "Choose the column with the candidate." in readable(staff.post(url, chosen))
    with django_capture_on_commit_callbacks(execute=True):
        staff.post(url, chosen | {"column_2": "candidate", "column_3": "score"})
    assert sent == [job.pk]
    imports.SET_IMPORTS.perform(job.pk)
    made = JudgmentSet.objects.named("new")
    assert (made.title, made.n_candidates, gold_scores(made)) == ("Boats", 2, [4.0, 1.5])
    assert made.candidates.get(key="row-1").text == "🛶"
    assert staff.get(url).status_code == 302, "the columns are chosen once"


def test_a_draft_is_discarded_by_hand_or_after_a_day(staff: Client, sam: User) -> None:
    send(staff, workbook())
    send(staff, workbook())
    old, new = SetImport.objects.order_by("pk")
    assert readable(staff.get("/imports/")).count("draft") >= 2
    staff.post(f"/imports/{new.pk}/discard")
    SetImport.objects.update(created_at=now() - 2 * DRAFT_LIFE)
    send(staff, workbook())
    assert SetImport.objects.filter(pk__in=[old.pk, new.pk]).count() == 0


def test_an_account_has_a_bounded_number_of_drafts(staff: Client) -> None:
    for _ in range(MAX_DRAFTS):
        send(staff, workbook())
    assert "discard one of them first" in readable(send(staff, workbook()))
    drafts = SetImport.objects.filter(status=SetImport.DRAFT)
    assert drafts.count() == MAX_DRAFTS
    staff.post(f"/imports/{drafts[0].pk}/discard")
    send(staff, workbook())
    assert drafts.count() == MAX_DRAFTS


def test_a_bad_table_is_refused_at_once_or_names_its_cell(staff: Client) -> None:
    answer = send(staff, b"gold,answer\n", "a.csv")
    assert answer.status_code == 422 and "has a header but no rows" in readable(answer)
    send(staff, b"gold,answer,score\na,b,1\nc,d,high\n", "a.csv")
    job = SetImport.objects.latest("pk")
    columns = {"column_0": "reference", "column_1": "candidate", "column_2": "score"}
    staff.post(f"/imports/{job.pk}/columns", columns)
    imports.SET_IMPORTS.perform(job.pk)
    job.refresh_from_db()
    assert job.reason == 'a.csv:3: score: is "high"; a number is expected'


def failed_import(staff: Client, content: bytes, columns: list[str], **more: Any) -> SetImport:
    send(staff, content, "a.csv", **more)
    job = SetImport.objects.latest("pk")
    chosen = {f"column_{at}": meaning for at, meaning in enumerate(columns)}
    assert staff.post(f"/imports/{job.pk}/columns", chosen).status_code == 302
    imports.SET_IMPORTS.perform(job.pk)
    job.refresh_from_db()
    assert job.status == "failed" and job.has_files, job.reason
    return job


def entered(staff: Client, url: str) -> dict[str, Any]:
    """What the browser sends of a page whose form nobody changes."""
    form = staff.get(url).context["form"]
    values = {field.name: field.value() for field in form}
    return {name: value for name, value in values.items() if value not in (None, False)}


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        (b"x1,x2,x3\na,b,1\nc,d,high\n", ["reference", "candidate", "score"]),
        (b"x1,x2,x3\na,b,1\nc,d,nobody\n", ["candidate1", "candidate2", "choice"]),
    ],
)
def test_a_failed_import_keeps_its_file_and_its_columns(
    staff: Client, content: bytes, columns: list[str]
) -> None:
    job = failed_import(staff, content, columns, title="Boats")
    page = readable(staff.get(f"/imports/{job.pk}/"))
    assert "the file is kept for a day" in " ".join(page.split())
    url = f"/imports/?again={job.pk}"
    assert "a.csv" in readable(staff.get(url))
    wrong = staff.post(url, entered(staff, url) | {"name": "No Name"})
    assert wrong.status_code == 422 and "a.csv" in readable(wrong), "an error loses nothing"
    answer = staff.post(url, entered(staff, url))
    again = SetImport.objects.latest("pk")
    assert answer.status_code == 302 and again.is_draft, readable(answer)
    page = f"/imports/{again.pk}/columns"
    proposed = entered(staff, page)
    assert [proposed[f"column_{at}"] for at in range(3)] == columns
    wrong = staff.post(page, proposed | {"column_1": ""})
    assert wrong.status_code == 422 and wrong.context["form"]["column_2"].value() == columns[2]
    staff.post(page, proposed)
    again.refresh_from_db()
    assert (again.status, again.format, again.files) == ("queued", job.format, job.files)


@pytest.mark.parametrize("wrong", [{"name": "No Name"}, {"add": "on"}])
def test_a_refused_form_keeps_its_file(staff: Client, wrong: dict[str, str]) -> None:
    fields = {"name": "boats", "format": "table"}
    file = SimpleUploadedFile("a.csv", b"x1,x2,x3\na,b,1\n")
    refused = staff.post("/imports/", {**fields, **wrong, "file": file})
    assert refused.status_code == 422, readable(refused)
    assert "Sent before:" in readable(refused)
    stored = SetImport.objects.get()
    assert (stored.status, stored.has_files) == ("failed", True)
    page = readable(staff.get(f"/imports/{stored.pk}/"))
    assert "nothing was imported" in page.lower()
    url = re.search(r'action="(/imports/[?]again=\d+)"', refused.content.decode())
    assert url is not None
    answer = staff.post(url[1], fields)
    assert answer.status_code == 302, readable(answer)
    made = SetImport.objects.latest("pk")
    assert made.is_draft and made.files[0]["name"] == "a.csv"


@pytest.mark.parametrize("headings", [b"x1,x2,x3", b"x1,x2,y3"])
def test_a_corrected_file_keeps_the_columns_if_it_has_their_headings(
    staff: Client, headings: bytes
) -> None:
    columns = ["reference", "candidate", "score"]
    job = failed_import(staff, b"x1,x2,x3\na,b,1\nc,d,high\n", columns)
    url = f"/imports/?again={job.pk}"
    file = SimpleUploadedFile("b.csv", headings + b"\na,b,1\nc,d,2\n")
    staff.post(url, entered(staff, url) | {"file": file})
    new = SetImport.objects.latest("pk")
    assert new.is_draft and new.files[0]["name"] == "b.csv"
    proposed = entered(staff, f"/imports/{new.pk}/columns")
    is_same = headings == b"x1,x2,x3"
    assert ([proposed[f"column_{at}"] for at in range(3)] == columns) == is_same


def test_the_api_guesses_columns_or_takes_them(sam: User) -> None:
    api: Caller = caller(sam, "sets:read", "sets:write")
    chosen = {"columns": ["question", "reference", "candidate", "ignore"]}
    for more, gold in [({}, 4.0), (chosen, None)]:
        file = SimpleUploadedFile("a.xlsx", workbook())
        answer = api.upload("/sets", {"files": file, "name": "new", **more})
        assert answer.status_code == 202, answer.content
        imports.SET_IMPORTS.perform(answer.json()["id"])
        made = JudgmentSet.objects.named("new")
        assert made.candidates.get(key="row-1").gold == gold
    file = SimpleUploadedFile("a.csv", b"Wort,Satz\na,b\n")
    answer = api.upload("/sets", {"files": file, "name": "new"})
    assert answer.status_code == 422 and "Choose the column with the candidate" in answer.text
    drafts = SetImport.objects.filter(status=SetImport.DRAFT)
    assert not drafts.exists()


def test_the_command_takes_columns_and_a_sheet(
    sam: User, tmp_path: Path, manage: Callable[..., Any]
) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(workbook())
    out = manage("import_judgments", path, "--name", "new", "--sheet", "Data")
    assert out.returncode == 0, out.stderr
    assert gold_scores(JudgmentSet.objects.named("new")) == [4.0, 1.5]
    columns = "ignore,candidate,reference,ignore"
    out = manage("import_judgments", path, "--name", "new", "--columns", columns)
    assert JudgmentSet.objects.named("new").candidates.get(key="row-1").text == "قارب"
    out = manage("import_judgments", path, "--name", "new", "--sheet", "Other")
    assert out.returncode == 1 and "Choose the column with the candidate" in out.stderr


def test_the_menu_of_a_column_has_every_meaning() -> None:
    for groups, meanings in ((LABELS, MEANINGS), (JUDGED_LABELS, JUDGED_MEANINGS)):
        assert sorted(name for labels in groups.values() for name in labels) == sorted(meanings)
