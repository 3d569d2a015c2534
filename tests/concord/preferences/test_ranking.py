"""Bradley and Terry's model: outside values, properties, coverage, and what has no answer."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from concord.formats.preferences import Preference
from concord.preferences import (
    Strengths,
    SystemPairCounts,
    fit,
    rank_systems,
    strong_components,
    win_probabilities,
)

CHOIX = json.loads(Path(__file__).with_name("choix.json").read_text(encoding="utf-8"))


def counts_of(systems, wins, losses, ties):
    """One data set from {(i, j): number} with i < j."""
    pairs = sorted({*wins, *losses, *ties})
    columns = [
        np.array([[float(table.get(pair, 0)) for pair in pairs]]) for table in (wins, losses, ties)
    ]
    ends = np.array(pairs)
    return SystemPairCounts(systems, ends[:, 0], ends[:, 1], *columns)


@pytest.mark.parametrize("case", CHOIX, ids=lambda case: str(case["systems"]))
def test_strengths_are_those_of_choix(case):
    wins, losses = {}, {}
    for winner, loser in case["choices"]:
        table = wins if winner < loser else losses
        pair = (min(winner, loser), max(winner, loser))
        table[pair] = table.get(pair, 0) + 1
    result = fit(counts_of(case["systems"], wins, losses, {}), ties=False)
    assert result.converged.all()
    np.testing.assert_allclose(result.log_strengths[0], case["strengths"], atol=1e-5)


def test_two_systems_have_the_observed_shares():
    result = fit(counts_of(2, {(0, 1): 50}, {(0, 1): 20}, {(0, 1): 30}), ties=True)
    first, second = np.exp(result.log_strengths[0])
    tie = np.exp(result.log_nu[0]) * np.sqrt(first * second)
    total = first + second + tie
    np.testing.assert_allclose([first / total, second / total, tie / total], [0.5, 0.2, 0.3])
    np.testing.assert_allclose(win_probabilities(result)[0], [0.65, 0.35])


def test_a_fit_with_ties_has_the_observed_totals():
    """At the maximum, expected wins and half ties of each system are the observed ones."""
    rng = np.random.default_rng(1)
    pairs = [(i, j) for i in range(5) for j in range(i + 1, 5)]
    wins, losses, ties = ({pair: int(rng.integers(3, 30)) for pair in pairs} for _ in range(3))
    counts = counts_of(5, wins, losses, ties)
    result = fit(counts, ties=True)
    strengths, nu = np.exp(result.log_strengths[0]), np.exp(result.log_nu[0])
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


def test_many_data_sets_are_fitted_as_each_alone():
    rng = np.random.default_rng(2)
    first, second = np.array([0, 0, 1]), np.array([1, 2, 2])
    tables = rng.integers(1, 20, size=(3, 7, 3)).astype(np.float64)
    together = fit(SystemPairCounts(3, first, second, *tables), ties=True)
    for row in range(7):
        alone = fit(SystemPairCounts(3, first, second, *tables[:, [row]]), ties=True)
        np.testing.assert_allclose(together.log_strengths[row], alone.log_strengths[0], atol=1e-9)


def test_extreme_strengths_do_not_overflow():
    counts = counts_of(3, {(0, 1): 10**6, (1, 2): 10**6}, {(0, 1): 1, (1, 2): 1}, {})
    result = fit(counts, ties=False)
    assert result.converged.all()
    assert result.log_strengths[0, 0] - result.log_strengths[0, 1] == pytest.approx(np.log(1e6))


def test_components_follow_wins_and_ties():
    assert np.ptp(strong_components(counts_of(3, {(0, 1): 1, (1, 2): 1}, {(0, 2): 1}, {}))) == 0
    assert np.ptp(strong_components(counts_of(3, {(0, 1): 1, (1, 2): 1}, {}, {}))) > 0
    assert np.ptp(strong_components(counts_of(3, {}, {}, {(0, 1): 1, (1, 2): 1}))) == 0


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
    model = Strengths(strengths[None], np.array([np.log(0.5)]), np.array([True]))
    truth = win_probabilities(model)[0]
    covered = []
    for _ in range(120):
        ranking = rank_systems(
            choices(rng, strengths=strengths, questions=150, nu=0.5), ties=True, draws=150, rng=rng
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
    truth = {
        row.system: row.win_probability
        for row in rank_systems(population, draws=2, rng=rng).systems
    }
    covered = []
    for _ in range(1000):
        rows = choices(rng, strengths=strengths, questions=100, per_question=4, side=spread)
        for row in rank_systems(rows, draws=300, rng=rng).systems:
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
        np.mean([row.ci[1] - row.ci[0] for row in rank_systems(each, draws=200, rng=rng).systems])
        for each in (rows, apart)
    ]
    assert widths[0] > 1.4 * widths[1]


def test_a_tie_is_half_a_win_of_each_unless_asked_otherwise():
    rows = [Preference(f"q{k}", f"q{k}", "a", "b", c, "w") for k, c in enumerate(
        ["first"] * 5 + ["second"] * 2 + ["tie"] * 3)]  # fmt: skip
    plain = rank_systems(rows, draws=50, rng=np.random.default_rng(1))
    assert plain.nu is None
    assert plain.systems[0].win_probability == pytest.approx(0.65)
    assert (plain.systems[0].wins, plain.systems[0].losses, plain.systems[0].ties) == (5, 2, 3)
    davidson = rank_systems(rows, ties=True, draws=50, rng=np.random.default_rng(1))
    assert davidson.nu > 0
    assert davidson.systems[0].win_probability == pytest.approx(0.65)


def test_hard_choices_are_ties_only_with_ties():
    rows = [
        Preference(f"q{k}", f"q{k}", "a", "b", "first" if k % 2 else "second", "w", None, k < 4)
        for k in range(12)
    ]
    assert rank_systems(rows, draws=20, rng=np.random.default_rng(1)).systems[0].ties == 0
    with_ties = rank_systems(rows, ties=True, draws=20, rng=np.random.default_rng(1))
    assert with_ties.systems[0].ties == 4


def test_a_system_that_always_wins_has_no_strength():
    rows = [
        *(Preference(f"q{k}", f"q{k}", "a", "b", "first", "w") for k in range(5)),
        Preference("r1", "r1", "b", "c", "first", "w"),
        Preference("r2", "r2", "c", "b", "first", "w"),
    ]
    ranking = rank_systems(rows, draws=20, rng=np.random.default_rng(1))
    assert all(row.win_probability is None and row.ci is None for row in ranking.systems)
    assert ranking.reason.startswith("a always win")


def test_resamples_without_an_answer_are_counted():
    rows = [
        Preference(f"q{k}", f"q{k}", "a", "b", "first" if k else "second", "w") for k in range(4)
    ]
    ranking = rank_systems(rows, draws=200, rng=np.random.default_rng(1))
    assert 0 < ranking.disconnected < 200
    assert ranking.systems[0].win_probability == pytest.approx(0.75)


def test_a_side_that_wins_more_often_is_seen():
    rng = np.random.default_rng(5)
    rows = choices(rng, strengths=np.zeros(2), questions=100)
    rows = [
        Preference(r.question, r.pair, r.first, r.second, "first" if k % 4 else "second", "w", 1)
        for k, r in enumerate(rows)
    ]
    share, p = rank_systems(rows, draws=20, rng=rng).first_wins
    assert share == 0.75
    assert p < 0.001


def test_workers_who_agree_have_a_high_alpha():
    rows = [
        Preference(f"q{k}", f"q{k}", "a", "b", "first" if k % 3 else "second", worker)
        for k in range(20)
        for worker in ("v", "w")
    ]
    assert rank_systems(rows, draws=20, rng=np.random.default_rng(1)).alpha.value == 1.0
