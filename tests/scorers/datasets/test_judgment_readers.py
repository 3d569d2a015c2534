"""Readers of judgments on small files of each format, and the split."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord import formats
from scorers.datasets.judgments import Judgment, read_judgments, split_judgments
from scorers.errors import FileError


def lines(path: Path, rows: list[dict]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_concord_lines_give_gold_as_a_share_of_their_scale(tmp_path: Path) -> None:
    rows = [
        {
            "id": "a",
            "instance": "i",
            "passage": "The mill burned.",
            "question": "What burned?",
            "references": ["the mill", "a mill"],
            "candidate": "mill",
            "scale": [1, 5],
            "score": 4,
            "split": "dev",
            "constituent": "c",
            "system": "s",
            "short_answer": "mill",
        },
        {"id": "b", "references": ["r"], "candidate": "", "ratings": [
            {"worker": "w", "value": 2}, {"worker": "v", "value": 4}]},
        {"id": "c", "references": ["r"], "candidate": "not judged"},
    ]  # fmt: skip
    first, second = read_judgments(lines(tmp_path / "j.jsonl", rows), "concord")
    assert first == Judgment(
        "a", "What burned?", ("the mill", "a mill"), "mill", 0.75, "The mill burned.",
        "The mill burned.", "c", "dev", "s", "mill",
    )  # fmt: skip
    assert (second.gold, second.candidate, second.group) == (0.5, "", "r")


@pytest.mark.parametrize(
    ("scores", "gold"), [((0, 1, 0.5), [0, 1, 0.5]), ((1, 2, 5), [0, 0.25, 1])]
)
def test_a_file_without_a_scale_gets_the_range_of_its_scores(
    tmp_path: Path, scores: tuple[float, ...], gold: list[float]
) -> None:
    rows = [
        {"id": str(k), "references": ["r"], "candidate": "c", "score": score}
        for k, score in enumerate(scores)
    ]
    judgments = read_judgments(lines(tmp_path / "j.jsonl", rows), "concord")
    assert [judgment.gold for judgment in judgments] == gold


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"score": 7}, "states no scale"),
        ({"score": 7, "scale": [1, 5]}, "jsonl:1: score: 7 is outside the scale from 1 to 5"),
        ({"score": "high"}, 'jsonl:1: score: is "high"; a number is expected'),
        ({"scale": [5, 1]}, "jsonl:1: scale: the lowest, 5, is not below the highest, 1"),
        ({"references": []}, "jsonl:1: references: is empty"),
        ({"candidate": None}, "jsonl:1: candidate: is null; a string is expected"),
        ({"scroe": 1}, 'jsonl:1: "scroe": unknown field; allowed:'),
        ({"score": None}, "has no judged candidate"),
    ],
)
def test_an_error_states_the_fault_of_a_line(tmp_path: Path, change: dict, message: str) -> None:
    row = {"id": "a", "references": ["r"], "candidate": "c", "score": 1, **change}
    with pytest.raises(FileError, match=message):
        read_judgments(lines(tmp_path / "j.jsonl", [row]), "concord")


MOCHA_ENTRY = {
    "context": "Ilva left early.",
    "question": "Who left?",
    "reference": "Ilva",
    "candidate": "Orra",
    "score": 1,
    "metadata": {"scores": [1, 1], "source": "gpt2"},
}


def mocha(path: Path, **entries: dict) -> Path:
    path.write_text(json.dumps({"narrativeqa": entries}))
    return path


def test_mocha_documents_are_read(tmp_path: Path) -> None:
    unjudged = {**MOCHA_ENTRY, "score": None, "metadata": {"source": "gpt2"}}
    (judgment,) = read_judgments(mocha(tmp_path / "dev.json", x=MOCHA_ENTRY, y=unjudged), "mocha")
    assert judgment == Judgment(
        "narrativeqa/x", "Who left?", ("Ilva",), "Orra", 0.0, "Ilva left early.",
        "Ilva left early.", "narrativeqa", "dev", "gpt2",
    )  # fmt: skip
    path = mocha(tmp_path / "dev.json", x={**MOCHA_ENTRY, "candidate": 3})
    with pytest.raises(FileError, match=r"narrativeqa\.x\.candidate: is a number; a text is"):
        read_judgments(path, "mocha")


@pytest.mark.parametrize("name", ["train", "dev", "test", "val", "valid", "validation", "my_set"])
def test_the_training_and_the_library_read_the_same_of_a_mocha_file(
    tmp_path: Path, name: str
) -> None:
    """The file's name gives the split; without a score, the mean of the ratings is used."""
    rated = {**MOCHA_ENTRY, "score": None, "metadata": {"scores": [2, 5], "source": "gpt2"}}
    path = mocha(tmp_path / f"{name}.json", x=MOCHA_ENTRY, y=rated)
    judgments = read_judgments(path, "mocha")
    assert [judgment.gold for judgment in judgments] == [0.0, 0.625]
    candidates = formats.read_judgments([path], "mocha").candidates
    assert [1 + 4 * judgment.gold for judgment in judgments] == [one.score for one in candidates]
    splits = {judgment.split for judgment in judgments}
    assert splits == {one.instance.split for one in candidates}
    split_of_name = {"train": "train", "test": "test", "my_set": ""}
    assert splits == {split_of_name.get(name, "dev")}


