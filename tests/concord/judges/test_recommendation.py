"""What a judge may be used for: the rule, its words, and the ratings that would settle it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from concord.judges import HumanLabels
from concord.judges.alternative_annotator import (
    AltTestOptions,
    apply_test,
    compare_with_raters,
    with_interval,
)
from concord.judges.recommendation import JudgeUse, recommend, use_for_items, use_for_systems
from concord.judges.system_order import SystemDifference, system_differences


def judged(rng, *, passages, noise, raters=4):
    """A judge beside raters with noise 1, on two items a passage: its use for single answers."""
    truth = np.repeat(rng.normal(0, 0.3, passages), 2) + rng.normal(0, 1, 2 * passages)
    grades = np.round(truth[:, None] + rng.normal(0, 1, (len(truth), raters)), 1)
    labels = {
        f"r{k}": {f"i{row}": grades[row, k] for row in range(len(truth))} for k in range(raters)
    }
    clusters = {f"i{row}": row // 2 for row in range(len(truth))}
    people = HumanLabels.from_mapping(labels, graded=True, clusters=clusters)
    comparison = compare_with_raters(people, truth + rng.normal(0, noise, len(truth)))
    test = apply_test(comparison, AltTestOptions(epsilon=0.1, by_cluster=True))
    test = with_interval(test, comparison, draws=200, rng=rng)
    return use_for_items(test, comparison, baseline=("constant 3", 0.45), epsilon=0.1)


def test_a_good_judge_may_stand_in_and_a_bad_one_not():
    rng = np.random.default_rng(1)
    assert judged(rng, passages=200, noise=0.2).answer == "yes"
    bad = judged(rng, passages=200, noise=3.0)
    assert bad.answer == "no" and "less than they agree with one another" in bad.reason


def test_the_needed_ratings_settle_an_open_question():
    """With as many passages as it says, most judges of the same quality pass."""
    rng = np.random.default_rng(2)
    uses = [judged(rng, passages=30, noise=0.8) for _ in range(40)]
    needed = [use.passages for use in uses if use.answer == "open" and use.passages is not None]
    assert len(needed) > 10 and min(needed) >= 30
    typical = int(np.median(needed))
    passed = np.mean([judged(rng, passages=typical, noise=0.8).answer == "yes" for _ in range(40)])
    before = np.mean([use.answer == "yes" for use in uses])
    assert passed >= 0.5 and passed > before


def test_a_judge_no_better_than_a_blind_one_may_not_stand_in():
    rng = np.random.default_rng(3)
    people = HumanLabels.from_mapping(
        {f"r{k}": {f"i{row}": float(row % 2) for row in range(60)} for k in range(3)}, graded=True
    )
    comparison = compare_with_raters(people, people.values[:, 0])
    test = apply_test(comparison, AltTestOptions(epsilon=0.1, by_cluster=True))
    test = with_interval(test, comparison, draws=50, rng=rng)
    use = use_for_items(test, comparison, baseline=("constant 1", 1.0), epsilon=0.1)
    assert (
        use.answer == "no"
        and "'constant 1', which does not look at the item, does as well" in use.reason
    )


def pair(
    people: float, judge: float, *, p=0.01, judge_p=0.01, needed=40, judge_needed=70
) -> SystemDifference:
    return SystemDifference("good", "poor", people, judge, p, judge_p, 50, needed, judge_needed)


@pytest.mark.parametrize(
    ("rows", "answer", "reason", "passages"),
    [
        ([pair(1, 1)] * 3, "yes", "all 3 pairs", None),
        ([pair(1, 1), pair(1, 1), pair(1, -1)], "no", "it clearly does not; 2 of 3 pairs", None),
        ([pair(1, 1), pair(1, 1), pair(1, -1, judge_p=0.4, judge_needed=300)], "open",
         "2 of the 3 pairs", 300),
        ([pair(1, 1), pair(1, -1, judge_p=0.4), pair(1, 0, judge_p=1, judge_needed=None)], "open",
         "1 of the 3 pairs", None),
        ([pair(1, 1), pair(1, 1), pair(0.1, 1, p=0.5, needed=900)], "open",
         "people separate 2 of 3 pairs", 900),
        ([pair(0.1, -1, p=0.9, needed=None)] * 3, "open", "people separate 0 of 3 pairs", None),
        ([pair(1, 1), pair(1, 1), pair(1, 1, judge_p=0.2, judge_needed=90)], "open",
         "clearly orders 2 of the 3 pairs", 90),
        ([pair(1, 1)], "open", "too few systems", None),
        ([pair(1, -1)], "no", "people prefer good to poor", None),
    ],
)  # fmt: skip
def test_the_rule_for_systems(rows, answer, reason, passages):
    use = use_for_systems(rows)
    assert (use.answer, use.passages) == (answer, passages)
    assert reason in use.reason
    assert passages is None or use.rated == 50


def test_a_judge_that_guesses_may_order_three_systems_in_few_sets():
    """It has people's order of three systems in one set of six."""
    rng, allowed, trials = np.random.default_rng(5), 0, 200
    clusters, systems = np.repeat(np.arange(100), 3), np.tile(np.arange(3), 100)
    for _ in range(trials):
        gold = 0.6 * systems + rng.normal(size=300)
        rows = system_differences(rng.normal(size=300), gold, systems, clusters, ("a", "b", "c"))
        allowed += use_for_systems(rows).answer == "yes"
    assert allowed / trials <= 0.05


