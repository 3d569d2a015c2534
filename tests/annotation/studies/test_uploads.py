"""Files of candidates are added as a whole or refused with an error."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import openpyxl
import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.studies.errors import UploadError
from annotation.studies.models import Study, StudyCandidate, Upload
from annotation.studies.services import candidate_imports, uploads
from concord.protocols import DropRules, Qualification
from tests.annotation import people
from tests.html import readable

ATTACK = "<script>alert(1)</script>"
RIGHT_TO_LEFT = "שלום עולם"
EMOJI = "🛶 up the 🏞️"


@pytest.fixture
def study(rosa: User) -> Study:
    rules = DropRules(equal_to_reference=True)
    return people.new_study(rosa, people.protocol(drop=rules))


def line(key: str, candidate: str, **more: Any) -> dict[str, Any]:
    values = {"id": key, "references": ["a boat"], "candidate": candidate, "question": "What?"}
    return values | more


def jsonl(*lines: dict[str, Any]) -> bytes:
    return "".join(json.dumps(one) + "\n" for one in lines).encode()


def send(client: Client, study: Study, content: bytes, name: str, use: str = "rated") -> Any:
    file = SimpleUploadedFile(name, content)
    url = reverse("study-upload-file", args=[study.slug])
    return client.post(url, {"file": file, "use": use, "format": ""}, follow=True)


def ask(client: Client, study: Study, **sent: Any) -> Any:
    """Ask for the candidates of the only upload."""
    url = reverse("study-import-upload", args=[study.slug, study.uploads.get().pk])
    return client.post(url, sent)


def words(response: Any) -> str:
    """The text of a page."""
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def take(client: Client, study: Study, **sent: Any) -> Any:
    """Ask for them, have them added, and go where a page that followed it goes."""
    answer = ask(client, study, **sent)
    if answer.status_code != 302:
        return answer
    candidate_imports.IMPORTS.perform(study.candidate_imports.get(status="queued").pk)
    followed = client.get(answer["Location"], headers={"HX-Request": "true"})
    return client.get(followed.get("HX-Redirect", answer["Location"]), follow=True)


def test_jsonl_is_shown_first_and_then_taken_with_its_report(owner: Client, study: Study) -> None:
    content = jsonl(
        line("a", "a ship", constituent="quoref", passage="P."),
        line("b", "a ship", constituent="quoref", passage="P."),
        line("c", "A BOAT", constituent="quoref", passage="P."),
        line("d", "a raft", constituent="narrativeqa", passage="Q."),
    )
    page = send(owner, study, content, "answers.jsonl").content.decode()
    assert "Which constituents are span-based?" in page
    assert 'value="quoref" id="id_span_based_1" checked' in page or 'value="quoref"' in page
    assert not StudyCandidate.objects.exists()
    answer = take(owner, study, span_based=["quoref"])
    page = answer.content.decode()
    assert (
        "1 left out (equal to a reference)" in page and "1 sharing the ratings of another" in page
    )
    by_key = {c.key: c for c in study.candidates.select_related("instance", "same_as")}
    assert by_key["b"].same_as == by_key["a"]
    assert by_key["c"].drop_reason == "equal to a reference"
    assert by_key["a"].instance.span_based and not by_key["d"].instance.span_based
    assert not Upload.objects.exists()


def test_an_upload_draws_as_many_questions_as_the_form_says(owner: Client, rosa: User) -> None:
    study = people.new_study(rosa, people.protocol(draw_questions=2), slug="drawn")
    content = jsonl(*(line(f"a{at}", "a ship", question=f"What {at}?") for at in range(5)))
    page = send(owner, study, content, "answers.jsonl").content.decode()
    assert 'name="draw_questions" value="2"' in page
    assert take(owner, study, draw_questions="0").status_code == 422
    page = take(owner, study, draw_questions="3").content.decode()
    assert "3 added; 2 left out (not drawn: 3 of 5 questions, seed 11)" in page
    assert study.candidates.filter(use="rated").count() == 3


def test_a_csv_is_read_by_its_columns(owner: Client, study: Study) -> None:
    content = (
        "nr;context;q;ref 1;ref 2;prediction;model;junk\n"
        '1;"A boat;\nand a river";What?;a boat;the boat;a raft;x;9\n'
        "2;Short.;Who?;Mira;;Tom;y;9\n"
    ).encode("utf-8-sig")
    send(owner, study, content, "answers.csv")
    url = reverse("study-upload", args=[study.slug, study.uploads.get().pk])
    assert "Assign the columns" in owner.get(url, {"columns": ""}).content.decode()
    expected = ["id", "passage", "question", "reference", "", "candidate", "system", ""]
    sent = {f"column_{at}": meaning for at, meaning in enumerate(expected)}
    assert owner.post(url, sent | {"column_5": ""}).status_code == 422
    sent["column_4"] = "reference"
    assert owner.post(url, sent, follow=True).status_code == 200
    take(owner, study)
    first, second = study.candidates.select_related("instance").order_by("position")
    assert first.instance.passage == "A boat;\nand a river"
    assert first.instance.references == ["a boat", "the boat"]
    assert (second.key, second.system, second.instance.references) == ("2", "y", ["Mira"])


def workbook() -> bytes:
    book = openpyxl.Workbook()
    book.active.title = "About"
    book.active.append(["Made by hand"])
    book.active.append(["in 2026"])
    sheet = book.create_sheet("Answers")
    sheet.append(["Query", "Gold answer", "Model output", "Notes"])
    sheet.append(["ما هذا؟", "a boat", EMOJI, "=1+1"])
    sheet.append(["Who?", "Mira", "Tom"])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def test_a_sheet_of_a_workbook_is_chosen_and_its_columns_are_guessed(
    owner: Client, study: Study
) -> None:
    page = send(owner, study, workbook(), "answers.xlsx").content.decode()
    assert "Made by hand" in page and "Show sheet" in page
    url = reverse("study-upload", args=[study.slug, study.uploads.get().pk])
    page = owner.get(url, {"sheet": "Answers"}).content.decode()
    assert EMOJI in page and "(is a formula without a stored value" in page
    for meaning in ("question", "reference", "candidate"):
        assert f'<option value="{meaning}" selected>' in page
    chosen = {"sheet": "Answers", "column_0": "question", "column_1": "reference"}
    refused = owner.post(url, chosen | {"column_2": "candidate", "column_3": "system"})
    page = readable(refused)
    assert "Row 2" in page and "Notes" in page and "is a formula without a stored value" in page
    assert owner.post(url, chosen | {"column_2": "candidate"}).status_code == 302
    take(owner, study)
    first, second = study.candidates.select_related("instance").order_by("position")
    assert (first.instance.question, first.text) == ("ما هذا؟", EMOJI)
    assert (second.instance.references, second.text) == (["Mira"], "Tom")


def test_scores_of_candidates_to_rate_are_ignored(owner: Client, study: Study) -> None:
    send(owner, study, jsonl(line("a", "a ship", score=4)), "a.jsonl")
    take(owner, study)
    assert study.candidates.get().expected is None


def test_a_test_takes_its_right_values_from_the_scores(owner: Client, rosa: User) -> None:
    study = people.new_study(rosa, people.protocol(qualification=Qualification(candidates=1)))
    send(owner, study, jsonl(line("a", "a ship")), "a.jsonl", "qualification")
    assert "line 1, a: it needs a correct rating" in take(owner, study).content.decode()
    study.uploads.all().delete()
    send(owner, study, jsonl(line("a", "a ship", score=4)), "a.jsonl", "qualification")
    take(owner, study)
    assert study.candidates.get().expected == 4


def test_minimal_pairs_need_no_scores(owner: Client, study: Study) -> None:
    pair = {
        "id": "p",
        "references": ["no"],
        "candidate1": "no",
        "candidate2": "yes",
        "phenomenon": "negation",
    }
    send(owner, study, jsonl(pair), "pairs.jsonl", "pairs")
    assert "1 minimal pairs added" in take(owner, study).content.decode()
    better, worse = study.candidates.order_by("pair_member")
    assert (better.text, worse.text, better.phenomenon) == ("no", "yes", "negation")


def test_a_minimal_pair_can_be_written_by_hand(owner: Client, study: Study) -> None:
    send(owner, study, jsonl(line("a", "a ship", instance="i")), "a.jsonl")
    take(owner, study)
    url = reverse("study-write-pair", args=[study.slug])
    sent = {"instance": "i", "better": "a boat went", "worse": "no boat went", "phenomenon": "neg"}
    assert owner.post(url, sent | {"instance": "j"}).status_code == 422
    assert owner.post(url, sent | {"worse": "a boat went"}).status_code == 422
    assert owner.post(url, sent).status_code == 302
    assert study.candidates.filter(pair="pair-1").count() == 2


@pytest.mark.parametrize(
    ("content", "name", "sentence"),
    [
        (b"", "a.jsonl", "empty"),
        (b"   \n\n", "a.jsonl", "The file is empty."),
        (b"{]\n", "a.jsonl", "Line 1"),
        (b'{"id": "a", "candidate": "x", "references": 7}\n', "a.jsonl", "references"),
        (jsonl(line("a", "x"), line("a", "y")), "a.jsonl", "already used"),
        (b"reference,candidate\n", "a.csv", "a header but no rows"),
        (b"reference;candidat\x81\n", "a.csv", "not UTF-8"),
        (b"a,b\n1,2,3\n", "a.csv", "has 3 columns, but the header has 2"),
    ],
)
def test_a_bad_file_is_answered_with_a_sentence(
    content: bytes, name: str, sentence: str, owner: Client, study: Study
) -> None:
    answer = send(owner, study, content, name)
    assert answer.status_code == 422
    assert sentence in answer.content.decode()
    assert not study.candidates.exists()


def test_a_passage_of_200_000_characters_is_added_and_shown_folded(
    owner: Client, study: Study
) -> None:
    long = "word " * 40_000
    send(owner, study, jsonl(line("a", "a ship", passage=long)), "a.jsonl")
    take(owner, study)
    page = owner.get(reverse("study-candidates", args=[study.slug])).content.decode()
    assert "all 40,000 words" in page


def test_texts_are_shown_as_they_are_and_never_run(owner: Client, study: Study) -> None:
    lines = [
        line("a", ATTACK, references=[ATTACK], passage=ATTACK, system=ATTACK, constituent=ATTACK),
        line("b", RIGHT_TO_LEFT, references=[EMOJI], passage=RIGHT_TO_LEFT),
    ]
    shown = send(owner, study, jsonl(*lines), f"{ATTACK}.jsonl").content.decode()
    take(owner, study)
    result = owner.get(reverse("study-candidates", args=[study.slug])).content.decode()
    for page in (shown, result):
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)" in page
        assert RIGHT_TO_LEFT in page and EMOJI in page and 'dir="auto"' in page


def test_rows_to_check_are_shown_before_they_are_added(owner: Client, study: Study) -> None:
    content = "question,reference,candidate,system\n" + "".join(
        f"What?,a boat,{answer},{system}\n"
        for answer, system in (("a ship", "x"), ("a ship", "y"), ("", "z"))
    )
    page = readable(send(owner, study, content.encode(), "answers.csv"))
    assert "2 of 3 rows." in page
    assert "The same answer to the same question as row-1." in page
    assert "The answer is empty." in page
    assert not study.candidates.exists()


def test_a_file_that_is_too_large_is_refused(
    owner: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the page before it is read, and by the service."""
    monkeypatch.setattr(uploads, "UPLOAD_BYTES", 100)
    content = jsonl(line("a", "x" * 200))
    answer = send(owner, study, content, "a.jsonl")
    assert answer.status_code == 413 and "larger than the limit" in answer.content.decode()
    with pytest.raises(UploadError, match="Split the file"):
        uploads.store_upload(study, "a", content, "", "rated", by=study.owner, at=now())


