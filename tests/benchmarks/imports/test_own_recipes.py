"""A recipe of the user's own, sent beside a file, reads it: on the page and in the API."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from benchmarks.imports import services as imports
from benchmarks.imports.models import SetImport
from benchmarks.sets.models import JudgmentSet
from concord.formats.recipes.parsing import MAX_RECIPE_BYTES
from tests.core.rest.people import caller
from tests.html import readable

TABLE = b"What,Right,Said,Mark\nWho?,Mira,Tom,2\nWhere?,Rome,In Rome,5\n"
MEANINGS = ["question", "reference", "candidate", "score"]
RECIPE = """
name = "mine"
[fields]
question = "What"
references = "Right"
candidate = "Said"
[scores]
value = "Mark"
"""
OF_PAIRS = """
name = "p"
kind = "pairs"
[fields]
candidate1 = "a"
candidate2 = "b"
[choices]
value = "c"
worker = "w"
[values]
first = "1"
second = "2"
"""


@pytest.fixture
def sam(db: None) -> User:
    return User.objects.create_user("sam", is_staff=True)


@pytest.fixture
def staff(sam: User) -> Client:
    client = Client()
    client.force_login(sam)
    return client


def send(staff: Client, recipe: bytes | str, **more: str) -> Any:
    data = recipe.encode() if isinstance(recipe, str) else recipe
    files = {
        "file": SimpleUploadedFile("answers.csv", TABLE),
        "recipe": SimpleUploadedFile("mine.toml", data),
    }
    return staff.post("/imports/", {**files, "name": "new", **more})


def gold_scores() -> list[float | None]:
    rows = JudgmentSet.objects.get().candidates.order_by("position")
    return list(rows.values_list("gold", flat=True))


def test_a_recipe_that_was_downloaded_reads_the_next_file(staff: Client) -> None:
    file = SimpleUploadedFile("answers.csv", TABLE)
    asked = staff.post("/imports/", {"file": file, "name": "new", "format": ""})
    url = staff.get(asked["Location"])["Location"]
    fields = {f"column_{at}": meaning for at, meaning in enumerate(MEANINGS)}
    recipe = staff.post(url, fields | {"recipe": "1"}).content

    url = staff.get(send(staff, recipe)["Location"])["Location"]
    page = readable(staff.get(url))
    assert "Read as <strong>new</strong>" in page and "What" in page
    assert staff.post(url).status_code == 302
    job = SetImport.objects.get(status="queued")
    imports.SET_IMPORTS.perform(job.pk)
    job.refresh_from_db()
    assert (job.status, job.format) == ("complete", "new")
    assert gold_scores() == [2, 5]


@pytest.mark.parametrize(
    ("recipe", "more", "says"),
    [
        ("name = [", {}, "mine.toml: is no TOML file"),
        (RECIPE + "\nsurprise = 1", {}, "surprise"),
        (b"#" * (MAX_RECIPE_BYTES + 1), {}, "so it is no recipe"),
        (RECIPE, {"format": "concord"}, "Choose a format or send a recipe, not both."),
        (RECIPE.replace("Said", "Wrote"), {}, "Wrote"),
        (OF_PAIRS, {}, "no such column"),
    ],
)
def test_a_recipe_that_cannot_be_used_is_refused_with_its_reason(
    staff: Client, recipe: bytes | str, more: dict[str, str], says: str
) -> None:
    answer = send(staff, recipe, **more)
    assert answer.status_code == 422
    assert says in readable(answer)
    assert not SetImport.objects.exclude(status="failed").exists()


def test_the_api_takes_a_recipe(sam: User) -> None:
    owner = caller(sam)
    files = {"files": io.BytesIO(TABLE), "recipe": io.BytesIO(RECIPE.encode())}
    files["files"].name, files["recipe"].name = "answers.csv", "mine.toml"
    asked = owner.upload("/sets", {**files, "name": "new"})
    assert asked.status_code == 202, asked.content
    imports.SET_IMPORTS.perform(asked.json()["id"])
    assert gold_scores() == [2, 5]
    files["recipe"] = io.BytesIO(b"name = 1")
    files["recipe"].name = "mine.toml"
    refused = owner.upload("/sets", {**files, "files": io.BytesIO(TABLE), "name": "new"})
    assert refused.status_code == 422 and "mine.toml" in refused.content.decode()


def test_the_order_of_words_is_asked_for(staff: Client) -> None:
    rows = "1,r,a,ann,terse\n1,r,a,bob,wordy\n2,r,b,ann,apt\n2,r,b,bob,NA\n"
    table = f"id,reference,candidate,rater,rating\n{rows}".encode()
    staff.post("/imports/", {"file": SimpleUploadedFile("a.csv", table), "name": "new"})
    draft = reverse("set-import-columns", args=[SetImport.objects.get().pk])
    page = readable(staff.get(draft))
    assert "Order of the words" in page and "Missing: 1, written as NA." in page
    lacking = staff.post(draft, {"order": "terse, wordy"})
    assert lacking.status_code == 422 and "lacks &quot;apt&quot;" in readable(lacking)
    staff.post(draft, {"order": "terse, wordy, apt"})
    imports.SET_IMPORTS.perform(SetImport.objects.get().pk)
    assert gold_scores() == [0.5, 2.0]
