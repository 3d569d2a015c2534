"""How many ratings, and how much money, each sampling rule needs, from another rated set."""

from __future__ import annotations

import json

import numpy as np
import pytest

from concord.cli import main
from concord.estimation import EstimationError
from concord.meta.inference.draws import run_steps
from concord.planning.plan import PayTerms
from concord.protocols import Pay
from concord.sampling import SamplingRule, StoppingRule, collect, default_wave_size
from concord.sampling.plans import PricedRule, plan_rule_steps, resample
from tests.concord.sampling import simulated


def plan(population, outcomes, stopping, *, size, draws=12):
    steps = plan_rule_steps(
        population, outcomes, stopping,
        size=size, wave_size=default_wave_size(size), draws=draws, seed=1,
    )  # fmt: skip
    return run_steps(steps, None)


def test_resampled_passages_stay_whole() -> None:
    rng = np.random.default_rng(2)
    population, outcomes = simulated.population(rng, passages=30, per_passage=3)
    study, values = resample(population, outcomes, 100, np.random.default_rng(1))
    assert (study.size, len(set(study.unit_ids))) == (100, 100)
    rows = {
        (score.tobytes(), int(system)): value
        for score, system, value in zip(
            population.scores, population.systems, outcomes, strict=True
        )
    }
    for score, system, value in zip(study.scores, study.systems, values, strict=True):
        assert rows[score.tobytes(), int(system)] == value, "scores and outcomes stay together"
    counts = np.bincount(np.bincount(study.units))
    assert set(np.flatnonzero(counts)) == set(np.unique(np.bincount(population.units)))
    again, _ = resample(population, outcomes, 100, np.random.default_rng(1))
    assert again.unit_ids == study.unit_ids


def test_a_plan_holds_for_a_larger_study_of_the_same_kind() -> None:
    """Planned from 250 units for 1,000, beside collections of 1,000 others."""
    rng = np.random.default_rng(3)
    stopping = StoppingRule("width", 0.5, 1000)
    pilot = plan(*simulated.population(rng, passages=250, rho=0.8), stopping, size=1000)
    assert [row.rule for row in pilot] == ["plain mean", "uniform", "stratified"]
    population, outcomes = simulated.population(rng, passages=1000, rho=0.8)
    for row, rule, method in zip(
        pilot, ("uniform", "uniform", "stratified"), ("mean", "auto", "auto"), strict=True
    ):
        units = [
            collect(
                population, outcomes, SamplingRule(rule), stopping,
                wave_size=50, seed=seed, method=method,
            )[-1].units
            for seed in range(12)
        ]  # fmt: skip
        # A fifth: the variance of 250 passages has an error of 9%, and a wave is 50 units.
        assert row.units[0] == pytest.approx(np.mean(units), rel=0.2)
        assert row.units[1] <= row.units[0] <= row.units[2] and row.reached == 1.0
    assert pilot[0].units[0] > 1.5 * pilot[1].units[0]


def test_ratings_and_costs_follow_from_candidates() -> None:
    rng = np.random.default_rng(4)
    population, outcomes = simulated.population(rng, passages=100, rho=0.8)
    terms = PayTerms(Pay(5), 1, fee_percent=20)
    for row in plan(population, outcomes, StoppingRule("width", 1.0, 100), size=100, draws=4):
        assert row.candidates[0] == pytest.approx(3 * row.units[0], abs=3), "three systems"
        priced = PricedRule.of(row, 3, terms)
        assert priced.ratings == tuple(3 * n for n in row.candidates)
        assert priced.cents == tuple(18 * n for n in row.candidates)


def test_what_cannot_be_planned_is_refused() -> None:
    rng = np.random.default_rng(5)
    population, outcomes = simulated.population(rng, passages=30)
    with pytest.raises(EstimationError, match="needs 10 units or more"):
        plan(population, outcomes, StoppingRule("width", 1.0, 9), size=9)
    outcomes[0] = np.nan
    with pytest.raises(EstimationError, match="needs outcomes of all candidates"):
        plan(population, outcomes, StoppingRule("width", 1.0, 30), size=30)


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
    assert "plain mean" in out and "stratified" in out and "100 rated units" in out


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