def test_no_candidates_are_added_after_collection_has_begun(owner: Client, study: Study) -> None:
    send(owner, study, jsonl(line("a", "a ship")), "a.jsonl")
    take(owner, study)
    people.open_stage(study)
    send(owner, study, jsonl(line("b", "a ship")), "b.jsonl")
    assert "Collection has begun" in take(owner, study).content.decode()
    assert study.candidates.count() == 1


def add_table(client: Client, study: Study, name: str, use: str, rows: list[list[Any]]) -> str:
    """Upload a table without ids, accept its guessed columns, and add it."""
    heads = ["question", "reference", "candidate", "score"]
    lines = [",".join(map(str, row)) for row in [heads, *rows]]
    send(client, study, "\n".join(lines).encode(), name, use)
    uploads.choose_columns(study.uploads.get(), ["question", "reference", "candidate", "score"])
    return str(take(client, study).content.decode())


def test_files_without_ids_get_row_numbers_that_do_not_collide(owner: Client, rosa: User) -> None:
    test = Qualification(candidates=2)
    study = people.new_study(rosa, people.protocol(qualification=test), slug="numbered")
    for name, use, text in (
        ("answers.csv", "rated", "a ship"),
        ("test.csv", "qualification", "a boat"),
        ("answers.csv", "rated", "a raft"),  # of another system
        ("answers.csv", "rated", "an ark"),
    ):
        rows = [["What sank?", "the boat", f"{text} {at}", at] for at in (1, 2)]
        page = add_table(owner, study, name, use, rows)
        assert "2 added" in page
    keys = study.candidates.order_by("position").values_list("key", "use")
    assert list(keys) == [
        ("row-1", "rated"),
        ("row-2", "rated"),
        ("test/row-1", "qualification"),
        ("test/row-2", "qualification"),
        ("answers/row-1", "rated"),
        ("answers/row-2", "rated"),
        ("answers-2/row-1", "rated"),
        ("answers-2/row-2", "rated"),
    ]


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (jsonl(line("a", "x", references=[]), line("b", "y", references=[])), "a.jsonl"),
        (b"id,candidate\na,x\nb,y\n", "a.csv"),
    ],
)
def test_candidates_need_no_question_and_no_references(
    content: bytes, name: str, owner: Client, study: Study
) -> None:
    send(owner, study, content, name)
    if name == "a.csv":
        url = reverse("study-upload", args=[study.slug, study.uploads.get().pk])
        owner.post(url, {"column_0": "id", "column_1": "candidate"})
    page = take(owner, study).content.decode()
    assert "2 added" in page and "<dt>Reference" not in page
    rows = study.candidates.order_by("position").values_list("key", "instance__references")
    assert list(rows) == [("a", []), ("b", [])]


