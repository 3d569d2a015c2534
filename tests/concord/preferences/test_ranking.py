"""Bradley and Terry's model: outside values, properties, coverage, and what has no answer."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from concord.formats.preferences import Preference
from concord.preferences import (
    PairCounts,
    Strengths,
    choices_agreement,
    fit,
    rank_systems,
    side_bias,
    side_sentence,
    win_probabilities,
)
from concord.preferences.bradley_terry import choice_influence, win_slopes

CHOIX = json.loads(Path(__file__).with_name("choix.json").read_text(encoding="utf-8"))


def counts_of(systems, wins, losses, ties):
    """Counts from {(i, j): number} with i < j."""
    counts = PairCounts(*np.zeros((2, systems, systems)))
    for (i, j), number in wins.items():
        counts.wins[i, j] = number
    for (i, j), number in losses.items():
        counts.wins[j, i] = number
    for (i, j), number in ties.items():
        counts.ties[i, j] = counts.ties[j, i] = number
    return counts


@pytest.mark.parametrize("case", CHOIX, ids=lambda case: str(case["systems"]))
def test_strengths_are_those_of_choix(case):
    wins, losses = {}, {}
    for winner, loser in case["choices"]:
        table = wins if winner < loser else losses
        pair = (min(winner, loser), max(winner, loser))
        table[pair] = table.get(pair, 0) + 1
    result = fit(counts_of(case["systems"], wins, losses, {}), ties=False)
    np.testing.assert_allclose(result.log_strengths, case["strengths"], atol=1e-5)


def test_two_systems_have_the_observed_shares():
    result = fit(counts_of(2, {(0, 1): 50}, {(0, 1): 20}, {(0, 1): 30}), ties=True)
    first, second = np.exp(result.log_strengths)
    tie = np.exp(result.log_nu) * np.sqrt(first * second)
    total = first + second + tie
    np.testing.assert_allclose([first / total, second / total, tie / total], [0.5, 0.2, 0.3])
    np.testing.assert_allclose(win_probabilities(result), [0.65, 0.35])


def test_a_fit_with_ties_has_the_observed_totals():
    """At the maximum, expected wins and half ties of each system are the observed ones."""
    rng = np.random.default_rng(1)
    pairs = [(i, j) for i in range(5) for j in range(i + 1, 5)]
    wins, losses, ties = ({pair: int(rng.integers(3, 30)) for pair in pairs} for _ in range(3))
    counts = counts_of(5, wins, losses, ties)
    result = fit(counts, ties=True)
    strengths, nu = np.exp(result.log_strengths), np.exp(result.log_nu)
    observed, expected, expected_ties = np.zeros(5), np.zeros(5), 0.0
    for i, j in pairs:
        n = wins[i, j] + losses[i, j] + ties[i, j]
        tie = nu * np.sqrt(strengths[i] * strengths[j])
        total = strengths[i] + strengths[j] + tie
        observed[[i, j]] += wins[i, j] + ties[i, j] / 2, losses[i, j] + ties[i, j] / 2
        expected[i] += n * (strengths[i] + tie / 2) / total
        expected[j] += n * (strengths[j] + tie / 2) / total
        expected_ties += n * tie / total
    np.testing.assert_allclose(observed, expected, rtol=1e-8)
    assert expected_ties == pytest.approx(sum(ties.values()), rel=1e-8)


def test_extreme_strengths_do_not_overflow():
    counts = counts_of(3, {(0, 1): 10**6, (1, 2): 10**6}, {(0, 1): 1, (1, 2): 1}, {})
    result = fit(counts, ties=False)
    assert result.log_strengths[0] - result.log_strengths[1] == pytest.approx(np.log(1e6))


def test_components_follow_wins_and_ties():
    assert np.ptp(counts_of(3, {(0, 1): 1, (1, 2): 1}, {(0, 2): 1}, {}).components()) == 0
    assert np.ptp(counts_of(3, {(0, 1): 1, (1, 2): 1}, {}, {}).components()) > 0
    assert np.ptp(counts_of(3, {}, {}, {(0, 1): 1, (1, 2): 1}).components()) == 0


def choices(rng, *, strengths, questions, per_question=1, nu=0.0, side=0.0):
    """Choices by the model; all choices of a question share a random preference `side`."""
    rows = []
    for question in range(questions):
        shared = side * rng.normal(0, 1, len(strengths))
        for number in range(per_question):
            i, j = rng.choice(len(strengths), 2, replace=False)
            a, b = np.exp(strengths[[i, j]] + shared[[i, j]])
            tie = nu * np.sqrt(a * b)
            draw = rng.random() * (a + b + tie)
            choice = "first" if draw < a else "second" if draw < a + b else "tie"
            rows.append(
                Preference(
                    f"q{question}", f"q{question}-{number}", f"s{i}", f"s{j}", choice, "w", 1
                )
            )
    return rows


def test_intervals_cover_the_truth():
    rng = np.random.default_rng(3)
    strengths = np.array([-0.5, 0.0, 0.5])
    model = Strengths(strengths, np.log(0.5))
    truth = win_probabilities(model)
    covered = []
    for _ in range(120):
        ranking = rank_systems(
            choices(rng, strengths=strengths, questions=150, nu=0.5), ties=True, rng=rng
        )
        for row in ranking.systems:
            covered.append(row.ci[0] <= truth[int(row.system[1])] <= row.ci[1])
    assert 0.90 <= np.mean(covered) <= 0.99


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_clustered_intervals_cover_in_1000_simulations():
    """Four dependent choices of a question: systems differ in how good they are on it."""
    strengths, spread = np.array([-0.5, 0.0, 0.5]), 0.8
    rng = np.random.default_rng(9)
    population = choices(rng, strengths=strengths, questions=100_000, side=spread)
    truth = {row.system: row.win_probability for row in rank_systems(population, rng=rng).systems}
    covered = []
    for _ in range(1000):
        rows = choices(rng, strengths=strengths, questions=100, per_question=4, side=spread)
        for row in rank_systems(rows, rng=rng).systems:
            covered.append(row.ci[0] <= truth[row.system] <= row.ci[1])
    assert 0.93 <= np.mean(covered) <= 0.97


def test_dependent_choices_of_a_question_widen_the_intervals():
    rng = np.random.default_rng(4)
    rows = choices(rng, strengths=np.zeros(3), questions=60, per_question=10, side=2.0)
    apart = [
        Preference(row.pair, row.pair, row.first, row.second, row.choice, row.worker)
        for row in rows
    ]
    widths = [
        np.mean([row.ci[1] - row.ci[0] for row in rank_systems(each, rng=rng).systems])
        for each in (rows, apart)
    ]
    assert widths[0] > 1.4 * widths[1]


def test_a_tie_is_half_a_win_of_each_unless_asked_otherwise():
    rows = [Preference(f"q{k}", f"q{k}", "a", "b", c, "w") for k, c in enumerate(
        ["first"] * 5 + ["second"] * 2 + ["tie"] * 3)]  # fmt: skip
    plain = rank_systems(rows, rng=np.random.default_rng(1))
    assert plain.nu is None
    assert plain.systems[0].win_probability == pytest.approx(0.65)
    assert (plain.systems[0].wins, plain.systems[0].losses, plain.systems[0].ties) == (5, 2, 3)
    davidson = rank_systems(rows, ties=True, rng=np.random.default_rng(1))
    assert davidson.nu > 0
    assert davidson.systems[0].win_probability == pytest.approx(0.65)


def test_hard_choices_are_ties_only_with_ties():
    rows = [
        Preference(f"q{k}", f"q{k}", "a", "b", "first" if k % 2 else "second", "w", None, k < 4)
        for k in range(12)
    ]
    assert rank_systems(rows, rng=np.random.default_rng(1)).systems[0].ties == 0
    with_ties = rank_systems(rows, ties=True, rng=np.random.default_rng(1))
    assert with_ties.systems[0].ties == 4


def test_a_system_that_always_wins_has_no_strength():
    rows = [
        *(Preference(f"q{k}", f"q{k}", "a", "b", "first", "w") for k in range(5)),
        Preference("r1", "r1", "b", "c", "first", "w"),
        Preference("r2", "r2", "c", "b", "first", "w"),
    ]
    ranking = rank_systems(rows, rng=np.random.default_rng(1))
    assert all(row.win_probability is None and row.ci is None for row in ranking.systems)
    assert ranking.reason.startswith("a always win")


def test_a_side_that_wins_more_often_is_seen():
    rng = np.random.default_rng(5)
    rows = choices(rng, strengths=np.zeros(2), questions=100)
    rows = [
        Preference(r.question, r.pair, r.first, r.second, "first" if k % 4 else "second", "w", 1)
        for k, r in enumerate(rows)
    ]
    side = rank_systems(rows, rng=rng).first_wins
    assert side.value == 0.75
    assert side.p < 0.001


def test_workers_who_agree_have_a_high_alpha():
    rows = [
        Preference(f"q{k}", f"q{k}", "a", "b", "first" if k % 3 else "second", worker)
        for k in range(20)
        for worker in ("v", "w")
    ]
    assert rank_systems(rows, rng=np.random.default_rng(1)).alpha.value == 1.0


def test_a_choices_contribution_is_the_change_when_it_is_added():
    wins, losses, ties = {(0, 1): 30, (0, 2): 20}, {(0, 1): 12, (1, 2): 25}, {(1, 2): 9}
    for has_ties in (False, True):
        counts = counts_of(3, wins, losses, ties)
        fitted = fit(counts, ties=has_ties)
        first, second, won = np.array([0, 1, 1]), np.array([1, 2, 2]), np.array([1, -1, 0])
        influence = choice_influence(counts, fitted, first, second, won)
        for row in range(3):
            more = PairCounts(counts.wins.copy(), counts.ties.copy())
            i, j = first[row], second[row]
            if won[row]:
                more.wins[(i, j) if won[row] > 0 else (j, i)] += 0.001
            else:
                more.ties[[i, j], [j, i]] += 0.001
            changed = fit(more, ties=has_ties)
            change = win_probabilities(changed) - win_probabilities(fitted)
            expected = win_slopes(fitted) @ influence[row]
            np.testing.assert_allclose(change / 0.001, expected, rtol=2e-3, atol=1e-6)


def test_choices_in_one_order_of_each_question_show_no_side():
    """Sixty questions whose ten raters agree: 36 of them for the answer that is shown first."""
    rows = [
        Preference(f"q{q}", f"q{q}", "a", "b", "first", f"w{w}", 1 if q < 36 else 2)
        for q in range(60)
        for w in range(10)
    ]
    side = side_bias(rows)
    assert side.value == 0.6 and side.p == pytest.approx(0.13, abs=0.01)
    assert side.ci == pytest.approx((0.47, 0.718), abs=0.002)
    assert side.over == "questions and raters"
    sentence = side_sentence(side, of_sets=False)
    assert "no effect of the side is shown; one of 19 points would have been seen" in sentence


def test_raters_with_own_sides_are_no_common_side():
    rng = np.random.default_rng(8)
    rejected = 0
    for _ in range(60):
        leaning = rng.random(10)
        rows = [
            Preference(f"q{q}", f"q{q}", "a", "b",
                       "first" if rng.random() < leaning[w] else "second", f"w{w}", 1)
            for q in range(30) for w in range(10)
        ]  # fmt: skip
        rejected += side_bias(rows).p < 0.05
    assert rejected <= 8, "as independent choices 40 of 60"


def test_an_answer_that_always_wins_when_first_has_the_sign_tests_p():
    rows = [Preference(f"q{q}", f"q{q}", "a", "b", "first", "w", 1) for q in range(12)]
    assert side_bias(rows).p == pytest.approx(2 / 2**12)


def raters_choices(rng, *, questions, raters, spread):
    """Two choices a question, between three equal systems, by raters with own preferences."""
    own = spread * rng.normal(size=(raters, 3))
    rows = []
    for q in range(questions):
        for w in rng.choice(raters, 2, replace=False):
            i, j = rng.choice(3, 2, replace=False)
            odds = np.exp(own[w, i] - own[w, j])
            choice = "first" if rng.random() < odds / (1 + odds) else "second"
            rows.append(Preference(f"q{q}", f"q{q}-{w}", f"s{i}", f"s{j}", choice, f"w{w}"))
    return rows


def test_systems_that_only_these_raters_prefer_have_one_rank():
    rng = np.random.default_rng(11)
    covered, separated = [], 0
    for _ in range(60):
        ranking = rank_systems(raters_choices(rng, questions=200, raters=5, spread=1.0))
        covered += [row.ci[0] <= 0.5 <= row.ci[1] for row in ranking.systems]
        separated += any(row.rank > 1 for row in ranking.systems)
    assert np.mean(covered) >= 0.88
    assert separated <= 9
    assert ranking.over == "questions and raters"
    assert ranking.notes[0] == "Intervals are for other raters of this kind."


def test_two_raters_say_nothing_of_others():
    rng = np.random.default_rng(12)
    ranking = rank_systems(raters_choices(rng, questions=40, raters=2, spread=0.0))
    assert ranking.over == "questions"
    assert ranking.notes[0] == "Intervals are for these raters."


def test_a_note_names_the_pairs_that_are_not_shown_to_differ():
    """Two systems that a third is far below."""
    outcomes = ["first"] * 26 + ["second"] * 24
    rows = [Preference(f"q{k}", f"q{k}", "a", "b", one, "w") for k, one in enumerate(outcomes)]
    for system in "ab":
        rows += [
            Preference(f"{system}{k}", "", system, "c", "first" if k % 10 else "second", "w")
            for k in range(50)
        ]
    ranking = rank_systems(rows)
    assert {row.system: row.rank for row in ranking.systems} == {"a": 1, "b": 1, "c": 3}
    assert ranking.notes[1].startswith("Not shown to differ: a and b (seen from 7")
    assert ranking.notes[2] == "The highest of several figures is too high on average."


def test_agreement_does_not_depend_on_which_answer_is_first():
    rng = np.random.default_rng(7)
    rows = [
        replace(row, worker=f"w{k % 3}", candidates=(row.first, row.second))
        for k, row in enumerate(
            choices(rng, strengths=np.array([1.5, 0.0]), questions=60, per_question=3)
        )
    ]
    other = {"first": "second", "second": "first", "tie": "tie"}
    turned = [
        row if row.first == "s0"
        else replace(row, first="s0", second="s1", candidates=("s0", "s1"),
                     choice=other[row.choice])
        for row in rows
    ]  # fmt: skip
    alpha, again = choices_agreement(rows), choices_agreement(turned)
    assert alpha.n == again.n == 180
    assert alpha.value == pytest.approx(again.value, abs=1e-12)


def test_raters_who_always_choose_the_same_answer_agree_whatever_its_side():
    rows = [
        Preference(f"q{k}", f"q{k}", "a", "b", "first", who, candidates=(f"a{k}", f"b{k}"))
        for k in range(4)
        for who in ("v", "w")
    ]
    assert choices_agreement(rows).value == 1.0


def test_neither_names_nor_the_order_of_two_answers_change_a_ranking():
    rng = np.random.default_rng(13)
    rows = raters_choices(rng, questions=60, raters=5, spread=0.7)
    swapped = {"first": "second", "second": "first"}
    turned = [
        Preference(row.question, row.pair, row.second, row.first, swapped[row.choice], row.worker)
        for row in reversed(rows)
    ]
    renamed = [replace(row, question=f"z{row.question}", worker=row.worker[::-1]) for row in rows]
    expected = rank_systems(rows)
    for other in (rank_systems(turned), rank_systems(renamed)):
        for one, same in zip(expected.systems, other.systems, strict=True):
            assert (one.system, one.rank) == (same.system, same.rank)
            assert one.ci == pytest.approx(same.ci, abs=1e-9)


def test_questions_with_the_same_choices_have_no_interval():
    """Their sums vary by rounding alone."""
    rows = [
        Preference(f"q{q}", f"q{q}{k}", first, second, choice, f"w{k % 2}")
        for q in range(12)
        for k, (first, second, choice) in enumerate(
            [("a", "b", "first"), ("a", "b", "second"), ("b", "c", "first"), ("c", "a", "tie")]
        )
    ]
    ranking = rank_systems(rows)
    assert ranking.no_interval == "all questions have the same choices"
    assert {row.rank for row in ranking.systems} == {None} and ranking.differences == []
