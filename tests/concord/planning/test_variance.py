"""Variance components of ratings, and of resamples of their passages."""

from __future__ import annotations

import json
import time
from dataclasses import asdict

import numpy as np
import pytest

from concord.cli import main
from concord.meta.inference import run_steps
from concord.planning.variance import (
    VarianceComponents,
    _PassageSums,
    component_steps,
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


def test_what_cannot_be_estimated_is_refused() -> None:
    one_each = Ratings.from_matrix([[1.0, np.nan], [np.nan, 2.0]])
    with pytest.raises(RatingsError, match="no answer has two ratings"):
        variance_components(one_each, np.zeros(2, dtype=np.int64))
    with pytest.raises(RatingsError, match="two passages"):
        variance_components(Ratings.from_matrix([[1.0, 2.0]]), np.zeros(1, dtype=np.int64))


def test_resampled_components_are_those_of_the_copied_ratings() -> None:
    """The sums by passage give what the ratings of the drawn passages give, copied out. Where the
    same passage is drawn twice, its copies are no two passages to compare."""
    rng = np.random.default_rng(7)
    ratings, systems = simulate(rng, passages=12, raters=8)
    passages = ratings.clusters[ratings.units]
    sums = _PassageSums(ratings, systems)
    for _ in range(20):
        drawn = np.sort(rng.choice(12, size=9, replace=False))
        rows = np.isin(passages, drawn)
        once = np.isin(np.arange(12), drawn).astype(np.float64)
        expected = variance_components(ratings.keep(rows), systems)
        (found,) = sums.components(once[:, None])
        assert asdict(found) == pytest.approx(asdict(expected))
    # All passages three times: within answers nothing changes.
    (thrice,) = sums.components(np.full((12, 1), 3.0))
    once = variance_components(ratings, systems)
    assert thrice.rating + thrice.rater == pytest.approx(once.rating + once.rater, rel=0.1)


def test_resamples_without_components_are_counted() -> None:
    table = [[1.0, 2.0], [3.0, 5.0]]
    one_system = np.zeros(2, dtype=np.int64)
    steps = component_steps(
        Ratings.from_matrix(table), one_system, draws=40, rng=np.random.default_rng(1)
    )
    result = run_steps(steps)
    # Half of the resamples of two passages have one passage, twice.
    assert result.passages == 2 and 8 < result.undefined < 32
    assert len(result.resamples) == 40 - result.undefined


def test_many_candidates_are_resampled_in_seconds() -> None:
    """Before, 10,000 candidates took more than a minute."""
    rng = np.random.default_rng(8)
    n = 60_000
    units = np.repeat(np.arange(n // 3), 3)
    raters = (units // 5 * 7 + np.tile(np.arange(3), n // 3)) % 500
    ratings = Ratings(units, raters, rng.normal(size=n), clusters=np.arange(n // 3) // 5)
    start = time.monotonic()
    result = run_steps(component_steps(ratings, np.arange(n // 3) % 5, draws=200, rng=rng))
    assert result.passages == 4000 and not result.undefined
    assert time.monotonic() - start < 40


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
    # Of two raters, no number of passages is enough for a mean; it is said once a cell.
    assert "none is enough" in out and "none is enough to none" not in out
    assert main(["plan", str(path), "--width", "0.5", "--draws", "5", "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert set(report["components"]) == {"passage", "answer", "rater", "rating"}
    assert len(report["mean"]) == len(report["difference"]) == 2  # no more than there are raters
    assert main(["plan", str(path), "--width", "0"]) == 2
    assert "width must be a number above 0" in capsys.readouterr().err
