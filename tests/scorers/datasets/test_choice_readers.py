"""Readers of multiple-choice sets on small files in their published forms."""

import json
from pathlib import Path

import pytest

from scorers.datasets.choices import ChoiceQuestion, read_choices
from scorers.errors import FileError

STORY = "\t".join(
    [
        "mill.0",
        "Author: 1",
        "Tor has a mill.\\newlineIt is red.",
        *("one: Who has a mill?", "Tor", "Orra", "Lind", "nobody"),
        *("multiple: What colour is it?", "red", "blue", "grey", "white"),
        *("one: Is it red?", "yes", "no", "maybe", "never"),
        *("one: How many?", "two", "three", "one", "four"),
    ]
)


def test_mctest_takes_the_letters_from_the_file_beside(tmp_path: Path) -> None:
    path = tmp_path / "mc.dev.tsv"
    path.write_text(STORY + "\n")
    (tmp_path / "mc.dev.ans").write_text("A\tA\tA\tC\n")
    questions = read_choices(path, "mctest")
    assert [q.question for q in questions] == [
        "Who has a mill?", "What colour is it?", "Is it red?", "How many?"
    ]  # fmt: skip
    assert questions[3] == ChoiceQuestion(
        "Tor has a mill.\nIt is red.", "How many?", ("one",), ("two", "three", "four"), "mill.0"
    )
    (tmp_path / "mc.dev.ans").write_text("A\tA\tA\tE\n")
    with pytest.raises(FileError, match=r"mc\.dev\.ans, line 1: must be four letters"):
        read_choices(path, "mctest")


def test_race_is_read_from_a_folder_of_documents(tmp_path: Path) -> None:
    document = {
        "article": "Tor has a mill.",
        "questions": ["Who?", "What?"],
        "options": [["Orra", "Tor", "Lind", "nobody"], ["a mill", "a boat", "a cat", "a house"]],
        "answers": ["B", "A"],
        "id": "high7.txt",
    }
    (tmp_path / "high").mkdir()
    (tmp_path / "high" / "7.txt").write_text(json.dumps(document))
    first, second = read_choices(tmp_path, "race")
    assert first == ChoiceQuestion(
        "Tor has a mill.", "Who?", ("Tor",), ("Orra", "Lind", "nobody"), "high7.txt"
    )
    assert second.right == ("a mill",)
    (tmp_path / "high" / "7.txt").write_text(json.dumps({**document, "answers": ["B", "E"]}))
    with pytest.raises(FileError, match=r"7\.txt, line 1, field answers: 'E' is none"):
        read_choices(tmp_path, "race")


def test_boolq_asks_for_yes_or_no(tmp_path: Path) -> None:
    path = tmp_path / "dev.jsonl"
    rows = [
        {"question": "is it red", "title": "Mill", "answer": True, "passage": "A red mill."},
        {"question": "is it blue", "label": False, "passage": "A red mill."},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    first, second = read_choices(path, "boolq")
    assert (first.right, first.wrong) == (("yes",), ("no",))
    assert (second.right, second.wrong) == (("no",), ("yes",))
    path.write_text(json.dumps({"question": "q", "passage": "p", "answer": "yes"}))
    with pytest.raises(FileError, match="line 1, field answer: must be true or false"):
        read_choices(path, "boolq")


def test_multirc_is_read_in_both_forms(tmp_path: Path) -> None:
    text = "<b>Sent 1: </b>Tor &amp; Lind left.<br><b>Sent 2: </b>It <i>rained</i>.<br>"
    answers = [("Tor", True), ("Lind", True), ("Orra", False)]
    authors = {
        "data": [
            {
                "id": "a",
                "paragraph": {
                    "text": text,
                    "questions": [
                        {
                            "question": "Who left?",
                            "answers": [{"text": t, "isAnswer": right} for t, right in answers],
                        }
                    ],
                },
            }
        ]
    }
    path = tmp_path / "multirc.json"
    path.write_text(json.dumps(authors))
    (question,) = read_choices(path, "multirc")
    assert question == ChoiceQuestion(
        "Tor & Lind left. It rained .", "Who left?", ("Tor", "Lind"), ("Orra",), "a", several=True
    )
    row = {
        "idx": 4,
        "passage": {
            "text": "Tor left.",
            "questions": [
                {
                    "question": "Who left?",
                    "answers": [{"text": t, "label": int(right)} for t, right in answers],
                }
            ],
        },
    }
    path.write_text(json.dumps(row) + "\n")
    (question,) = read_choices(path, "multirc")
    assert (question.right, question.wrong, question.group) == (("Tor", "Lind"), ("Orra",), "4")
    path.write_text('{"data": 3}')
    with pytest.raises(FileError, match="is not a MultiRC file"):
        read_choices(path, "multirc")


def test_qamr_takes_answers_to_other_questions_as_wrong_ones(tmp_path: Path) -> None:
    (tmp_path / "wiki-sentences.tsv").write_text(
        "s1\tTor Lind built the old mill in 1803 .\ns2\tIt rained .\n"
    )
    lines = [
        "s1\t0\t1\t0\t0\tWho built the mill?\t0 1\tw1:1\tw2:0 1",
        "s1\t0\t1\t1\t0\tWhat did he build?\t3 4 5\tw1:4 5\tw2:5",
        "s1\t0\t1\t2\t0\tWhen was it built?\t7\tw1:7\tw2:Invalid",
        "s1\t0\t1\t3\t0\tWhat did Lind do?\t2\tw1:2 3 4 5\tw2:2",
        "s2\t0\t1\t0\t0\tWhat did it do?\t1\tw1:1\tw2:1",
    ]
    path = tmp_path / "dev.tsv"
    path.write_text("\n".join(lines) + "\n")
    who, what, when, did = read_choices(path, "qamr")
    assert who.passage == "Tor Lind built the old mill in 1803."
    assert who.right == ("Tor Lind", "Lind") and who.several and who.group == "s1"
    assert what.right == ("the old mill", "old mill", "mill")
    assert when.right == ("1803",) and not when.several
    for question in (who, what, when, did):
        assert 1 <= len(question.wrong) <= 2 and not set(question.wrong) & set(question.right)
    # An answer that shares a word with any annotator's answer is no wrong one.
    assert set(did.wrong) == {"Tor Lind", "1803"}
    assert read_choices(path, "qamr") == [who, what, when, did]
