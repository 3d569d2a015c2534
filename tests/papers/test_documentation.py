"""The page of the papers' examples is up to date, and the checks of reasons work."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path

from tests.papers import table
from tests.papers.comparing import agrees
from tests.papers.data import PAPERS, Entry, Paper, read_paper
from tests.papers.reasons import faults

ROOT = Path(__file__).parents[2]


def test_the_page_is_what_the_examples_make_it() -> None:
    """If this fails, run `python -m tests.papers.table`."""
    assert table.PAGE.read_text(encoding="utf-8") == table.page()


def test_ids_and_places_are_there() -> None:
    for slug in PAPERS:
        paper = read_paper(slug)
        ids = [entry.id for entry in paper.entries]
        assert len({*ids}) == len(ids) and paper.here.keys() == {*ids}
        assert all(one["where"] and one["reason"] for one in paper.missing)


def test_no_quoted_text_is_long() -> None:
    for slug in PAPERS:
        for entry in read_paper(slug).entries:
            texts = (entry.passage, entry.question, *entry.references, entry.candidate)
            assert all(len(text) <= 240 for text in (*texts, *entry.candidates)), entry.id


def test_the_checkpoints_table_has_the_same_figures() -> None:
    """TRIALS.md and papers.md once had two values of one printed example, of two texts."""
    trials = (ROOT / "scorers/checkpoints/TRIALS.md").read_text(encoding="utf-8")
    here = read_paper("mocha").here
    pairs = [values for name, values in here.items() if name.startswith("table-3-")]
    for name, row in (("lerc-features", "lerc"), ("lerc-paper", "lerc(checkpoint=lerc-paper)")):
        right = sum(values[row][0] > values[row][1] for values in pairs)
        line = f"| {name} | {right} of {len(pairs)} | {here['figure-1'][row][0]:.2f} |"
        assert line in trials, line


def changed(entry: str, row: str, value: float) -> Paper:
    paper = copy.deepcopy(read_paper("mocha"))
    paper.here[entry][row] = [value]
    return paper


def test_a_difference_without_a_reason_is_named() -> None:
    (fault,) = faults(changed("figure-1", "bleu-1", 0.5))
    assert fault == ("figure-1, bleu-1: printed 0.07, here 0.500, and `reason_of` names no reason")


def test_a_reason_that_explains_nothing_any_more_is_named() -> None:
    (fault,) = faults(changed("table-8", "METEOR", 54.0))
    assert fault.startswith("table-8: its reason for METEOR is not needed")


def test_a_reason_that_no_entry_uses_is_named() -> None:
    paper = read_paper("soricut_brill")
    unused = replace(paper, reasons={**paper.reasons, "old": "No longer true."})
    assert faults(unused) == ["the reason 'old' explains nothing"]


def test_a_value_that_was_not_recorded_is_named() -> None:
    paper = copy.deepcopy(read_paper("mocha"))
    del paper.here["figure-1"]["bleu-1"]
    assert faults(paper) == ["figure-1: no value is recorded for bleu-1"]


def test_agreement_is_to_the_printed_digits() -> None:
    score = Entry("e", "Figure 1", "score", {})
    assert agrees(score, ["0.78"], [0.784]) and not agrees(score, ["0.778"], [0.784])
    assert agrees(score, ["0"], [0.4]) and agrees(score, ["0.15"], [0.145])
    assert agrees(score, ["correct"], [1.0]) and not agrees(score, ["incorrect"], [1.0])
    pair = Entry("e", "Table 3", "pair", {})
    assert agrees(pair, ["first"], [0.5, 0.4]) and agrees(pair, ["second"], [0.4, 0.5])
    assert not agrees(pair, ["first"], [0.5, 0.5])
