"""Items and corpora."""

import dataclasses
import json
from pathlib import Path

import pytest

from scorers import Corpus, Item
from scorers.datasets.items import read_items
from scorers.errors import FileError


def test_an_item_cannot_be_changed() -> None:
    item = Item("a", ("b",))
    with pytest.raises(dataclasses.FrozenInstanceError):
        item.candidate = "c"  # type: ignore[misc]
    assert not hasattr(item, "__dict__")


def test_a_corpus_counts_a_row_each_time_it_occurs() -> None:
    corpus = Corpus.from_references([["a", "b"], ("c",), ["a", "b"]])
    assert dict(corpus.documents) == {("a", "b"): 2, ("c",): 1}
    assert len(corpus) == 3


def test_corpora_of_the_same_rows_are_equal() -> None:
    rows = [["a", "b"], ["c"], ["a", "b"], ["d \ud800"]]
    one, other = Corpus.from_references(rows), Corpus.from_references(rows[::-1])
    assert one.fingerprint == other.fingerprint
    assert one == other and len({one, other}) == 1


def test_corpora_of_other_rows_differ() -> None:
    corpora = [
        [["a", "b"]],
        [["b", "a"]],
        [["ab"]],
        [["a"], ["b"]],
        [["a", "b"], ["a", "b"]],
        [["a", "b", ""]],
        [],
    ]
    made = [*map(Corpus.from_references, corpora)]
    assert len({one.fingerprint for one in made}) == len({*made}) == len(corpora)


def test_a_row_without_references_is_refused() -> None:
    with pytest.raises(ValueError, match="no references"):
        Corpus.from_references([["a"], []])


def test_a_file_of_candidates_may_have_short_answers(tmp_path: Path) -> None:
    rows = [
        {"id": 1, "candidate": "c", "references": ["r"], "short_answer": "s"},
        {"id": 2, "candidate": "c", "references": ["r"]},
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [item.short_answer for item in read_items(path, ())[1]] == ["s", ""]
    path.write_text(json.dumps({**rows[0], "short_answer": 3}) + "\n")
    with pytest.raises(FileError, match="line 1, field short_answer: must be a string"):
        read_items(path, ())


def test_a_conversation_is_read_and_its_last_question_is_the_question(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "Far?"}, {"role": "assistant", "content": "A mile."}]
    asked = [*turns, {"role": "user", "content": "Uphill?"}]
    rows = [
        {"id": 1, "candidate": "No.", "references": ["r"], "messages": asked},
        {"id": 2, "references": ["r"], "messages": turns, "judged": "conversation"},
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    reply, whole = read_items(path, {"question", "passage"})[1]
    assert (reply.question, reply.candidate, reply.passage) == ("Uphill?", "No.", "")
    assert reply.conversation is not None and reply.conversation["messages"] == asked
    assert (whole.question, whole.candidate) == ("Far?", "A mile.")


@pytest.mark.parametrize(
    ("fields", "message"),
    [({"messages": [{"role": "x", "content": "a"}]}, "field messages[0].role: must be one of user"),
     ({"messages": [{"role": "user", "content": "a"}], "question": "b"},
      "field question: must be empty: `messages` are in its place")],
)  # fmt: skip
def test_faults_of_a_conversation_are_named(
    tmp_path: Path, fields: dict[str, object], message: str
) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"id": 1, "candidate": "c", "references": ["r"], **fields}) + "\n")
    with pytest.raises(FileError) as raised:
        read_items(path, ())
    assert message in str(raised.value)
