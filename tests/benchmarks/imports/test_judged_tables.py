"""Tables with a column a rater, and votes between two systems, on the page of imports."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from benchmarks.imports import services as imports
from benchmarks.imports.models import SetImport
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import judged_pairs, storage
from tests.core.rest.people import caller
from tests.html import readable

RATERS = (
    b"question,gold,answer,model,mia,tom,seconds\n"
    b"Why?,so,so it is,one,5,4,9\nWho?,Ada,Ada,two,1,2,8\n"
)
VOTES = (
    b"question,model a,response a,model b,response b,winner,judge\n"
    b"Why?,one,so,two,no,model_a,mia\nWhy?,two,no,one,so,tie,tom\n"
)
WORDS = b"item,answer,r1@example.org,r2@example.org\n1,so,poor,fine\n2,no,grand,fine\n"


@pytest.fixture
def staff(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_user("sam", is_staff=True))
    return client


def send(staff: Client, content: bytes, **more: Any) -> str:
    """Send a table; the address of its columns."""
    file = SimpleUploadedFile("my table.csv", content)
    asked = staff.post("/imports/", {"file": file, **more})
    assert asked.status_code == 302, readable(asked)
    return reverse("set-import-columns", args=[SetImport.objects.latest("pk").pk])


def guessed(staff: Client, url: str) -> dict[str, str]:
    form = staff.get(url).context["form"]
    return {name: field.initial for name, field in form.fields.items() if name != "sheet"}


def test_columns_of_numbers_are_proposed_as_raters(staff: Client) -> None:
    url = send(staff, RATERS, title="My study")
    chosen = guessed(staff, url)
    assert list(chosen.values())[4:] == ["rating", "rating", ""]
    assert staff.post(url, chosen).status_code == 302
    imports.SET_IMPORTS.perform(SetImport.objects.get().pk)
    first, second = storage.load_candidates(JudgmentSet.objects.named("my-study"))
    assert sorted(one.value for one in first.ratings) == [4, 5]
    assert sorted(one.value for one in second.ratings) == [1, 2]


def test_votes_between_two_systems_make_a_set(staff: Client) -> None:
    url = send(staff, VOTES)
    assert "choice" in guessed(staff, url).values()
    assert staff.post(url, guessed(staff, url)).status_code == 302
    job = SetImport.objects.get()
    assert (job.name, job.format) == ("my-table", "table-pairs")
    imports.SET_IMPORTS.perform(job.pk)
    (pair,) = judged_pairs.load(JudgmentSet.objects.get())
    assert sorted(str(one.choice) for one in pair.choices) == ["1", "tie"]


def test_votes_are_pairs_in_the_api_too(staff: Client) -> None:
    api = caller(User.objects.get())
    file = SimpleUploadedFile("votes.csv", VOTES)
    asked = api.upload("/sets", {"files": file, "name": "votes"})
    assert asked.status_code == 202, asked.content
    imports.SET_IMPORTS.perform(asked.json()["id"])
    assert len(list(judged_pairs.load(JudgmentSet.objects.get()))) == 1


def test_words_of_raters_are_asked_for_their_order(staff: Client) -> None:
    url = send(staff, WORDS)
    assert staff.post(url, guessed(staff, url)).status_code == 302
    assert SetImport.objects.get().is_draft
    page = readable(staff.get(url))
    assert "Order of the words" in page
    assert staff.post(url, {"order": "poor, fine, grand"}).status_code == 302
    imports.SET_IMPORTS.perform(SetImport.objects.get().pk)
    candidates = storage.load_candidates(JudgmentSet.objects.get())
    assert [one.score for one in candidates] == [0.5, 1.5]
    report = readable(staff.get(JudgmentSet.objects.get().get_absolute_url()))
    assert "example.org" not in report


def test_a_name_without_one_is_new(staff: Client) -> None:
    for expected in ("my-table", "my-table-2"):
        url = send(staff, RATERS)
        staff.post(url, guessed(staff, url))
        job = SetImport.objects.latest("pk")
        imports.SET_IMPORTS.perform(job.pk)
        assert job.name == expected


def test_an_import_that_failed_is_filled_in_again(staff: Client) -> None:
    url = send(staff, RATERS, title="My study", description="Tea.")
    assert staff.post(url, guessed(staff, url)).status_code == 302
    job = SetImport.objects.get()
    staff.post(reverse("stop-set-import", args=[job.pk]))
    page = readable(staff.get(job.get_absolute_url()))
    assert f"/imports/?again={job.pk}" in page
    form = staff.get(f"/imports/?again={job.pk}").context["form"]
    assert {name: form[name].value() for name in ("name", "title", "description")} == {
        "name": "my-study",
        "title": "My study",
        "description": "Tea.",
    }
    assert staff.get("/imports/?again=999").status_code == 404
