"""What a set shows, in sentences."""

from __future__ import annotations

import pytest

from concord import findings
from concord.sampling.plans import RulePlan
from concord.sampling.stopping import StoppingRule


def alpha(value, ci, **more):
    row = {"group": "", "level": "ordinal", "units": 9, "ratings": 20, "alpha": value, "ci": ci}
    return row | more


@pytest.mark.parametrize(
    ("value", "ci", "meaning"),
    [
        (0.9, [0.85, 0.95], "A single rating is reliable"),
        (0.7, [0.68, 0.75], "allows tentative conclusions"),
        (0.4, [0.3, 0.5], "A single rating is not reliable"),
        (0.7, [0.6, 0.8], "tentative conclusions is open"),
        (0.78, [0.7, 0.85], "firm conclusions is open"),
        (0.9, None, "A single rating is reliable"),
    ],
)
def test_alpha_is_read_by_its_whole_interval(value, ci, meaning):
    (row,) = findings.agreement_findings([alpha(value, ci)])
    assert meaning in row["text"] and not row["missing"]
    assert f"{value:.2f}" in row["text"]


def test_an_undefined_alpha_says_why():
    (row,) = findings.agreement_findings([alpha(None, None, group="crowd", reason="one value.")])
    assert row["missing"]
    assert row["text"] == "How far the raters of the group “crowd” agree is undefined: one value."


def test_the_criterion_is_named():
    (row,) = findings.agreement_findings([alpha(0.17, None)], criterion="clarity")
    assert row["text"].startswith(
        "The raters agree on “clarity” with a Krippendorff's alpha of 0.17"
    )


def metric(name, value, top, ci=None):
    return {
        "metric": name, "multi_ref": "max", "signature": "", "value": value, "top": top,
        "ci": ci,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "parts"),
    [
        ([], ["No metric has a defined correlation"]),
        ([metric("a", 0.5, True)], ["a is the only metric"]),
        (
            [metric("b", 0.3, False), metric("a", 0.5, True, [0.4, 0.6]), metric("c", None, None)],
            [
                "a agrees best with people (highest Pearson r: 0.500, 95% interval 0.400 to 0.600)",
                "its difference from each other metric is significant",
            ],
        ),
        (
            [metric("a", 0.5, True), metric("b", 0.4, True), metric("c", 0.1, False)],
            ["a is first of 3 metrics", "is not shown to differ from b,", "tends to be too high"],
        ),
        ([metric("a", 0.1, True, [0.0, 0.15])], ["No metric predicts the ratings well"]),
    ],
)
def test_the_best_metrics_are_those_that_do_not_differ_from_the_first(rows, parts):
    text = findings.metrics_finding(rows, alpha=0.05)["text"]
    assert all(part in text for part in parts), text


def plan(plain, other, kind="width"):
    def rule(name, middle, reached=1.0):
        counts = (middle, middle - 1, middle + 1)
        return RulePlan(name, units=counts, candidates=counts, reached=reached)

    rules = [rule("plain mean", *plain), rule("stratified", *other)]
    return findings.plan_finding(rules, StoppingRule(kind, 0.4, 9), "m")["text"]


def test_a_plan_names_the_cheapest_rule_where_it_saves_ratings():
    text = plan((90,), (40,))
    assert "at most 0.40 wide" in text
    assert "90 rated answers (89 to 91) by the plain mean" in text
    assert "40 rated answers (39 to 41) with m (stratified)" in text
    assert "(stratified)" not in plan((40,), (90,))


def test_a_plan_that_most_studies_miss_has_no_number():
    text = plan((90, 0.1), (95,), "ranking")
    assert text.startswith("Until all pairs of systems differ")
    assert "more than 91 rated answers by the plain mean" in text