def test_a_group_is_the_passage_or_the_instance_or_the_question(tmp_path: Path) -> None:
    """Also where the name is the hash that an export writes for an instance without a name."""
    line = {"references": ["r"], "candidate": "c", "score": 1}
    exported = formats.instance_key("", "Who?", ["r"])
    rows = [
        {**line, "id": "a", "passage": "p", "instance": "i"},
        {**line, "id": "b", "question": "Who left?", "instance": "j"},
        {**line, "id": "c", "question": "Who?", "instance": exported},
        {**line, "id": "d", "question": "Who left late?"},
        {**line, "id": "e", "references": ["r", "s"]},
    ]
    judgments = read_judgments(lines(tmp_path / "j.jsonl", rows), "concord")
    groups = ["p", "j", exported, "Who left late?", "r\ns"]
    assert [judgment.group for judgment in judgments] == groups


@pytest.mark.parametrize(
    "line",
    [
        "2.5\ta boat\tone boat",
        "a boat\tone boat\t2.5",
        "main-news\tf\t2012\t7\t2.5\ta boat\tone boat",
        "0\tmain-news\tf\t2012\t7\told\told\ta boat\tone boat\t2.5",
    ],
)
def test_similarity_tables_are_read_in_all_their_forms(tmp_path: Path, line: str) -> None:
    path = tmp_path / "sts.tsv"
    path.write_text(f"{line}\n{line}\n")
    first, _ = read_judgments(path, "sts")
    assert (first.references, first.candidate, first.gold) == (("a boat",), "one boat", 0.5)
    path.write_text("score\ta\tb\n" + "2.5\ta boat\tone boat\n")
    assert len(read_judgments(path, "sts")) == 1
    path.write_text("5.5\ta boat\tone boat\n")
    with pytest.raises(FileError, match=r"line 1, field score: 5\.5 is outside the scale from 0"):
        read_judgments(path, "sts")
    path.write_text("no table\n")
    with pytest.raises(FileError, match="not a table of sentence pairs"):
        read_judgments(path, "sts")


@given(st.integers(0, 9), st.permutations(range(60)))
def test_the_split_keeps_groups_together_in_any_order(seed: int, order: list[int]) -> None:
    judgments = [Judgment(str(i), "q", ("r",), "c", 0.0, group=str(i // 4)) for i in range(60)]
    parts = split_judgments([judgments[i] for i in order], 0.3, 0.2, seed)
    again = split_judgments(judgments, 0.3, 0.2, seed)
    assert [set(part) for part in parts] == [set(part) for part in again]
    groups = [{judgment.group for judgment in part} for part in parts]
    assert sum(map(len, groups)) == len(set().union(*groups)) == 15
    # A larger test share takes from the others and gives nothing back.
    assert set(again[2]) <= set(split_judgments(judgments, 0.3, 0.4, seed)[2])
