"""The verdicts of a jury as scores."""

from __future__ import annotations

import numpy as np
import pytest

from concord.judges import JuryOptions, jury_scores
from concord.judges.graded_scores import cluster_folds
from concord.judges.selection import SelectionError
from tests.concord.judges.test_jury import graded

WEIGHTED = JuryOptions(rule="weighted", graded=True)


def test_the_labels_of_a_passage_do_not_make_its_own_scores():
    judges, gold, clusters = graded([0.5, 1.0, 3.0])
    changed = gold.copy()
    own = cluster_folds(clusters) == 3
    changed[own] = np.random.default_rng(9).normal(size=own.sum())
    before, after = (jury_scores(judges, one, clusters, WEIGHTED) for one in (gold, changed))
    np.testing.assert_array_equal(before.values[own], after.values[own])
    assert (before.values[~own] != after.values[~own]).all()
    assert before.signature != after.signature and "fit:all in 10 folds" in before.signature


def test_neither_do_lines_of_judges_on_another_scale():
    judges, gold, clusters = graded([0.5, 1.0, 3.0])
    judges = {name: 100 * one for name, one in judges.items()}
    options = JuryOptions(rule="mean", graded=True, scale=(-3.0, 3.0))
    own = cluster_folds(clusters) == 3
    changed = np.where(own, 3.0, gold)
    before, after = (jury_scores(judges, one, clusters, options).values for one in (gold, changed))
    np.testing.assert_array_equal(before[own], after[own])
    assert np.corrcoef(before, gold)[0, 1] > 0.6 and np.abs(before).max() <= 3


def test_only_the_named_labels_are_used_and_every_item_has_a_score():
    judges, gold, clusters = graded([0.5, 1.0, 3.0])
    train = clusters < 30
    options = JuryOptions(rule="weighted", graded=True, fit=train, fit_name="train")
    other = np.where(train, gold, np.nan)
    first, second = (jury_scores(judges, one, clusters, options) for one in (gold, other))
    np.testing.assert_array_equal(first.values, second.values)
    assert np.isfinite(first.values).all()
    assert first.signature == second.signature and "fit:train in 10 folds" in first.signature


def test_other_rules_use_no_labels_and_missing_answers_have_no_score():
    judges, gold, clusters = graded([0.5, 1.0, 3.0])
    judges["j0"][5] = np.nan
    options = JuryOptions(rule="mean", graded=True)
    jury = jury_scores(judges, np.full(len(gold), np.nan), clusters, options)
    np.testing.assert_allclose(jury.values, np.mean(list(judges.values()), axis=0))
    assert np.isnan(jury.values[5]) and "|rule:mean|fit:none|" in jury.signature


def test_a_tie_is_a_random_label_of_those_in_the_first_place():
    votes = {"a": np.array([0.0, 1.0] * 200), "b": np.array([1.0, 1.0] * 200)}
    options = JuryOptions(rule="majority", graded=False)
    jury = jury_scores(votes, np.zeros(400), np.arange(400), options)
    assert jury.ties == 200 and (jury.values[1::2] == 1).all()
    assert 70 < jury.values[::2].sum() < 130


def test_a_rule_that_counts_equal_grades_is_refused_for_many_grades():
    with pytest.raises(SelectionError, match="allow the rules mean, weighted, not majority"):
        jury_scores(*graded([1.0, 1.0]), JuryOptions(rule="majority", graded=True))


def test_weights_need_passages():
    with pytest.raises(SelectionError, match="4 passages have labels to fit on"):
        jury_scores(*graded([1.0, 1.0], passages=4), WEIGHTED)
