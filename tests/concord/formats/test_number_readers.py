"""Every reader of numbers that people or models wrote reads them by the same rule."""

import csv
import json

import pytest

from concord.arguments import amount, number, share
from concord.cli.arguments import filter_step
from concord.cli.judge import whole_scale
from concord.formats import FormatError, ReadOptions, read_judgments
from concord.formats.labels import read_labels
from concord.formats.numbers import read_number
from concord.formats.scores import read_scores
from concord.formats.spans import read_spans
from concord.sampling.stopping import stopping_rule
from concord.spans import Weights
from scorers.registry import parse_metrics
from tests.concord.formats.format_examples import POTATO, POTATO_TEXTS

NUMBERS = ["2", "2.0", "3.5", "3,5", "\N{FULLWIDTH DIGIT FOUR}", "2e0", "+2", "0.25"]
NEGATIVE = ["-2", "\N{MINUS SIGN}2", "\N{EN DASH}1,5"]
FAULTS = ["1,000", "nan", "inf", "1e999", "1_0", "two", "4/5", "- 2", "85%"]


def write_csv(path, *rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


def table(path, text):
    rows = ("id", "reference", "answer", "score"), ("a", "r", "c", text)
    (candidate,) = read_judgments([write_csv(path / "t.csv", *rows)], "table").candidates
    return candidate.score


def scores(path, text):
    return read_scores(write_csv(path / "s.csv", ("id", "m"), ("a", text))).loc["a", "m"]


def kpqa(path, text):
    rows = ("question", "answer", "reference1", "scores"), ("q", "a", "r", text)
    (candidate,) = read_judgments([write_csv(path / "k.csv", *rows)], "kpqa").candidates
    return candidate.score


def esa(path, text):
    row = ("ann", "sys", "7", "TGT", "eng", "deu", text, "doc", "u", "[]", "1", "2")
    (marks,) = read_spans(write_csv(path / "e.csv", row), "esa").marks
    return marks.score


def grades(path, text):
    file = path / "labels.json"
    file.write_text(json.dumps({"ann": {"i": text}}))
    return read_labels(file, graded=True)["ann"]["i"]


READERS = [table, scores, kpqa, esa, grades]
SCALES = {kpqa: (1, 5), esa: (0, 100)}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("text", [*NUMBERS, *NEGATIVE])
def test_a_number_is_read_as_written(reader, text, tmp_path):
    expected = read_number(text)
    low, high = SCALES.get(reader, (-10, 10))
    if reader is kpqa and expected == 0.25:
        high = 0  # a file whose scores are all below 1 is in fifths
        assert reader(tmp_path, text) == expected
    elif low <= expected <= high:
        assert reader(tmp_path, text) == expected
    else:
        with pytest.raises(FormatError, match="outside the scale"):
            reader(tmp_path, text)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("text", FAULTS)
def test_anything_else_is_refused_with_the_reason(reader, text, tmp_path):
    if text == "nan" and reader in (table, grades, scores, kpqa):
        return  # no value, as NA
    with pytest.raises(FormatError) as caught:
        reader(tmp_path, text)
    assert read_number(text) in str(caught.value)


def test_numbers_of_potato_are_read_and_other_values_are_named(tmp_path):
    labels = [[{"schema": f"c{k}", "name": "x"}, text] for k, text in enumerate(["3,5", "1,000"])]
    file = tmp_path / "user_state.json"
    file.write_text(json.dumps(POTATO | {"instance_id_to_label_to_value": {"a": labels}}))
    result = read_judgments([file], "potato", ReadOptions(texts=str(POTATO_TEXTS)))
    (candidate,) = (one for one in result.candidates if one.criteria or one.ratings)
    assert [rating.value for rating in candidate.ratings or candidate.criteria[0].ratings] == [3.5]
    assert 'Values that are no numbers: 1, in "a".' in result.report.notes


OPTIONS = {
    "number": number,
    "filter": lambda text: filter_step(f"zscore:{text}").threshold,
    "target": lambda text: stopping_rule(f"width:{text}", 10).value,
}


@pytest.mark.parametrize("option", OPTIONS.values(), ids=OPTIONS)
def test_options_of_commands_read_numbers_by_the_same_rule(option):
    assert option("2,5") == option("2.5") == 2.5
    for text in FAULTS:
        with pytest.raises(Exception, match=r"expected|could be|not a target|no filter"):
            option(text)


def test_a_negative_share_is_refused():
    assert share("0,25") == amount("0.25") == 0.25
    for text in ("\N{MINUS SIGN}0.5", "-1"):
        with pytest.raises(Exception, match=f"not '{text}'"):
            share(text)


@pytest.mark.parametrize("text", ["-2..2", "-2-2", "\N{MINUS SIGN}2..2", " -2 .. 2 "])
def test_a_scale_can_begin_below_zero(text):
    assert whole_scale(text) == (-2, 2)


@pytest.mark.parametrize("text", ["1", "5-1", "1-5-7", "a..b", "0,5..2", "1,000-2", ""])
def test_another_scale_is_refused(text):
    with pytest.raises(Exception, match="must be two whole numbers"):
        whole_scale(text)


def test_weights_and_options_of_metrics_refuse_nan():
    assert Weights.parse("minor=0.5").minor == 0.5
    with pytest.raises(ValueError, match="finite number"):
        Weights.parse("minor=nan")
    (metric,) = parse_metrics("aev(wordiness=inf)", "max")
    assert "inf" in metric.name
    with pytest.raises(ValueError, match="alpha"):
        parse_metrics("aev(alpha=nan)", "max")
