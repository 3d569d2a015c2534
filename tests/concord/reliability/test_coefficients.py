"""The coefficients beside alpha: by level, in words, on the declared scale, and within bounds."""

from __future__ import annotations

import json

import numpy as np
import pytest

from concord.cli import main
from concord.formats.records import WordScale
from concord.reliability import Coefficients, Ratings, alpha, pairwise
from concord.reliability.gwet import gwet_ac2


def mostly_zero():
    """A hundred units of two raters, who agree on 94 zeros and one error."""
    rows = np.zeros((100, 2))
    rows[0] = 1
    rows[1:3, 0] = rows[3:6, 1] = 1
    return Ratings.from_matrix(rows)


def write(path, rows, scale):
    lines = [
        {"id": f"c{k}", "candidate": f"text {k}", "scale": scale,
         "ratings": [{"worker": f"w{r}", "value": value} for r, value in enumerate(row)]}
        for k, row in enumerate(rows)
    ]  # fmt: skip
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def test_a_dominating_value_is_named_with_what_ac1_says():
    ratings = mostly_zero()
    found = Coefficients.of(ratings, "ordinal", (0, 1))
    assert found.percent.value == pytest.approx(0.95)
    assert found.ac1.value == found.ac2.value == pytest.approx(0.946, abs=5e-4)
    assert found.dominant == {"value": 0.0, "share": 0.965}
    notes = found.notes(alpha(ratings).value)
    assert notes[0] == "Values of 200 ratings: 0 (193), 1 (7)."
    assert notes[1].startswith("96% of the ratings are 0. Where one value dominates")
    assert "alpha (0.264)" in notes[1] and "95% of the pairs are equal" in notes[1]
    assert "AC1 (0.946)" in notes[1]
    even = Coefficients.of(Ratings.from_matrix([[0, 0], [1, 1], [0, 1]]), "ordinal")
    assert even.dominant is None and len(even.notes(0.4)) == 1


def test_names_have_no_coefficient_of_an_order():
    scale = WordScale(("good", "bad", "ugly"), is_ordered=False)
    found = Coefficients.of(Ratings.from_matrix([[0, 0], [1, 2], [2, 2]]), "nominal", scale)
    assert found.ac2 is found.icc is found.mean_icc is None
    assert [row["value"] for row in found.values] == ["good", "bad", "ugly"]
    assert found.notes(0.2) == ["Values of 6 ratings: “good” (2), “bad” (1), “ugly” (3)."]


def test_a_coefficient_below_0_is_explained():
    ratings = Ratings.from_matrix([[1, 5], [5, 1], [1, 5], [5, 1]])
    notes = Coefficients.of(ratings, "ordinal").notes(alpha(ratings).value)
    assert "less agreement than by chance" in notes[-1]
    agreed = Ratings.from_matrix([[1, 1], [5, 5], [3, 3]])
    assert not any("below 0" in one for one in Coefficients.of(agreed, "ordinal").notes(1.0))


def test_values_of_the_scale_that_nobody_gave_count_in_the_command(tmp_path, capsys):
    rows = [(4, 5), (5, 5), (4, 4), (5, 4), (5, 5), (4, 4)]
    path = write(tmp_path / "a.jsonl", rows, [1, 5])
    assert main(["agreement", str(path), "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    ratings = Ratings.from_matrix(rows)
    assert report["ac2"]["value"] == pytest.approx(gwet_ac2(ratings, scale=(1, 5)).value)
    assert report["ac2"]["value"] > gwet_ac2(ratings).value + 0.1
    assert report["values"] == [{"value": 4.0, "ratings": 6}, {"value": 5.0, "ratings": 6}]
    assert report["criterion"] is None


def test_the_command_prints_the_coefficients_of_all_and_of_kept_ratings(tmp_path, capsys):
    rows = [(k % 5 + 1, k % 5 + 1, (k + k % 2) % 5 + 1) for k in range(30)]
    path = write(tmp_path / "a.jsonl", rows, [1, 5])
    assert main(["agreement", str(path), "--filter", "zscore:1", "--draws", "20"]) == 0
    out = capsys.readouterr().out
    for name in ("equal pairs of ratings", "mean pairwise kappa, quadratic weights", "AC1", "AC2"):
        (line,) = [one for one in out.splitlines() if name in one]
        assert len(line.split("  ")) >= 3, "a column for all and one for kept ratings"
    assert "Values of" in out


def test_too_many_values_or_pairs_have_a_reason_and_no_figure(monkeypatch):
    rng = np.random.default_rng(1)
    ratings = Ratings.from_matrix(rng.normal(size=(600, 2)))
    found = Coefficients.of(ratings, "interval")
    assert found.ac2.reason == "there are 1,200 different values"
    assert found.notes(0.1)[0] == "1,200 different values occur."
    monkeypatch.setattr(pairwise, "MAX_PAIRS", 599)
    assert Coefficients.of(ratings, "interval").kappa.reason == "there are 600 pairs of ratings"
