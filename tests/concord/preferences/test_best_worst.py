"""Best-worst choices: outside values of the model, scores, reliability, coverage, and files."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.cli import main
from concord.formats.best_worst import implied_choices, order_of
from concord.formats.preferences import Preference, preferences_of, read_preferences
from concord.formats.registry import read_pairs
from concord.preferences import (
    BestWorstCounts,
    best_worst_choices,
    candidate_scores,
    fit_sets,
    rank_systems,
    split_half,
    system_scores,
)
from concord.preferences.plackett_luce import set_influence

CHOIX = json.loads(Path(__file__).with_name("choix_sets.json").read_text(encoding="utf-8"))
NAMES = "abcdef"


def judgment(question, systems, best, worst, worker="w", shown=None):
    """The preferences that a choice implies; best, worst: numbers from 1."""
    shown = shown or range(1, len(systems) + 1)
    keys = [f"{question}-{at}" for at in range(len(systems))]
    return [
        Preference(
            question,
            f"{question}/{first}/{second}",
            systems[first - 1],
            systems[second - 1],
            "first" if choice == 1 else "second",
            worker,
            1 if list(shown).index(first) < list(shown).index(second) else 2,
            set_key=question,
            candidates=(keys[first - 1], keys[second - 1]),
        )
        for first, second, choice in implied_choices(len(systems), best, worst)
    ]


def simulated(truth, questions, workers, rng, spread=0.0):
    """Choices by the model of systems whose log strengths differ between questions by `spread`."""
    rows = []
    for question in range(questions):
        strengths = truth + rng.normal(0, spread, len(truth))
        for worker in range(workers):
            heard = strengths + rng.gumbel(size=len(truth))
            ends = int(heard.argmax()) + 1, int(heard.argmin()) + 1
            rows += judgment(f"q{question}", NAMES[: len(truth)], *ends, f"w{worker}")
    return rows


@given(st.integers(3, 5), st.data())
def test_what_a_choice_implies_gives_it_back(size, data):
    best, worst = data.draw(st.permutations(range(1, size + 1)))[:2]
    pairs = implied_choices(size, best, worst)
    assert len(pairs) == 2 * size - 3
    preferred = [(str(i), str(j)) if choice == 1 else (str(j), str(i)) for i, j, choice in pairs]
    order = order_of(data.draw(st.permutations(preferred)))
    assert order is not None
    assert (order[0], order[-1]) == (str(best), str(worst)) and len(order) == size
    assert order_of(preferred[1:]) is None, "a pair is missing"
    assert order_of([*preferred, preferred[0]]) is None, "a pair is there twice"
    assert order_of([preferred[0][::-1], *preferred[1:]]) != order, "another choice or none"


def test_two_are_no_set_and_six_are_too_many():
    assert order_of([("a", "b")]) is None
    names = "abcdef"
    wins = [("a", one) for one in names[1:]] + [(one, "f") for one in names[1:5]]
    assert order_of(wins) is None


@pytest.mark.parametrize("case", CHOIX, ids=lambda case: str(case["systems"]))
def test_strengths_are_those_of_choix(case):
    kinds = Counter(map(tuple, case["choices"]))
    counts = BestWorstCounts(
        np.array(list(kinds)), np.array(list(kinds.values()), dtype=np.float64)
    )
    result = fit_sets([counts], case["systems"])
    np.testing.assert_allclose(result.log_strengths, case["strengths"], atol=1e-6)


def expected_choices(truth, size):
    """The probability of each kind of choice, by the definition, over all sets."""
    strengths, kinds = np.exp(truth), Counter()
    for members in combinations(range(len(truth)), size):
        for order in permutations(members):
            probability = 1.0
            for place in range(size):
                probability *= strengths[order[place]] / strengths[list(order[place:])].sum()
            kinds[order[0], *sorted(order[1:-1]), order[-1]] += probability
    weights = np.array(list(kinds.values()))
    return BestWorstCounts(np.array(list(kinds)), weights)


@pytest.mark.parametrize("sizes", [(3,), (4,), (5,), (3, 4), (4, 5)])
def test_strengths_are_found_again_from_expected_choices(sizes):
    truth = np.array([0.0, 1.0, -1.0, 2.5, 0.5, -0.3])
    result = fit_sets([expected_choices(truth, size) for size in sizes], len(truth))
    np.testing.assert_allclose(result.log_strengths, truth - truth.mean(), atol=1e-6)


def test_a_choices_contribution_is_the_change_when_it_is_added():
    """To first order: the change of the strengths with a small weight more of one kind."""
    counts = expected_choices(np.array([0.0, 0.4, -0.6, 1.0, 0.2]), 4)
    counts = BestWorstCounts(counts.members, 50 * counts.weights)
    logs = fit_sets([counts], 5).log_strengths
    (influence,) = set_influence([counts], logs)
    for kind in (0, 7):
        more = counts.weights.copy()
        more[kind] += 0.01
        changed = fit_sets([BestWorstCounts(counts.members, more)], 5).log_strengths
        np.testing.assert_allclose((changed - logs) / 0.01, influence[kind], rtol=2e-3, atol=1e-6)


def test_scores_of_a_small_example():
    rows = [
        *judgment("q1", "abcd", 1, 4, "w1"),
        *judgment("q1", "abcd", 1, 3, "w2"),
        *judgment("q2", "abc", 2, 1, "w1", shown=(3, 1, 2)),
    ]
    choices = best_worst_choices(rows)
    assert [one.systems for one in choices] == [tuple("abcd"), tuple("abdc"), tuple("bca")]
    assert [one.best_shown_first for one in choices] == [True, True, False]
    scores = candidate_scores(choices)
    assert scores == {
        "q1-0": 1.0, "q1-1": 0.0, "q1-2": -0.5, "q1-3": -0.5,
        "q2-0": -1.0, "q2-1": 1.0, "q2-2": 0.0,
    }  # fmt: skip
    systems = system_scores(choices)
    counted = {name: (one.best, one.worst, one.appearances) for name, one in systems.items()}
    assert counted == {"a": (2, 1, 3), "b": (1, 0, 3), "c": (0, 1, 3), "d": (0, 1, 2)}
    assert systems["a"].score.value == pytest.approx(1 / 3)
    assert systems["a"].score.ci is None
    assert systems["a"].score.reason == "2 questions; at least 10 are needed"


def test_two_answers_of_one_system_in_a_set():
    rows = [row for k in range(6) for row in judgment(f"q{k}", "aab", 1 + k % 3, 1 + (k + 1) % 3)]
    ranking = rank_systems(rows, rng=np.random.default_rng(0))
    a, b = sorted(ranking.systems, key=lambda row: row.system)
    assert ranking.best_worst is not None
    assert ranking.best_worst.systems["a"].appearances == 12
    assert a.win_probability is not None and b.win_probability is not None
    assert a.wins + b.wins == 6 * 2, "the pair of one system is left out"


def test_answers_of_one_system_only_have_a_reason_in_place_of_a_ranking():
    ranking = rank_systems(judgment("q", "aaa", 1, 3), rng=np.random.default_rng(1))
    assert ranking.reason.startswith("all answers are by a:")
    assert [(row.system, row.win_probability) for row in ranking.systems] == [("a", None)]


def test_split_half_is_one_where_all_agree_and_none_with_one_choice():
    agreed = [
        row
        for question in ("q1", "q2")
        for worker in "vwxy"
        for row in judgment(question, "abcd", 2, 3, worker)
    ]
    half = split_half(best_worst_choices(agreed), rng=np.random.default_rng(0))
    assert half.pearson == pytest.approx(1) and half.spearman == pytest.approx(1)
    assert half.candidates == 8
    alone = best_worst_choices([*judgment("q1", "abcd", 2, 3), *judgment("q2", "abcd", 1, 3)])
    assert split_half(alone, rng=np.random.default_rng(0)).pearson is None


def test_more_raters_make_scores_more_reliable():
    truth = np.array([0.0, 0.7, 1.4, 2.1])
    few, many = (
        split_half(
            best_worst_choices(simulated(truth, 40, n, np.random.default_rng(4))),
            rng=np.random.default_rng(0),
        ).pearson
        for n in (2, 12)
    )
    assert few is not None and many is not None and 0.1 < few < many - 0.2


def test_the_best_shown_first_is_counted_once_a_choice():
    rows = [row for k in range(40) for row in judgment(f"q{k}", "abcd", 1 + k % 4, 1 + (k + 1) % 4)]
    ranking = rank_systems(rows, rng=np.random.default_rng(0))
    assert ranking.first_wins is not None
    assert ranking.first_wins.value == 0.75 and ranking.first_wins.clusters == 40
    assert ranking.first_wins.p == pytest.approx(0.0051, abs=2e-4)


def test_without_a_finite_strength_scores_remain():
    rows = [row for k in range(5) for row in judgment(f"q{k}", "abc", 1, 3)]
    ranking = rank_systems(rows, rng=np.random.default_rng(0))
    assert "always win" in ranking.reason
    assert [row.win_probability for row in ranking.systems] == [None] * 3
    assert ranking.best_worst is not None
    assert ranking.best_worst.systems["a"].score.value == 1.0


def test_pairs_beside_sets_are_ranked_as_pairs():
    rows = [*simulated(np.zeros(3), 20, 1, np.random.default_rng(0))]
    rows.append(Preference("q0", "p", "a", "b", "first", "w"))
    ranking = rank_systems(rows, rng=np.random.default_rng(0))
    assert ranking.best_worst is None and ranking.choices == 61


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_intervals_of_dependent_choices_cover():
    """Questions differ in how good the systems are, so that choices on one question depend."""
    truth, spread = np.array([0.0, 0.4, 0.8, 1.2]), 0.8
    rng = np.random.default_rng(8)
    everything = rank_systems(simulated(truth, 20_000, 1, rng, spread), rng=rng)
    assert everything.best_worst is not None
    target = {
        row.system: (row.win_probability, everything.best_worst.systems[row.system].score.value)
        for row in everything.systems
    }
    covered = np.zeros(2)
    runs = 500
    for _ in range(runs):
        ranking = rank_systems(simulated(truth, 80, 4, rng, spread), rng=rng)
        assert ranking.best_worst is not None
        for row in ranking.systems:
            ends = row.ci, ranking.best_worst.systems[row.system].score.ci
            covered += [
                low <= value <= high
                for (low, high), value in zip(ends, target[row.system], strict=True)
            ]
    assert (covered / (4 * runs) >= 0.93).all() and (covered / (4 * runs) <= 0.97).all()


def lines(choice_of_last=1):
    """A file of one question's set of three, with the choices of two workers."""
    rows = []
    for first, second, choices in ((1, 2, (1, 1)), (1, 3, (1, 2)), (2, 3, (choice_of_last, 2))):
        rows.append(
            {
                "instance": "q",
                "set": "q-1",
                "references": [],
                "id1": f"c{first}",
                "candidate1": f"text {first}",
                "system1": "abc"[first - 1],
                "id2": f"c{second}",
                "candidate2": f"text {second}",
                "system2": "abc"[second - 1],
                "ratings": [
                    {"worker": "v", "choice": choices[0], "first_shown": 1},
                    {"worker": "w", "choice": choices[1]},
                ],
            }
        )
    return rows


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_file_of_sets_is_read(tmp_path):
    path = write(tmp_path / "sets.jsonl", lines())
    records = read_pairs([path], "concord").pairs
    assert {record.set_key for record in records} == {"q-1"}
    choices = best_worst_choices(read_preferences([path]))
    assert {one.worker: one.candidates for one in choices} == {
        "v": ("c1", "c2", "c3"),
        "w": ("c3", "c1", "c2"),
    }
    unnamed = [record for record in records if record.systems != ("a", "b")]
    assert len(list(preferences_of(unnamed))) == 4