def test_an_upload_shows_the_turns_of_a_conversation(owner: Client, study: Study) -> None:
    turns = [{"role": "user", "content": "Is it far?"}, {"role": "assistant", "content": "No."}]
    lines = [
        {"id": "a", "messages": turns[:1], "candidate": "A mile."},
        {"id": "b", "messages": turns, "judged": "conversation"},
    ]
    answer = send(owner, study, jsonl(*lines), "a.jsonl")
    assert answer.content.decode().count('<ol class="turns">') == 2
    take(owner, study)
    stored = study.instances.order_by("pk").values_list("conversation", flat=True)
    assert [one["judged"] for one in stored] == ["reply", "conversation"]
    assert study.candidates.get(key="b").text == "No."


def test_a_fault_is_shown_on_the_row_of_the_file_that_has_it(owner: Client, study: Study) -> None:
    content = b"id,question,reference,candidate,score\na,Q?,R,a raft,3\nb,Who?,R,a boat,good\n"
    send(owner, study, content, "answers.csv")
    url = reverse("study-upload", args=[study.slug, study.uploads.get().pk])
    names = ["id", "question", "reference", "candidate", "score"]
    fields = {f"column_{at}": name for at, name in enumerate(names)}
    answer = owner.post(url, fields)
    assert answer.status_code == 422
    faults = words(answer).split("Rows that these columns do not fit")[1]
    assert "Line 3 id b question Who?" in faults and "a raft" not in faults
    assert "score good is &quot;good&quot;; a number is expected" in faults


def test_correct_answers_that_do_not_fit_are_shown_on_their_rows(owner: Client, rosa: User) -> None:
    study = people.new_study(rosa, people.protocol(qualification=Qualification()))
    rows = jsonl(line("fine", "a raft", score=3), line("high", "a boat", score=9))
    answer = send(owner, study, rows, "test.jsonl", "qualification")
    assert answer.status_code == 422
    page = words(answer)
    assert "Line 2 the correct rating is 9; it must be from 1 to 5" in page
    assert "candidate a boat" in page and "a raft" not in page
