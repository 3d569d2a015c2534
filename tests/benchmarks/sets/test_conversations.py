"""Sets of conversations: stored, hashed and exported as they were read."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.studies.intake import CONCORD, read_items
from benchmarks.exports.services import datasets, exports
from benchmarks.freezing import services as freezing
from benchmarks.sets import fingerprints
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames, importing
from concord.formats import (
    DATASET,
    CandidateRecord,
    InstanceRecord,
    RatingRecord,
    ReadOptions,
    read_judgments,
)
from tests.annotation import people
from tests.benchmarks.factories import add_member, write_lines
from tests.core.rest.people import caller

pytestmark = pytest.mark.django_db
TURNS = [
    {"role": "user", "content": "Is it far?"},
    {"role": "assistant", "content": "A mile."},
    {"role": "user", "content": "By boat?"},
]
HASH = "fbd93f249ee098264d53b2af1ef27fc100e5dbaf0bfb56766261767289fe2af7"
KEY = "850f3c6e769e43876bf2ebcfce974fb1"
LINES = [
    {"id": "r", "messages": TURNS, "candidate": "No.", "system": "s", "score": 2, "scale": [1, 5]},
    {"id": "w", "messages": TURNS, "judged": "conversation", "system": "s", "score": 4},
    {"id": "q", "question": "By boat?", "references": ["yes"], "candidate": "No.", "score": 3},
]
OPTIONS = ReadOptions(without_references=True)


def import_as(name: str, path: Path, format: str = "concord") -> JudgmentSet:
    return importing.import_judgments(name, read_judgments([path], format, OPTIONS), at=now())


@pytest.fixture
def made(tmp_path: Path) -> JudgmentSet:
    return import_as("chats", write_lines(tmp_path / "c.jsonl", LINES))


def test_a_set_of_conversations_exported_and_imported_is_the_same(
    made: JudgmentSet, tmp_path: Path
) -> None:
    lines, folder = tmp_path / "out.jsonl", tmp_path / "out.zip"
    lines.write_text("".join(exports.judgments(made)))
    folder.write_bytes(b"".join(datasets.stream_dataset(made)))
    for again in (import_as("again", lines), import_as("more", folder, DATASET)):
        assert again.content_hash == made.content_hash
        stored = again.instances.get(candidates__key="w").conversation
        assert stored == {"messages": TURNS, "judged": "conversation"}


def test_turns_are_part_of_the_hashes(made: JudgmentSet) -> None:
    reply, question = (made.candidates.with_instance().get(key=key).instance for key in ("r", "q"))
    assert reply.question == question.question
    record = InstanceRecord.from_row(reply)
    assert fingerprints.context_key("No.", record) != fingerprints.context_key(
        "No.", InstanceRecord(record.key, (), "", record.question)
    )


def test_a_set_without_conversations_has_the_hash_that_it_had() -> None:
    instance = InstanceRecord("i", ("blue",), "The sky.", "What?", "c", "test", "N", "b")
    candidate = CandidateRecord("a", instance, "green", "s", 2.0, (RatingRecord("w", 2.0),))
    assert fingerprints.content_hash([candidate], [], (1, 5)) == HASH
    assert fingerprints.context_key("x", instance).hex() == KEY


def test_judges_get_the_turns_and_metrics_the_last_question(made: JudgmentSet) -> None:
    reply, whole, plain = frames.items(made, range(3))
    assert reply.conversation == {"messages": TURNS, "judged": "reply"}
    assert (reply.question, whole.question, plain.conversation) == ("By boat?", "Is it far?", None)


def test_turns_are_shown_and_searched_on_the_page_of_data(made: JudgmentSet, staff: Client) -> None:
    add_member("chats", User.objects.get(username="sam"))
    address = reverse("set-data", args=[str(made)])
    page = staff.get(address, {"q": "mile"}).content.decode()
    assert page.count('<ol class="turns">') == 2 and "judged as a whole" in page
    assert '<ol class="turns">' not in staff.get(address, {"q": "messages"}).content.decode()
    candidate = staff.get(reverse("candidate", args=[str(made), "r"])).content.decode()
    assert "By boat?" in candidate and '<ol class="turns">' in candidate


def test_the_api_has_the_turns(made: JudgmentSet) -> None:
    api = caller(User.objects.create_user("root", is_superuser=True), "sets:read")
    first, second, third = api.get(f"/sets/{made}/candidates").json()["results"]
    assert first["conversation"] == {"messages": TURNS, "judged": "reply"}
    assert second["conversation"]["judged"] == "conversation"
    assert third["conversation"] is None and first["question"] == "By boat?"


def test_a_frozen_study_keeps_its_conversations(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "c.jsonl", LINES)
    rosa = people.researcher()
    study = people.new_study(rosa, people.protocol(split_shares=()), read_items(path, CONCORD))
    stage = people.open_stage(study)
    for at in range(4):
        people.rate(stage, people.join(study, f"worker {at}"), {"r": 4, "w": 2 + at % 2, "q": 3})
    made = freezing.freeze(study, "mean", by=rosa, at=now())
    stored = dict(made.candidates.values_list("key", "instance__conversation__judged"))
    assert stored == {"r": "reply", "w": "conversation", "q": None}
    out = tmp_path / "out.jsonl"
    out.write_text("".join(exports.judgments(made)))
    assert import_as("again", out).content_hash == made.content_hash
