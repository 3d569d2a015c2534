"""Workers leave under names that no two exports share."""

from __future__ import annotations

import csv
import io
import re
import zipfile

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils.timezone import now

from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import importing
from benchmarks.sets.services.importing import SetInfo
from benchmarks.sets.services.pseudonyms import Pseudonyms
from concord.formats.records import CandidateRecord, InstanceRecord, RatingRecord
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


@pytest.fixture
def rated(olga: User, vera: User) -> JudgmentSet:
    """Two answers, each rated by the same two workers."""
    rows = [
        CandidateRecord(
            f"c{at}",
            InstanceRecord("i", ("a boat",), "", "What?"),
            f"answer {at}",
            "a",
            3.0,
            (RatingRecord("anna", 2.0, "", False), RatingRecord("bert", 4.0, "", False)),
        )
        for at in range(2)
    ]
    return importing.store_version(
        "boats",
        rows,
        [],
        scale=(1.0, 5.0),
        source_format="concord",
        report={"format": "concord"},
        info=SetInfo(),
        members={olga: Role.OWNER, vera: Role.VIEWER},
        at=now(),
    )


def downloaded(user: User, path: str) -> bytes:
    client = Client()
    client.force_login(user)
    response = client.get(f"/sets/boats/{path}")
    assert response.status_code == 200, path
    return b"".join(response.streaming_content)


def workers_in(content: bytes) -> list[str]:
    return [row["worker"] for row in csv.DictReader(io.StringIO(content.decode()))]


def test_a_worker_has_one_name_in_an_export_and_another_in_the_next(
    rated: JudgmentSet, olga: User
) -> None:
    first, second = (workers_in(downloaded(olga, "ratings.csv")) for _ in range(2))
    for names in (first, second):
        assert names == [names[0], names[1]] * 2
        assert names[0] != names[1] and all(NAME.fullmatch(one) for one in names)
    assert not set(first) & set(second)


def test_every_file_has_names_of_its_own(rated: JudgmentSet, olga: User) -> None:
    book = zipfile.ZipFile(io.BytesIO(downloaded(olga, "scores.xlsx")))
    texts = [
        downloaded(olga, "ratings.csv").decode(),
        downloaded(olga, "judgments.jsonl").decode(),
        "".join(book.read(name).decode() for name in book.namelist()),
    ]
    names_by_text = [set(NAME.findall(text)) for text in texts]
    assert [len(names) for names in names_by_text] == [2, 2, 2]
    assert len(set.union(*names_by_text)) == 6
    assert not any(name in text for text in texts for name in ("anna", "bert"))


def test_its_owner_may_have_names_that_stay(rated: JudgmentSet, olga: User) -> None:
    first, second = (downloaded(olga, "ratings.csv?names=stable") for _ in range(2))
    assert workers_in(first) == workers_in(second)
    assert workers_in(first)[0] == Pseudonyms.stable(rated)("anna")


def test_names_that_stay_are_not_for_viewers(rated: JudgmentSet, vera: User) -> None:
    client = Client()
    client.force_login(vera)
    assert client.get("/sets/boats/ratings.csv").status_code == 200
    assert client.get("/sets/boats/ratings.csv?names=stable").status_code == 403


def test_names_that_stay_say_nothing_of_another_set(rated: JudgmentSet) -> None:
    other = JudgmentSet(name="ships")
    assert Pseudonyms.stable(rated)("anna") != Pseudonyms.stable(other)("anna")


def test_the_book_says_which_key_an_export_had_and_not_the_key(
    rated: JudgmentSet, olga: User
) -> None:
    downloaded(olga, "ratings.csv")
    event = AuditEvent.objects.get(action="set.exported")
    assert event.actor == "olga" and event.after["what"] == "ratings.csv"
    assert not event.after["stable"] and re.fullmatch("[0-9a-f]{16}", event.after["names"])


def test_a_key_is_not_printed() -> None:
    names = Pseudonyms.fresh()
    assert names.key.hex() not in repr(names) and str(names.key) not in repr(names)


def test_a_worker_without_a_name_stays_without() -> None:
    assert Pseudonyms.fresh()("") == ""
