"""Readers of answer sentence selection sets."""

from pathlib import Path

import pytest

from scorers.datasets.selection import SelectionQuestion, read_questions
from scorers.errors import FileError

TRECQA = Path(__file__).parent / "files" / "trecqa.xml"
HEADING = "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel\n"


def test_trec_qa_gives_correct_and_wrong_sentences() -> None:
    (question,) = read_questions(TRECQA, "trecqa")
    assert question.question == "What does the harbour export?"
    assert len(question.correct) == 1 and len(question.wrong) == 1
    assert "salt" in question.correct[0]


def test_wikiqas_table_is_read(tmp_path: Path) -> None:
    path = tmp_path / "WikiQA-dev.tsv"
    path.write_text(
        HEADING
        + "Q1\twho left\tD1\tLeaving\tD1-0\tIlva left .\t1\n"
        + "Q1\twho left\tD1\tLeaving\tD1-1\tIt rained .\t0\n"
        + "Q2\twho came\tD2\tComing\tD2-0\tNobody .\t0\n"
    )
    assert read_questions(path, "wikiqa") == [
        SelectionQuestion("who left", ("Ilva left .",), ("It rained .",)),
        SelectionQuestion("who came", (), ("Nobody .",)),
    ]
    path.write_text("who left\tIlva left .\t1\n")
    with pytest.raises(FileError, match="line 1: the heading must begin with QuestionID"):
        read_questions(path, "wikiqa")


def test_a_sentence_with_both_labels_is_correct(tmp_path: Path) -> None:
    path = tmp_path / "plain.tsv"
    path.write_text("question\tsentence\tlabel\nwho\ta\t0\nwho\tb\t0\nwho\ta\t1\n")
    assert read_questions(path, "tsv") == [SelectionQuestion("who", ("a",), ("b",))]
    path.write_text("who\ta\t1\nwho\tb\tyes\n")
    with pytest.raises(FileError, match="line 2: the label must be 0 or 1, not 'yes'"):
        read_questions(path, "tsv")
    with pytest.raises(FileError, match=r"the format must be one of .*, not 'csv'"):
        read_questions(path, "csv")


def test_a_heading_may_name_further_columns(tmp_path: Path) -> None:
    path = tmp_path / "wide.tsv"
    path.write_text("question\tsentence\tlabel\tid\nwho\ta\t1\tx\nwho\tb\t0\ty\n")
    assert read_questions(path, "tsv") == [SelectionQuestion("who", ("a",), ("b",))]
    path.write_text("question\tsentence\tlabel\tid\nwho\ta\t1\n")
    with pytest.raises(FileError, match="line 2: has 3 columns, not the 4 of the heading"):
        read_questions(path, "tsv")
    path.write_text("who\ta\t1\tx\n")
    with pytest.raises(FileError, match="line 1: has 4 columns, not question, sentence, label"):
        read_questions(path, "tsv")
