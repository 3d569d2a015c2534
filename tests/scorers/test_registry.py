"""Parsing of metric names, and errors for invalid ones."""

import pytest

from scorers import MetricError, names, parse_metrics


def test_commas_inside_parentheses_do_not_split() -> None:
    text = " bleu-1 , rouge-l( tokens = mocha ),google-rouge-1(stem=true)"
    names = [metric.name for metric in parse_metrics(text)]
    assert names == ["bleu-1", "rouge-l(tokens=mocha)", "google-rouge-1(stem=true)"]


def test_a_default_is_left_out_of_the_canonical_name() -> None:
    names_found = [m.name for m in parse_metrics("bleu-1(tokens=ptb),google-rouge-2(stem=false)")]
    assert names_found == ["bleu-1", "google-rouge-2"]
    assert parse_metrics("bleu-1()")[0].name == "bleu-1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the list of metrics is empty"),
        ("bleu-1,", "the list of metrics is empty"),
        ("blue-1", "there is no metric 'blue-1'; did you mean bleu-1"),
        ("zzzz", "there is no metric 'zzzz'; the metrics are exact-match, "),
        ("bleu-1,bleu-1(tokens=ptb)", "bleu-1 is named twice"),
        ("bleu-1(tokens=mocca)", "bleu-1: option tokens must be one of ptb, mocha, not 'mocca'"),
        ("bleu-1(token=mocha)", "bleu-1 has no option 'token'; its options: tokens"),
        ("ter(x=1)", "ter has no option 'x'; its options: none"),
        ("bleu-1(tokens)", "bleu-1: option tokens has no value"),
        ("bleu-1(tokens=ptb,tokens=mocha)", "bleu-1: option tokens occurs twice"),
        ("google-rouge-1(stem=yes)", "option stem must be true or false, not 'yes'"),
        ("bleu-1(tokens=ptb", r"the parentheses in .* do not match"),
        ("bleu-1)", r"the parentheses in .* do not match"),
        ("bleu-1(tokens=(ptb))", "must have the form name or name"),
        ("bleu-1(tokens=ptb)x", "must have the form name or name"),
    ],
)
def test_errors_state_the_reason(text: str, message: str) -> None:
    with pytest.raises(MetricError, match=message):
        parse_metrics(text)


def test_an_unknown_treatment_of_references_is_refused() -> None:
    with pytest.raises(MetricError, match="must be max or joint, not 'mean'"):
        parse_metrics("bleu-1", multi_ref="mean")


def test_a_metric_stores_the_treatment_of_references() -> None:
    assert parse_metrics("bleu-1")[0].multi_ref == "max"
    assert parse_metrics("bleu-1", multi_ref="joint")[0].multi_ref == "joint"


def test_the_names_are_those_of_the_documentation() -> None:
    stated = (
        "exact-match token-f1 bleu-1 bleu-2 bleu-3 bleu-4 rouge-l meteor cider google-rouge-1 "
        "google-rouge-2 google-rouge-l sacrebleu chrf chrf++ ter bertscore-p bertscore-r bertscore "
        "sentence-similarity bleu-1-kpqa rouge-l-kpqa bertscore-kpqa bleu-1-kp rouge-l-kp "
        "bertscore-kp lerc sts ava aev"
    )
    assert names() == stated.split()
