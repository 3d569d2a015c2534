"""Forms of files that a recipe's operations read: rankings, several pairs a row, parts of texts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from concord.formats import (
    FormatError,
    JudgmentFile,
    PairFile,
    ReadOptions,
    read_judgments,
    read_pairs,
)
from concord.formats.recipes import FormatRecipe
from tests.concord.formats.recipe_examples import (
    FULL_RANKING,
    MTURK_PAIRS,
    NESTED_RATINGS,
    PAIRS_NUMBERED,
    RAGCHECKER,
    TTCW,
)

Write = Callable[[Any], Path]
ReadAs = Callable[..., JudgmentFile]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(content: Any) -> Path:
        path = tmp_path / ("f.csv" if isinstance(content, str) else "f.json")
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return write


def winners(file: PairFile) -> list[tuple[str, str, str]]:
    """(rater, winner, loser) of each choice; "=" before the rater of a tie."""
    return [
        (f"{'=' if one.choice == 'tie' else ''}{one.worker}",
         *(pair.systems[::-1] if one.choice == 2 else pair.systems))
        for pair in file.pairs
        for one in pair.choices
    ]  # fmt: skip


def test_a_ranking_is_a_choice_between_each_two_of_its_items(write: Write) -> None:
    file = read_pairs([write(FULL_RANKING)], "full-ranking")
    assert len(file.pairs) == 3
    assert sorted(winners(file)) == sorted(
        [
            *(("w1", "one", "two"), ("w1", "one", "three"), ("w1", "two", "three")),
            *(("w2", "three", "one"), ("w2", "three", "two"), ("w2", "one", "two")),
        ]
    )


def test_equal_ranks_are_a_tie_and_a_rank_is_a_number(
    write: Write, recipe: Callable[[str], FormatRecipe]
) -> None:
    mine = recipe(
        """
        kind = "pairs"
        [fields]
        candidate1 = "''"
        candidate2 = "''"
        system1 = "{item1}"
        system2 = "{item2}"
        [choices]
        columns = "rank {system}"
        value = "{system}"
        rank = "@value"
        worker = "who"
        """
    )
    file = read_pairs([write("who,rank a,rank b,rank c\nw,1,2,2\n")], mine)
    assert winners(file) == [("w", "a", "b"), ("w", "a", "c"), ("=w", "b", "c")]
    with pytest.raises(FormatError, match="rank b: the rank is"):
        read_pairs([write("who,rank a,rank b\nw,1,best\n")], mine)


def test_a_row_has_several_numbered_pairs(write: Write) -> None:
    file = read_pairs([write(PAIRS_NUMBERED)], "pairs-numbered")
    assert [(pair.candidate1, pair.candidate2) for pair in file.pairs] == [
        ("tea", "milk"),
        ("ale", "gin"),
    ]
    assert [(one.worker, one.choice) for one in file.pairs[0].choices] == [("p1", 1), ("p2", 1)]
    assert [(one.worker, one.choice) for one in file.pairs[1].choices] == [("p1", "tie"), ("p2", 2)]
    assert len({pair.instance.key for pair in file.pairs}) == 2


def test_a_row_may_have_more_columns_than_a_table(write: Write) -> None:
    numbers = range(90)
    names = [f"{part}{n}" for n in numbers for part in ("output_a", "output_b", "choice")]
    cells = [cell for n in numbers for cell in (f"x{n}", f"y{n}", "b")]
    content = f"worker,{','.join(names)}\nw,{','.join(cells)}\n"
    file = read_pairs([write(content)], "pairs-numbered")
    assert len(file.pairs) == 90 and {one.choices[0].choice for one in file.pairs} == {2}


def test_objects_in_objects_are_items_raters_and_criteria(write: Write) -> None:
    file = read_judgments([write(NESTED_RATINGS)], "nested-ratings")
    first, second = file.candidates
    assert (first.key, [one.name for one in first.criteria]) == ("a", ["warm", "dry"])
    assert [(r.worker, r.value) for r in first.criteria[0].ratings] == [("r1", 4), ("r2", 5)]
    assert "r1" not in str(file.report.ignored) and len(second.criteria[0].ratings) == 1


def test_the_nth_record_of_a_candidate_is_the_nth_raters(write: Write) -> None:
    (candidate,) = read_judgments([write(RAGCHECKER)], "ragchecker").candidates
    assert [(r.worker, r.value) for r in candidate.criteria[0].ratings] == [("1", -2), ("2", 0)]
    (pair,) = read_pairs([write(RAGCHECKER)], "ragchecker").pairs
    assert [(one.worker, one.choice) for one in pair.choices] == [("1", 1), ("2", "tie")]


def test_a_part_of_a_text_is_a_value(write: Write) -> None:
    (candidate,) = read_judgments([write(TTCW)], "ttcw").candidates
    assert (candidate.instance.key, candidate.system) == ("tea_time", "one")


def test_a_part_of_the_files_or_folders_name_is_the_system(
    tmp_path: Path, recipe: Callable[[str], FormatRecipe]
) -> None:
    (tmp_path / "gpt").mkdir()
    path = tmp_path / "gpt" / "out_test.csv"
    path.write_text("text\nTea.\n")
    for system, expected in [
        ('{ of = "@file", match = "{name}_*" }', "out"),
        ('"@folder"', "gpt"),
    ]:
        mine = recipe(f'[fields]\ncandidate = "text"\nsystem = {system}\n')
        (candidate,) = read_judgments([path], mine).candidates
        assert candidate.system == expected


def test_choices_that_are_none_are_left_out_and_counted(write: Write) -> None:
    file = read_pairs([write(MTURK_PAIRS)], "mturk")
    assert winners(file) == [("W1", "one", "two"), ("W2", "two", "one")]
    assert 'Values that are no choice: 1, "5".' in file.report.notes


SPANS = """
rows = "ratings"
[fields]
id = "id"
candidate = ["text"]
[spans]
from = "errors[*]"
start = ["start"]
end = ["end"]
text = ["span"]
worker = "who"
"""


def test_a_span_lacks_its_end_or_its_place(read_as: ReadAs, refused: Callable[..., str]) -> None:
    rows = [
        {"id": "a", "text": "Tea is cold.", "who": who, "errors": errors}
        for who, errors in [
            ("w1", [{"start": 7, "span": "cold"}]),
            ("w2", [{"span": "Tea"}, {"start": 4, "end": 6}]),
        ]
    ]
    (candidate,) = read_as(SPANS, json.dumps(rows), "f.json").candidates
    found = {m.worker: [(s.start, s.end, s.severity) for s in m.spans] for m in candidate.marks}
    assert found == {"w1": [(7, 11, None)], "w2": [(0, 3, None), (4, 6, None)]}
    rows[0]["errors"] = [{"span": "milk"}]
    assert 'the marked text "milk" is not in the candidate' in refused(
        SPANS, json.dumps(rows), "f.json"
    )


def test_texts_are_joined_by_their_ids(read_as: ReadAs, tmp_path: Path) -> None:
    texts = tmp_path / "texts.csv"
    texts.write_text("id,question,answer,system\na,Cold?,Tea is cold.,one\n")
    row = {"id": "a", "who": "w", "errors": [{"span": "cold"}]}
    options = ReadOptions(texts=str(texts))
    (candidate,) = read_as(SPANS, json.dumps([row]), "f.json", options=options).candidates
    assert (candidate.text, candidate.system) == ("Tea is cold.", "one")
    assert candidate.instance.question == "Cold?"
    assert candidate.marks[0].spans[0].start == 7
    with pytest.raises(FormatError, match='the file of texts has no "b"'):
        read_as(SPANS, json.dumps([row | {"id": "b"}]), "f.json", options=options)


def test_a_number_may_say_that_nothing_applies(read_as: ReadAs) -> None:
    toml = """
    [fields]
    candidate = "text"
    [ratings]
    columns = ["r1", "r2"]
    worker = "@column"
    [values]
    missing = ["", "0"]
    """
    file = read_as(toml, "text,r1,r2\nTea.,0,3\nMilk.,2,\n")
    assert [[one.value for one in c.ratings] for c in file.candidates] == [[3], [2]]
    assert file.report.missing == 2