def test_a_set_with_an_unnamed_system_is_not_ranked(tmp_path):
    rows = [row | ({"system2": None} if row["system2"] == "c" else {}) for row in lines()]
    records = read_pairs([write(tmp_path / "sets.jsonl", rows)], "concord").pairs
    assert list(preferences_of(records)) == []
    assert len(list(preferences_of(records, named_systems=False))) == 6


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        (lines()[:2], "set: the choices on the pairs of a set must be those of a best and a worst"),
        (lines(choice_of_last="tie"), 'of "v" in "q-1" they are not'),
        ([{**lines()[0], "ratings": None, "score1": 1, "score2": 0}], "set: needs `ratings`"),
    ],
)
def test_pairs_that_no_choice_implies_are_refused(tmp_path, capsys, rows, problem):
    path = write(tmp_path / "sets.jsonl", rows)
    assert main(["ranking", str(path)]) == 2
    assert problem in capsys.readouterr().err


def test_the_command_shows_scores_and_reliability(tmp_path, capsys):
    rng = np.random.default_rng(2)
    rows = []
    for question in range(12):
        chosen = [rng.permutation(3)[:2] + 1 for _ in "vw"]
        implied = [implied_choices(3, *map(int, ends)) for ends in chosen]
        for at, row in enumerate(lines()):
            ratings = [
                {"worker": name, "choice": pairs[at][2], "first_shown": 1}
                for name, pairs in zip("vw", implied, strict=True)
            ]
            ids = {f"id{n}": f"q{question}-{row[f'id{n}']}" for n in (1, 2)}
            named = {"instance": f"q{question}", "set": f"s{question}"}
            rows.append(row | ids | named | {"ratings": ratings})
    path = write(tmp_path / "sets.jsonl", rows)
    assert main(["ranking", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "score" in shown and "Split-half reliability" in shown
    assert "Agreement on the worst of a set: alpha" in shown and "before the worst in" in shown
    assert main(["ranking", str(path), "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert sum(row["best"] for row in document["systems"].values()) == 24
    assert document["systems"]["a"]["appearances"] == 24
    assert document["best_worst"]["choices"] == 24
    assert len(document["best_worst"]["candidates"]) == 36