def judged_systems(rng, passages, quality):
    """Three systems by people whose means differ, and by a judge with means `quality`."""
    clusters = np.tile(np.arange(passages), 3)
    systems = np.repeat([0, 1, 2], passages)
    hard = rng.normal(0, 1, passages)[clusters]
    gold = hard + np.array([0.6, 0.3, 0.0])[systems] + rng.normal(0, 1, 3 * passages)
    scores = hard + np.array(quality)[systems] + rng.normal(0, 1, 3 * passages)
    return use_for_systems(system_differences(scores, gold, systems, clusters, ("a", "b", "c")))


@pytest.mark.parametrize(("quality", "answer"), [((0.6, 0.3, 0.0), "yes"), ((0.6, 0.0, 0.4), "no")])
def test_the_needed_passages_settle_the_order_of_systems(quality, answer):
    """With as many passages as it says, most sets of the same kind give the right answer."""
    rng = np.random.default_rng(6)
    uses = [judged_systems(rng, 40, quality) for _ in range(60)]
    needed = [use.passages for use in uses if use.answer == "open" and use.passages is not None]
    assert len(needed) > 20
    typical = int(np.median(needed))
    settled = [judged_systems(rng, typical, quality).answer == answer for _ in range(60)]
    before = np.mean([use.answer == answer for use in uses])
    assert np.mean(settled) >= 0.5 and np.mean(settled) > before + 0.2


@pytest.mark.parametrize(
    ("items", "systems", "sentence"),
    [
        (JudgeUse("yes", "a"), JudgeUse("yes", "b"),
         "Here m may stand in for a rater on single answers (a); it may be used to order systems "
         "(b)."),
        (JudgeUse("no", "a"), JudgeUse("no", "b"),
         "m should not be used in the place of people here, neither for single answers (a) nor to "
         "order systems (b)."),
        (JudgeUse("open", "a", 1200, 60), JudgeUse("no", "b"),
         "Here it is open whether m may stand in for a rater on single answers (a; about 1,200 "
         "more rated passages would settle it); it should not be used to order systems (b)."),
        (JudgeUse("yes", "a"), JudgeUse("open", "b", 61, 60),
         "Here m may stand in for a rater on single answers (a); it is open whether it may be used "
         "to order systems (b; about 1 more rated passage would settle it)."),
        (None, JudgeUse("open", "b"),
         "Here it is open whether m may be used to order systems (b)."),
        (None, None, "Nothing can be said of m here."),
    ],
)  # fmt: skip
def test_the_sentence_says_both(items, systems, sentence):
    assert recommend("m", items, systems) == sentence


def test_the_sentence_counts_the_ratings_that_are_missing():
    use = JudgeUse("open", "a", 4061, 60)
    assert recommend("m", use, None, ratings=12.0) == (
        "Here it is open whether m may stand in for a rater on single answers (a; about 4,100 more "
        "rated passages, 49,000 ratings, would settle it)."
    )


@pytest.mark.parametrize("effect", [2.5, 1.5, 0.8])
def test_few_needed_passages_have_the_promised_power(effect):
    """A difference of `effect` standard deviations, tested with just as many passages."""
    two = np.repeat([0, 1], 40)
    clusters = np.tile(np.arange(40), 2)
    spread = np.resize([1.0, -1.0], 40) * np.sqrt(39 / 40)
    gold = np.concatenate([effect + spread, np.zeros(40)])
    needed = system_differences(gold, gold, two, clusters, ("a", "b"))[0].needed
    assert needed is not None and needed < 20
    draws = np.random.default_rng(3).normal(effect, 1, (4000, needed))
    p = scipy.stats.ttest_1samp(draws, 0, axis=1).pvalue
    assert np.mean(p < 0.05) >= 0.78


def test_differences_are_paired_by_passage_and_adjusted():
    rng = np.random.default_rng(4)
    passages = 80
    clusters = np.tile(np.arange(passages), 3)
    systems = np.repeat([0, 1, 2], passages)
    hard = rng.normal(0, 3, passages)[clusters]  # passages differ more than systems
    gold = hard + np.array([1.0, 0.0, -0.02])[systems] + rng.normal(0, 0.5, 3 * passages)
    rows = system_differences(gold, gold, systems, clusters, ("a", "b", "c"))
    assert {(row.first, row.second) for row in rows[:2]} == {("a", "c"), ("a", "b")}
    assert all(row.is_separated and row.verdict == "same order" for row in rows[:2])
    assert rows[0].people >= rows[1].people
    assert rows[2].verdict == "not separated" and rows[2].needed > passages
    turned = system_differences(-gold, gold, systems, clusters, ("a", "b", "c"))
    assert turned[0].verdict == "other order"
    noise = system_differences(rng.normal(size=240), gold, systems, clusters, ("a", "b", "c"))
    assert noise[0].verdict in ("same order", "other order, not significant")


def test_unknown_systems_and_single_passages_are_left_out():
    gold = np.array([1.0, 2, 3, 4])
    rows = system_differences(
        gold, gold, np.array([0, 1, -1, -1]), np.array([0, 0, 1, 1]), ("a", "b")
    )
    assert rows == []
