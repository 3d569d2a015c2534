"""Scores from error spans."""

from __future__ import annotations

import pytest

from concord.spans import Span, Weights, mqm_score


def test_errors_cost_by_severity_and_minor_punctuation_less() -> None:
    spans = [
        Span(0, 1, "minor", ("Linguistic conventions", "Punctuation")),
        Span(0, 1, "minor", ("Accuracy",)),
        Span(0, 1, "major", ("Punctuation",)),
        Span(None, None, "critical"),
    ]
    assert mqm_score(spans, Weights()) == pytest.approx(-(0.1 + 1 + 5 + 10))
    assert mqm_score(spans, Weights(critical=25)) == pytest.approx(-31.1)
    assert str(mqm_score([], Weights())) == "0.0"


def test_an_undecided_severity_is_not_guessed() -> None:
    assert mqm_score([Span(0, 1, "minor"), Span(2, 3, None)], Weights()) is None


def test_weights_are_part_of_the_signature() -> None:
    assert Weights().signature == "mqm|minor:1|major:5|critical:10|punctuation:0.1"
    assert Weights.parse("critical=25,minor=0.5") == Weights(minor=0.5, critical=25)
    assert Weights.parse("") == Weights()


@pytest.mark.parametrize("text", ["minor", "tiny=1", "minor=x", "minor=1,minor=2", "minor=-1"])
def test_bad_weights_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"minor|tiny"):
        Weights.parse(text)
