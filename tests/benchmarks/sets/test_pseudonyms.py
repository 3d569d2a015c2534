"""A rater has one pseudonym in a set: on its pages, in the API and in every file."""

from __future__ import annotations

import io
import re
import zipfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import NoReverseMatch, get_resolver, reverse
from django.utils.timezone import now

from benchmarks.exports import urls
from benchmarks.exports.services import exports
from benchmarks.sets.models import JudgmentSet, SetMember
from benchmarks.sets.services import importing
from benchmarks.sets.services.importing import SetInfo
from benchmarks.sets.services.pseudonyms import pseudonyms
from concord.formats import read_judgments
from concord.formats.recipes import recipe_of_toml
from concord.formats.records import (
    CandidateRecord,
    ChoiceRecord,
    CriterionRecord,
    InstanceRecord,
    MarksRecord,
    PairRecord,
    RatingRecord,
)
from core.accounts.roles import Role
from core.audit.models import AuditEvent

pytestmark = pytest.mark.django_db
NAME = re.compile(r"w-[0-9a-f]{12}")


@pytest.fixture
def olga() -> User:
    return User.objects.create_user("olga", is_staff=True)


@pytest.fixture
def vera() -> User:
    return User.objects.create_user("vera")


RATINGS = (RatingRecord("anna", 2.0, "", False), RatingRecord("bert", 4.0, "", False))
INSTANCE = InstanceRecord("i", ("a boat",), "", "What?")


def store(name: str, members: dict[User, Role]) -> JudgmentSet:
    """A version in which anna and bert rate, judge a criterion, mark errors and choose."""
    rows = [
        CandidateRecord(f"c{at}", INSTANCE, f"answer {at}", "a", 3.0, RATINGS) for at in range(2)
    ]
    rows[0] = replace(
        rows[0],
        criteria=(CriterionRecord("fluency", (1.0, 5.0), 3.0, RATINGS),),
        marks=(MarksRecord("anna", ()), MarksRecord("bert", ())),
    )
    chosen = PairRecord(
        "p",
        INSTANCE,
        "answer 0",
        None,
        "answer 1",
        None,
        candidate_keys=("c0", "c1"),
        choices=(ChoiceRecord("anna", 1, 1), ChoiceRecord("bert", 2, 1)),
    )
    return importing.store_version(
        name,
        importing.SetContent(rows, [], [chosen], (1.0, 5.0), "concord", {"format": "concord"}),
        SetInfo(),
        members,
        at=now(),
    )


@pytest.fixture
def rated(olga: User, vera: User) -> JudgmentSet:
    return store("boats", {olga: Role.OWNER, vera: Role.VIEWER})


# The files of a set that name raters; the others have no ratings.
WITH_RATERS = {
    "scores-xlsx",
    "ratings-csv",
    "judgments-jsonl",
    "judgments-parquet",
    "dataset-zip",
    "label-studio-json",
    "pairs-jsonl",
}


def text_of(content: bytes) -> str:
    """The text of a file, of a table of Parquet, or of all files of an archive."""
    if content.startswith(b"PK"):
        archive = zipfile.ZipFile(io.BytesIO(content))
        return "\n".join(text_of(archive.read(name)) for name in archive.namelist())
    if content.startswith(b"PAR1"):
        return str(pd.read_parquet(io.BytesIO(content)).to_json())
    return content.decode()


def fetch(user: User, path: str) -> str:
    client = Client()
    client.force_login(user)
    response = client.get(path)
    if response.status_code in (404, 409):  # nothing of this kind in the set
        return ""
    assert response.status_code == 200, path
    return text_of(b"".join(response) if response.streaming else response.content)


def test_a_rater_has_one_pseudonym_in_all_files_pages_and_versions(
    rated: JudgmentSet, olga: User, vera: User
) -> None:
    again = store("boats", {})
    expected = {pseudonyms(rated)("anna"), pseudonyms(rated)("bert")}
    places = {
        (user, str(version), pattern.name): fetch(user, reverse(pattern.name, args=[str(version)]))
        for user in (olga, vera)
        for version in (rated, again)
        for pattern in urls.urlpatterns
    }
    for (_, _, name), text in places.items():
        assert set(NAME.findall(text)) == (expected if name in WITH_RATERS else set()), name
    assert set(NAME.findall(fetch(olga, "/sets/boats/candidates/c0/"))) == expected
    assert not any(name in text for text in places.values() for name in ("anna", "bert"))


def test_commands_write_the_pseudonyms_of_the_pages(rated: JudgmentSet, tmp_path: Path) -> None:
    out, folder = tmp_path / "out.jsonl", tmp_path / "folder.zip"
    call_command("export_judgments", "boats", str(out), "--pairs", str(tmp_path / "pairs.jsonl"))
    call_command("export_dataset", "boats", str(folder))
    for path in (out, tmp_path / "pairs.jsonl", folder):
        expected = {pseudonyms(rated)("anna"), pseudonyms(rated)("bert")}
        assert set(NAME.findall(text_of(path.read_bytes()))) == expected


def test_a_rater_has_other_pseudonyms_in_another_set(rated: JudgmentSet) -> None:
    other = store("ships", {})
    in_each = [set(NAME.findall("".join(exports.judgments(one)))) for one in (rated, other)]
    assert [len(names) for names in in_each] == [2, 2]
    assert not in_each[0] & in_each[1]


def test_the_audit_log_has_the_exports_of_members(rated: JudgmentSet, olga: User) -> None:
    fetch(olga, "/sets/boats/ratings.csv")
    event = AuditEvent.objects.get(action="set.exported")
    assert event.actor == "olga" and event.after == {"what": "ratings.csv"}


def test_a_worker_without_a_name_stays_without(rated: JudgmentSet) -> None:
    assert pseudonyms(rated)("") == ""


RECIPE = """
name = "addresses"
rows = "candidates"
headings = true
[fields]
id = "id"
[ratings]
columns = "*@example.org"
worker = "@column"
"""


def test_no_page_answer_or_file_names_a_rater_of_an_uploaded_file(
    olga: User, vera: User, tmp_path: Path
) -> None:
    path = tmp_path / "anna@example.org.csv"
    path.write_text(
        "id,question,reference,answer,anna@example.org,berthilde@example.org,carl,dora\n"
        + "".join(f"{at},Q{at}?,r,a {at},{1 + at % 5},{1 + at % 4},{at},no\n" for at in range(12))
    )
    judgments = read_judgments([path], recipe_of_toml(RECIPE.encode()))
    at = now()
    made = importing.import_judgments("ships", judgments, owner=olga, at=at)
    SetMember.objects.create(set_name=made.name, user=vera, role=Role.VIEWER, since=at)
    client = Client()
    client.force_login(vera)
    texts = []
    for name in {str(name) for name in get_resolver().reverse_dict if isinstance(name, str)}:
        with suppress(NoReverseMatch):
            answer = client.get(reverse(name, args=[str(made)]))
            if answer.status_code == 200:
                texts.append(text_of(b"".join(answer) if answer.streaming else answer.content))
    assert len(texts) > 20
    pages = (f"/sets/{made}/", f"/sets/{made}/publishing/", f"/api/v1/sets/{made}")
    texts += [fetch(olga, page) for page in pages]
    shown = "\n".join(texts).casefold()
    assert "12 candidates read" in shown and "rating (2 columns)" in shown
    assert "ignored: 2 columns" in shown
    assert not [name for name in ("anna", "berthilde", "carl", "dora") if name in shown]
