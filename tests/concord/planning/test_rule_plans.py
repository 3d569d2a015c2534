"""How many ratings each sampling rule needs: from replays to a study of another size and price."""

from __future__ import annotations

import json

import numpy as np
import pytest

from concord.cli import main
from concord.meta.inference.draws import run_steps
from concord.planning.plan import PayTerms
from concord.planning.rules import plan_rule_steps, plan_rules, units_of_size
from concord.protocols import Pay
from concord.sampling import StoppingRule
from tests.concord.sampling import simulated


def test_a_size_changes_the_units_by_the_finite_correction() -> None:
    assert units_of_size(60, 200, 200) == pytest.approx(60)
    assert units_of_size(200, 200, 900) == pytest.approx(900), "a census stays one"
    n = units_of_size(60, 200, 10_000)
    assert 1 / n - 1 / 10_000 == pytest.approx(1 / 60 - 1 / 200)


def test_a_plan_holds_for_a_larger_study_of_the_same_kind() -> None:
    """Planned from 250 units for 1,000, beside a replay of 1,000."""
    rng = np.random.default_rng(3)
    stopping = StoppingRule("width", 0.7, 10_000)
    rows = {}
    for size in (250, 1000):
        population, outcomes = simulated.population(rng, passages=size, rho=0.8)
        steps = plan_rule_steps(population, outcomes, stopping, draws=12, seed=1)
        rows[size] = run_steps(steps, None)
    planned = plan_rules(rows[250], 250, 1000)
    real = plan_rules(rows[1000], 1000, 1000)
    assert [row.rule for row in planned] == ["plain mean", "uniform", "stratified", "active"]
    for one, other in zip(planned, real, strict=True):
        # A wave of the larger set is 50 units, of the smaller one 12.
        assert one.units[0] == pytest.approx(other.units[0], rel=0.3)
        assert one.units[1] <= one.units[0] <= one.units[2]
    assert planned[0].units[0] > 1.5 * planned[1].units[0]


def test_ratings_and_costs_follow_from_units() -> None:
    rng = np.random.default_rng(4)
    population, outcomes = simulated.population(rng, passages=100, rho=0.8)
    stopping = StoppingRule("width", 1.0, 10_000)
    rows = run_steps(plan_rule_steps(population, outcomes, stopping, draws=4, seed=1), None)
    terms = PayTerms(Pay(5), 1, fee_percent=20)
    for row in plan_rules(rows, 100, 100, raters_each=3, terms=terms):
        assert row.candidates[0] == pytest.approx(3 * row.units[0], abs=3), "three systems"
        assert row.ratings == tuple(3 * n for n in row.candidates)
        assert row.cents == tuple(6 * n for n in row.ratings)


@pytest.fixture
def files(tmp_path):
    """150 questions to two systems, two thirds rated by two, and one good metric."""
    rng = np.random.default_rng(1)
    judgments, scores = tmp_path / "pilot.jsonl", tmp_path / "scores.jsonl"
    lines, rows = [], []
    for question in range(150):
        for number, system in enumerate(("small", "large")):
            value = 3 + 0.7 * number + rng.normal(0, 1)
            key = f"{question}-{system}"
            line = {"id": key, "question": f"What is {question}?", "references": ["it"]}
            line |= {"candidate": "that", "system": system, "scale": [1, 5]}
            if question < 100:
                values = np.clip(np.round(value + rng.normal(0, 0.4, 2)), 1, 5)
                line["ratings"] = [
                    {"worker": f"w{r}", "value": int(v)} for r, v in enumerate(values)
                ]
            lines.append(line)
            rows.append({"id": key, "scores": {"good": value + rng.normal(0, 0.4)}})
    judgments.write_text("".join(json.dumps(line) + "\n" for line in lines))
    scores.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return ["plan", str(judgments), "--scores", str(scores), "--draws", "4"]


def test_the_command_plans_rules_with_costs(files, capsys):
    arguments = ["--target", "width:0.8", "--units", "400", "--ratings-each", "2", "--cents", "10"]
    assert main([*files, *arguments, "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["rated_units"], report["units"]) == (100, 400)
    assert "components" not in report
    plain, uniform, *_ = report["rules"]
    assert plain["rule"] == "plain mean" and plain["units"][0] > 1.5 * uniform["units"][0]
    assert uniform["cents"] == [10 * n for n in uniform["ratings"]]
    assert main([*files, *arguments, "--width", "0.5"]) == 0
    out = capsys.readouterr().out
    assert "variance of a rating" in out and "cost a system" in out
    assert "plain mean" in out and "active" in out and "100 rated units" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a target"),
        (["--target", "budget"], "a budget is no target to plan for"),
        (["--target", "width:-1"], "a width must be above 0"),
    ],
)
def test_faulty_options_are_named(files, capsys, arguments, message):
    assert main([*files, *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_width_or_scores_are_needed(files, capsys):
    assert main(files[:2]) == 2
    assert "name a width, or --scores and a target" in capsys.readouterr().err
