"""KPQA (Lee et al., 2021): Figure 1, Tables 3 to 7 and 9, and its equations."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from concord.meta.breakdowns import question_type
from concord.meta.correlation import pearson, spearman
from scorers import Corpus
from tests.papers.checks import assert_as_recorded, computed_here, each_entry
from tests.papers.computing import Computer, has_model
from tests.papers.data import Entry, read_paper
from tests.papers.kpqa_files import HALF
from tests.papers.reasons import faults

PAPER = read_paper("kpqa")


@each_entry(PAPER, computed_here)
def test_a_printed_example_has_the_recorded_value(computer: Computer, entry: Entry) -> None:
    assert_as_recorded(computer, PAPER, entry)


@each_entry(PAPER, lambda entry: entry.needs_files)
def test_a_figure_over_the_files_has_the_recorded_value(
    kpqa_data: None, computer: Computer, entry: Entry
) -> None:
    assert_as_recorded(computer, PAPER, entry, lambda row: not has_model(row))


@pytest.mark.slow
@pytest.mark.timeout(1200)
@each_entry(PAPER, lambda entry: entry.needs_files)
def test_a_networks_figure_over_the_files_has_the_recorded_value(
    kpqa_data: None, computer: Computer, entry: Entry
) -> None:
    assert_as_recorded(computer, PAPER, entry, has_model)


def test_every_difference_has_a_reason() -> None:
    assert faults(PAPER) == []


def test_the_193_pairs_of_avsd_are_answers_to_different_questions(
    kpqa_data: None, computer: Computer
) -> None:
    items, _ = computer.files.judged("avsd_all", 5)
    pairs = [(item.question, item.references[0]) for item in items]
    assert sorted(pairs[:HALF]) == sorted(pairs[HALF:])
    ranked = computer.files.rank_pairs(["bleu-1"], "avsd_all", 5, "row")
    mixed = [pairs[i] != pairs[j] for i, j in zip(ranked.better, ranked.worse, strict=True)]
    assert np.mean(mixed) > 0.99


@pytest.mark.parametrize(
    ("file", "references", "pairing", "printed", "wins_and_ties", "wins_from_2_2"),
    [
        ("marco_all", 1, "question", (59, 57), [(71, 6), (69, 7)], [58, 57]),
        ("avsd_all", 5, "row", (139, 137), [(164, 0), (162, 0)], [139, 138]),
    ],
)
def test_what_the_reason_for_table_7_says(  # noqa: PLR0913 - its fixtures
    kpqa_data: None,
    computer: Computer,
    file: str,
    references: int,
    pairing: Literal["question", "row"],
    printed: tuple[int, int],
    wins_and_ties: list[tuple[int, int]],
    wins_from_2_2: list[int],
) -> None:
    """Both metrics miss the same number of wins; a threshold of 2.2 comes within one pair."""
    metrics = ["bleu-1", "rouge-l"]
    scores = list(computer.files.scores(metrics, file, references, None).values())
    pairs = computer.files.rank_pairs(metrics, file, references, pairing)
    margins = [values[pairs.better] - values[pairs.worse] for values in scores]
    assert [(int((m > 0).sum()), int((m == 0).sum())) for m in margins] == wins_and_ties
    lacking = {wins - paper for (wins, _), paper in zip(wins_and_ties, printed, strict=True)}
    assert len(lacking) == 1
    far = computer.files.rank_pairs(metrics, file, references, pairing, threshold=2.2)
    wins = [int((values[far.better] > values[far.worse]).sum()) for values in scores]
    assert wins == wins_from_2_2
    assert all(abs(one - paper) <= 1 for one, paper in zip(wins, printed, strict=True))


@pytest.mark.parametrize(
    ("half", "alone", "of_board"),
    [(1, [0.261, 0.256], [0.265, 0.259]), (2, [0.292, 0.289], [0.296, 0.293])],
)
def test_ciders_figure_of_a_system_depends_on_the_document_frequencies(
    kpqa_data: None, computer: Computer, half: int, alone: list[float], of_board: list[float]
) -> None:
    """Table 9 has those of the system's 500 references, a board by system those of all 1,000
    (docs/how-to/real-judgments.md)."""
    files, rows = computer.files, slice(None, HALF) if half == 1 else slice(HALF, None)
    values = files.correlations(["cider"], "marco_all", 1, half)["cider"]
    assert np.round(values, 3).tolist() == alone
    scores = files.scores(["cider"], "marco_all", 1, None)["cider"][rows]
    people = files.judged("marco_all", 1)[1][rows]
    figures = [measure(scores, people).value for measure in (pearson, spearman)]
    assert np.round(figures, 3).tolist() == of_board


def test_the_percentages_of_table_7_are_whole_numbers_of_pairs() -> None:
    for name, pairs in (("table-7-marco", 93), ("table-7-avsd-by-row", 193)):
        for (text,) in PAPER.entry(name).printed.values():
            matches = round(float(text) * pairs / 100)
            assert f"{100 * matches / pairs:.2f}" == text


def test_the_amounts_of_table_5_weigh_most(computer: Computer) -> None:
    """The heat map of Table 5 prints no numbers; it marks "5-20 hours" in both texts."""
    (item,) = PAPER.entry("table-5").items
    answer, (reference,) = computer.session.word_importance(
        item, Corpus.from_references([item.references])
    )
    for text in (answer, reference):
        heaviest = np.argsort(-text.keyphrase)[:4]
        assert {text.words[place] for place in heaviest} == {"5", "to", "20", "hours"}


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_figure_4_with_derived_question_types(kpqa_data: None, computer: Computer) -> None:
    """Figure 4 prints no numbers. Weights help within every type of many answers, most for
    numeric; the types are derived, since MS MARCO's are not in the file."""
    items, people = computer.files.judged("marco_all", 1)
    scores = computer.files.scores(
        ["bleu-1", "rouge-l", "bleu-1-kpqa", "rouge-l-kpqa"], "marco_all", 1, None
    )
    types = np.array([question_type(item.question) for item in items])
    gains = {}
    for name in ("numeric", "description", "entity", "location"):  # person: 16 answers
        mask = types == name
        assert mask.sum() >= 40
        r = {m: pearson(values[mask], people[mask]).value for m, values in scores.items()}
        gains[name] = [r[f"{plain}-kpqa"] - r[plain] for plain in ("bleu-1", "rouge-l")]
    assert all(gain > 0 for row in gains.values() for gain in row), gains
    assert gains["numeric"] == [max(row) for row in zip(*gains.values(), strict=True)]
