"""Variance components of ratings, and the number of passages that means need."""

from __future__ import annotations

import json

import numpy as np
import pytest

from concord.cli import main
from concord.planning.variance import (
    VarianceComponents,
    fewest_passages,
    needed_passages,
    variance_components,
)
from concord.reliability import Ratings, RatingsError

TRUE = VarianceComponents(passage=0.5, answer=0.3, rater=0.2, rating=0.4)


def simulate(
    rng: np.random.Generator,
    passages: int = 60,
    systems: int = 3,
    raters: int = 6,
    each: int | None = None,
    true: VarianceComponents = TRUE,
) -> tuple[Ratings, np.ndarray]:
    """Ratings by random raters: `each` of an answer, or one to four."""
    passage = rng.normal(0, np.sqrt(true.passage or 0), passages)
    answer = rng.normal(0, np.sqrt(true.answer), (passages, systems))
    rater = rng.normal(0, np.sqrt(true.rater or 0), raters)
    rows, clusters, system = [], {}, []
    for p in range(passages):
        people = rng.choice(raters, size=each or rng.integers(1, 5), replace=False)
        for s in range(systems):
            clusters[p, s] = p
            system.append(s)
            for r in people if each else rng.choice(raters, rng.integers(1, 5), replace=False):
                noise = rng.normal(0, np.sqrt(true.rating))
                rows.append(((p, s), int(r), 3 + s + passage[p] + answer[p, s] + rater[r] + noise))
    return Ratings.from_rows(rows, clusters), np.array(system)


def test_the_components_of_an_unbalanced_design_are_unbiased() -> None:
    rng = np.random.default_rng(1)
    parts = [variance_components(*simulate(rng)) for _ in range(120)]
    values = np.array([[p.passage, p.answer, p.rater, p.rating] for p in parts])
    errors = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    expected = [TRUE.passage, TRUE.answer, TRUE.rater, TRUE.rating]
    assert (np.abs(values.mean(axis=0) - expected) < 4 * errors).all()
    assert (errors < 0.02).all()


def test_balanced_ratings_give_the_anova_estimates() -> None:
    """Two raters of every answer, one system: the mean squares of a two-way layout."""
    rng = np.random.default_rng(2)
    table = rng.normal(size=(40, 1)) + rng.normal(size=(1, 5)) + rng.normal(size=(40, 5))
    parts = variance_components(Ratings.from_matrix(table), np.zeros(40, dtype=np.int64))
    rows, columns = table.mean(axis=1), table.mean(axis=0)
    residual = table - rows[:, None] - columns[None, :] + table.mean()
    error = (residual**2).sum() / (39 * 4)
    assert parts.rating == pytest.approx(error)
    assert parts.answer == pytest.approx(rows.var(ddof=1) - error / 5)
    assert parts.rater == pytest.approx(columns.var(ddof=1) - error / 40)
    assert parts.passage is None


def test_the_predicted_variances_are_those_of_simulated_means() -> None:
    rng = np.random.default_rng(3)
    means = []
    for _ in range(400):
        ratings, systems = simulate(rng, passages=20, systems=2, each=2)
        system = systems[ratings.units]
        means.append([ratings.values[system == s].mean() for s in (0, 1)])
    first, second = np.array(means).T
    # The sampling error of a variance of 400 is 7%.
    assert first.var(ddof=1) == pytest.approx(TRUE.mean_variance(20, 2, 6), rel=0.25)
    assert (second - first).var(ddof=1) == pytest.approx(TRUE.difference_variance(20, 2), rel=0.25)


def test_an_interval_of_the_wanted_width_needs_these_passages() -> None:
    rng = np.random.default_rng(4)
    ratings, systems = simulate(rng, passages=200)
    rows = needed_passages(ratings, systems, 0.4, of_difference=True, raters=6, rng=rng, draws=60)
    parts = variance_components(ratings, systems)
    for row in rows:
        assert row.passages is not None and row.low is not None and row.high is not None
        half = 1.959964 * np.sqrt(parts.difference_variance(row.passages, row.raters_each))
        less = 1.959964 * np.sqrt(parts.difference_variance(row.passages - 1, row.raters_each))
        assert half <= 0.2 < less
        assert row.low <= row.passages <= row.high
        assert row.ratings == row.passages * row.raters_each
    assert [row.passages for row in rows] == sorted((r.passages or 0 for r in rows), reverse=True)


def test_few_raters_can_be_too_few_for_any_number_of_passages() -> None:
    strict = VarianceComponents(passage=0.5, answer=0.3, rater=2.0, rating=0.4)
    rng = np.random.default_rng(5)
    ratings, systems = simulate(rng, true=strict)
    rows = needed_passages(ratings, systems, 0.5, of_difference=False, raters=3, rng=rng, draws=20)
    assert [row.passages for row in rows] == [None] * 3


def test_what_cannot_be_estimated_is_refused() -> None:
    one_each = Ratings.from_matrix([[1.0, np.nan], [np.nan, 2.0]])
    with pytest.raises(RatingsError, match="no answer has two ratings"):
        variance_components(one_each, np.zeros(2, dtype=np.int64))
    with pytest.raises(RatingsError, match="two passages"):
        variance_components(Ratings.from_matrix([[1.0, 2.0]]), np.zeros(1, dtype=np.int64))


def test_the_range_holds_the_truth_where_each_rater_rates_few_passages() -> None:
    """Copies of a resampled passage share their raters, and are no two passages to compare."""
    true = fewest_passages(TRUE, (0.4 / 2 / 1.959964) ** 2, 1, 60, True)
    assert true is not None
    held = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        ratings, systems = simulate(rng, raters=60, each=2)
        row = needed_passages(
            ratings, systems, 0.4, of_difference=True, raters=60, rng=rng, draws=60,
            max_raters_each=1,
        )[0]  # fmt: skip
        assert row.low is not None and row.high is not None
        held += row.low <= true <= row.high
    assert held >= 17


def test_the_command_prints_both_tables(tmp_path, capsys) -> None:
    rng = np.random.default_rng(6)
    path = tmp_path / "pilot.jsonl"
    rows = [
        {
            "id": f"{p}-{s}", "passage": f"p{p}", "references": ["it"], "candidate": "x",
            "system": s, "scale": [1, 5],
            "ratings": [{"worker": f"w{r}", "value": int(rng.integers(1, 6))} for r in (1, 2)],
        }
        for p in range(20)
        for s in "ab"
    ]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["plan", str(path), "--width", "0.5", "--draws", "20"]) == 0
    out = capsys.readouterr().out
    assert "the mean of a system" in out and "the difference of two systems" in out
    assert main(["plan", str(path), "--width", "0.5", "--draws", "5", "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert set(report["components"]) == {"passage", "answer", "rater", "rating"}
    assert len(report["mean"]) == len(report["difference"]) == 2  # no more than there are raters
    assert main(["plan", str(path), "--width", "0"]) == 2
    assert "width must be a number above 0" in capsys.readouterr().err
