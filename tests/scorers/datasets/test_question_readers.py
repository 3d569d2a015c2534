"""Readers of question answering sets, on small files in their published forms and on real ones."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.datasets.questions import FORMATS, QuestionAnswer, find_occurrences, read
from scorers.datasets.trec import detokenise
from scorers.errors import FileError

FILES = Path(__file__).parent / "files"


def marked(question: QuestionAnswer) -> list[list[str]]:
    return [[question.passage[a:b] for a, b in answer] for answer in question.answers]


def test_squad_keeps_every_annotators_answer_and_leaves_impossible_questions_out() -> None:
    questions, left_out = read(FILES / "squad.json", "squad")
    assert [marked(q) for q in questions] == [[["1831"], ["in 1831"]], [["Dr. Ilva Tor"]]]
    assert left_out == {"without an answer": 1}


def test_hotpotqa_marks_the_answer_in_its_supporting_sentences_only() -> None:
    questions, left_out = read(FILES / "hotpotqa.json", "hotpotqa")
    (question,) = questions
    assert marked(question) == [["Lonnet"]]
    assert [question.passage[a:b] for a, b in question.supporting] == [
        "Orra Feld painted the Grey Mill.",
        "It stands in Lonnet.",
    ]
    assert left_out == {"yes/no": 1, "answer not in a supporting sentence": 1}


@pytest.mark.parametrize("name", ["msmarco.json", "msmarco.jsonl"])
def test_ms_marco_is_read_in_both_forms(name: str) -> None:
    questions, left_out = read(FILES / name, "msmarco")
    (question,) = questions
    assert marked(question) == [["40 metres"]]
    assert question.passage.startswith("The tower has a clock.")
    assert left_out.total() in (1, 2)


def test_qamr_keeps_valid_answers_and_makes_ordinary_text() -> None:
    questions, _ = read(FILES / "qamr" / "dev.tsv", "qamr")
    assert marked(questions[0]) == [["Mara", "Lind"], ["Mara", "Lind"], ["Lind"]]
    assert marked(questions[1]) == [["letter"], ["the", "letter"]]
    assert questions[2].passage == 'He said "stop (now)", didn\'t he?'


def test_trec_qa_takes_the_positive_sentences() -> None:
    questions, left_out = read(FILES / "trecqa.xml", "trecqa")
    (question,) = questions
    assert question.question == "What does the harbour export?"
    assert marked(question) == [["salt", "dried", "fish"]]
    assert left_out == {"wrong sentences": 1}


@pytest.mark.parametrize("format_", FORMATS)
def test_a_file_of_another_format_is_a_clear_error(format_: str, tmp_path: Path) -> None:
    path = tmp_path / "other.txt"
    path.write_text("neither one nor the other\n")
    with pytest.raises(FileError, match=r"other\.txt|wiki-sentences\.tsv"):
        read(path, format_)


def test_errors_name_file_and_line(tmp_path: Path) -> None:
    folder = FILES / "qamr"
    (tmp_path / "wiki-sentences.tsv").write_text((folder / "wiki-sentences.tsv").read_text())
    path = tmp_path / "dev.tsv"
    path.write_text((folder / "dev.tsv").read_text() + "s:1\t3\t7\t0\t3\tWho?\t99\n")
    with pytest.raises(FileError, match=r"line 4: .*6 tokens"):
        read(path, "qamr")
    path.write_text("s:9\t3\t7\t0\t3\tWho?\t0\n")
    with pytest.raises(FileError, match="line 1: the sentence 's:9' is not in"):
        read(path, "qamr")
    with pytest.raises(FileError, match="the format must be one of"):
        read(path, "csv")


@given(st.lists(st.sampled_from(["a", "``", "''", ",", "-LRB-", "n't", "word", ".", "$", "x-y"])))
def test_token_spans_are_correct(tokens: list[str]) -> None:
    text, spans = detokenise(tokens)
    shown = {"``": '"', "''": '"', "-LRB-": "("}
    assert [text[a:b] for a, b in spans] == [shown.get(token, token) for token in tokens]
    assert text.replace(" ", "") == "".join(shown.get(token, token) for token in tokens)


def test_an_answer_is_found_as_whole_words_in_any_case() -> None:
    text = "Art and art, not artful."
    assert [text[a:b] for a, b in find_occurrences(text, "art")] == ["Art", "art"]
    assert find_occurrences(text, " ") == ()


def test_the_real_files_are_read_completely(concord_data: Path) -> None:
    for name, rows in (("dev", 18908), ("test", 18770)):
        questions, left_out = read(concord_data / "qamr" / f"{name}.tsv", "qamr")
        assert len(questions) + left_out.total() == rows
    for name, positives in (("DEV", 222), ("TEST", 284), ("TRAIN", 348)):
        questions, left_out = read(concord_data / "trecqa" / f"{name}.xml", "trecqa")
        assert len(questions) + left_out["without an answer"] == positives
