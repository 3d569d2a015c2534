"""The pages of imports: the form, what it refuses at once, and an import followed to its end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from benchmarks.imports import forms, tasks
from benchmarks.imports import services as imports
from benchmarks.imports.inputs import MAX_FILES
from benchmarks.imports.models import SetImport
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import storage
from concord.formats import ReadOptions, read_judgments
from tests.benchmarks.factories import (
    ESA_ROW,
    ask_for_import,
    candidate_lines,
    make_set,
    pair_lines,
)
from tests.concord.formats.format_examples import POTATO_TEXTS
from tests.html import readable

HTMX = {"HX-Request": "true"}


@pytest.fixture
def sam(db: None) -> User:
    return User.objects.create_user("sam", is_staff=True)


@pytest.fixture
def staff(sam: User) -> Client:
    client = Client()
    client.force_login(sam)
    return client


def filled_in(content: bytes | None = None, **more: Any) -> dict[str, Any]:
    if content is None:
        content = "".join(json.dumps(line) + "\n" for line in candidate_lines()).encode()
    file = SimpleUploadedFile("answers.jsonl", content)
    return {"file": file, "format": "concord", "name": "new", **more}


def text(answer: Any) -> str:
    return str(readable(answer))


def test_from_the_form_to_the_set(
    staff: Client, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[int] = []
    monkeypatch.setattr(tasks.import_set, "delay", sent.append)
    assert 'enctype="multipart/form-data"' in text(staff.get("/imports/"))
    with django_capture_on_commit_callbacks(execute=True):
        answer = staff.post("/imports/", filled_in(title="Answers"))
    asked = SetImport.objects.get()
    assert answer.status_code == 302 and sent == [asked.pk]
    followed = text(staff.get(answer["Location"]))
    assert f'hx-get="/imports/{asked.pk}/"' in followed and "Refresh" in followed
    imports.SET_IMPORTS.perform(asked.pk)
    ended = text(staff.get(answer["Location"]))
    assert "hx-trigger" not in ended
    assert 'href="/sets/new@1/"' in ended and "12 candidates read, 12 kept" in ended
    goes_on = staff.get(answer["Location"], headers=HTMX)
    assert goes_on["HX-Redirect"] == "/sets/new@1/"
    shown = text(staff.get("/sets/new@1/"))
    assert "new@1 is imported" in shown and "12 candidates read, 12 kept" in shown


def test_the_form_imports_pairs_alone(staff: Client, sam: User, tmp_path: Path) -> None:
    imports.SET_IMPORTS.perform(ask_for_import(sam, tmp_path).pk)
    content = "".join(json.dumps(line) + "\n" for line in pair_lines()).encode()
    pairs = SimpleUploadedFile("pairs.jsonl", content)
    answer = staff.post("/imports/", {"pairs": pairs, "format": "concord", "name": "new"})
    assert answer.status_code == 302
    imports.SET_IMPORTS.perform(SetImport.objects.latest("pk").pk)
    ended = text(staff.get(answer["Location"]))
    assert 'href="/sets/new@2/"' in ended and "pairs.jsonl" in ended


def test_the_form_imports_texts_beside_ratings(staff: Client) -> None:
    assert 'name="texts"' in text(staff.get("/imports/"))
    line = {"id": "sysA/news-1/7", "references": ["Haus"], "candidate": "Hut"}
    files = {
        "file": SimpleUploadedFile("esa.csv", ESA_ROW.encode()),
        "texts": SimpleUploadedFile("texts.jsonl", json.dumps(line).encode()),
    }
    staff.post("/imports/", {**files, "format": "esa", "name": "esa"})
    imports.SET_IMPORTS.perform(SetImport.objects.get().pk)
    (candidate,) = JudgmentSet.objects.named("esa").candidates.all()
    assert (candidate.text, candidate.instance.references) == ("Hut", ["Haus"])


def potato_file(worker: str, item: str = "a", value: str = "4") -> SimpleUploadedFile:
    label = [{"schema": "fluency", "name": value}, value]
    state = {"user_id": worker, "instance_id_to_label_to_value": {item: [label]}}
    return SimpleUploadedFile("user_state.json", json.dumps(state).encode())


def post_potato(staff: Client, *files: SimpleUploadedFile, field: str = "file") -> Any:
    texts = SimpleUploadedFile("items.jsonl", POTATO_TEXTS.read_bytes())
    return staff.post(
        "/imports/", {field: list(files), "texts": texts, "format": "potato", "name": "potato"}
    )


@pytest.mark.parametrize("field", ["file", "folder"])
def test_the_files_of_several_raters_are_imported_together(
    staff: Client, field: str, tmp_path: Path
) -> None:
    files = [potato_file("ann"), potato_file("bob", value="2"), potato_file("cy", "b")]
    paths = [tmp_path / f"{number}.json" for number in range(3)]
    for path, file in zip(paths, files, strict=True):
        path.write_bytes(file.read())
        file.seek(0)
    others = [SimpleUploadedFile("annotated_instances.jsonl", b"{}")] if field == "folder" else []
    assert post_potato(staff, *files, *others, field=field).status_code == 302
    imports.SET_IMPORTS.perform(SetImport.objects.get().pk)
    made = JudgmentSet.objects.named("potato")
    stored = {one.key: one.criteria for one in storage.load_candidates(made)}
    read = read_judgments(paths, "potato", ReadOptions(texts=str(POTATO_TEXTS)))
    assert stored == {one.key: one.criteria for one in read.candidates}
    assert [one.value for one in stored["a"][0].ratings] == [4, 2]


def test_a_fault_of_one_of_several_files_names_it_and_nothing_is_imported(staff: Client) -> None:
    post_potato(staff, potato_file("ann"), potato_file("bob", "unknown"))
    asked = SetImport.objects.get()
    imports.SET_IMPORTS.perform(asked.pk)
    page = text(staff.get(f"/imports/{asked.pk}/", headers=HTMX))
    assert "user_state-2.json" in page and "the file of texts has no" in page
    assert not JudgmentSet.objects.exists()
    answer = post_potato(staff, potato_file("ann"), SimpleUploadedFile("b.json", b"\xff\xfe\xff"))
    assert answer.status_code == 422 and "b.json" in text(answer)


def test_files_are_bounded_in_number_and_a_folder_needs_the_files_of_raters(
    staff: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forms, "MAX_FILES", 2)
    answer = post_potato(staff, *(potato_file(f"r{n}") for n in range(3)))
    assert answer.status_code == 422 and "There are 3 files; choose at most 2." in text(answer)
    answer = post_potato(staff, SimpleUploadedFile("x.json", b"{}"), field="folder")
    assert answer.status_code == 422
    assert "The folder has no file user_state.json." in text(answer)
    assert not SetImport.objects.exclude(status="failed").exists()


def test_an_import_may_have_all_its_files_in_one_request(settings: Any) -> None:
    assert MAX_FILES + len(("pairs", "texts")) == settings.DATA_UPLOAD_MAX_NUMBER_FILES


def test_a_fault_is_shown_with_file_line_and_field(
    staff: Client, sam: User, tmp_path: Path
) -> None:
    lines = candidate_lines()
    lines[2]["score"] = "<b>good</b>"
    asked = ask_for_import(sam, tmp_path, lines=lines)
    imports.SET_IMPORTS.perform(asked.pk)
    page = text(staff.get(f"/imports/{asked.pk}/", headers=HTMX))
    assert "answers.jsonl, line 3 " in page and ">score</dt>" in page and "Import again" in page
    assert "<b>" not in page


@pytest.mark.parametrize(
    ("criteria", "says"),
    [
        (["fluency", "truth"], "&quot;x&quot; is unknown; choose one of"),
        ([], "&quot;x&quot; is unknown; there are no criteria"),
    ],
)
def test_an_unknown_criterion_is_named_beside_those_of_the_file(
    staff: Client, criteria: list[str], says: str
) -> None:
    lines = candidate_lines()
    for line in lines:
        line["criteria"] = {name: {"score": 3} for name in criteria}
    content = "".join(json.dumps(line) + "\n" for line in lines).encode()
    answer = staff.post("/imports/", filled_in(content, criterion="x"))
    imports.SET_IMPORTS.perform(SetImport.objects.get().pk)
    page = text(staff.get(answer["Location"], headers=HTMX))
    assert says in page and all(name in page for name in criteria)
    assert not JudgmentSet.objects.exists()


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"format": "none"}, "none is not one of the available choices"),
        ({"file": ""}, "Choose a file."),
        (
            {"file": "", "pairs": SimpleUploadedFile("p.jsonl", b"{}"), "title": "New"},
            "This needs a file of judgments.",
        ),
        (
            {"texts": SimpleUploadedFile("t.jsonl", b"{}")},
            "<code>texts</code>: the format concord does not accept it",
        ),
        ({"name": "No Name"}, "Use lower-case letters"),
        ({"name": "theirs"}, "The name theirs is taken."),
        ({"add": "on"}, "There is no set new to add to"),
        ({"reference_system": "x"}, "the format concord does not accept it"),
        ({"file": SimpleUploadedFile("a.jsonl", b"\xff\xff{}")}, "is not UTF-8"),
        ({"file": SimpleUploadedFile("a.jsonl", b"")}, "The submitted file is empty."),
    ],
)
def test_the_form_shows_errors_of_the_request(
    staff: Client, tmp_path: Path, more: dict[str, Any], says: str
) -> None:
    make_set(tmp_path, "theirs")
    answer = staff.post("/imports/", filled_in(**more))
    assert answer.status_code == 422 and says in text(answer)
    assert not SetImport.objects.exclude(status="failed").exists()


def test_a_format_that_does_not_exist_is_refused_and_not_stored(staff: Client) -> None:
    answer = staff.post("/imports/", filled_in(format="x" * 50))
    assert answer.status_code == 422 and "Select a valid choice" in text(answer)
    assert SetImport.objects.get().format == ""


def test_a_file_that_is_too_large_is_refused(staff: Client, settings: Any) -> None:
    settings.UPLOAD_MAX_BYTES = 1000
    answer = staff.post("/imports/", filled_in())
    assert answer.status_code in (413, 422) and not SetImport.objects.exists()


def test_the_owner_stops_an_import(staff: Client, sam: User, tmp_path: Path) -> None:
    asked = ask_for_import(sam, tmp_path)
    other = Client()
    other.force_login(User.objects.create_user("otto", is_staff=True))
    for path in ("", "events"):
        assert other.get(f"/imports/{asked.pk}/{path}").status_code == 404
    assert other.post(f"/imports/{asked.pk}/stop").status_code == 404
    assert f"/imports/{asked.pk}/" not in text(other.get("/imports/"))
    answer = staff.post(f"/imports/{asked.pk}/stop", follow=True)
    assert "Nothing was stored" in text(answer)
    assert imports.SET_IMPORTS.perform(asked.pk) is None and not JudgmentSet.objects.exists()
    assert f"/imports/{asked.pk}/" in text(staff.get("/imports/"))
