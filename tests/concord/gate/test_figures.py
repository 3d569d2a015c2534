"""The figures of rules are those of the commands, and verdicts follow from their intervals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import scipy

from concord.cli import main
from concord.gate.policy import read_policy
from concord.gate.result import RuleResult
from concord.inference import Estimate, factor_to_exclude

DEMO = Path(__file__).parents[3] / "concord" / "demo" / "judgments.jsonl"


@pytest.fixture
def folder(tmp_path):
    """The demo set, scores of a judge, and labels."""
    rng = np.random.default_rng(1)
    rows = [json.loads(line) for line in DEMO.read_text().splitlines()]
    (tmp_path / "answers.jsonl").write_bytes(DEMO.read_bytes())
    scores = ({"id": r["id"], "scores": {"j": r["score"] + rng.normal()}} for r in rows)
    (tmp_path / "scores.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in scores))
    passages = sorted({row["passage"] for row in rows})
    rated = set(rng.choice(passages, len(passages) // 2, replace=False))
    unrated = {"score": None, "ratings": []}
    kept = [row if row["passage"] in rated else row | unrated for row in rows]
    (tmp_path / "some.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in kept))
    true = {f"d{k // 4}.{k}": int(rng.integers(1, 6)) for k in range(160)}

    def labels(noise):
        drawn = {item: value + noise * rng.normal() for item, value in true.items()}
        return {item: int(np.clip(round(value), 1, 5)) for item, value in drawn.items()}

    people = {name: labels(0.7) for name in ("ann", "bob", "cat")}
    (tmp_path / "human.json").write_text(json.dumps(people))
    (tmp_path / "judges.json").write_text(json.dumps({"good": labels(0.5), "bad": labels(3)}))
    return tmp_path


def check(folder, rule):
    path = folder / "policy.toml"
    path.write_text(f"[rules.one]\n{rule}\n")
    return read_policy(path).check().to_json()["rules"][0]


def output(capsys, *arguments):
    assert main([*map(str, arguments), "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def figures(row):
    return row["value"], row["ci"]


def test_alpha_is_that_of_the_command(folder, capsys):
    row = check(folder, 'kind="agreement"\nfiles="answers.jsonl"\nraters="crowd"\nat_least=0.5')
    report = output(capsys, "agreement", folder / "answers.jsonl", "--raters", "crowd")
    assert figures(row) == (report["alpha"], report["ci"])
    assert (row["passages"], row["ratings"]) == (report["clusters"], report["ratings"])
    assert row["verdict"] == "holds"


def test_the_correlation_of_a_metric_is_that_of_the_leaderboard(folder, capsys):
    row = check(folder, 'kind="metric"\nfiles="answers.jsonl"\nmetric="bleu-1"\nat_least=0.4')
    (board,) = output(capsys, "leaderboard", folder / "answers.jsonl", "--metrics", "bleu-1")[
        "rows"
    ]
    assert figures(row) == (board["pearson"]["value"], board["pearson"]["ci"])
    assert row["ratings"] == 2160


def test_scores_of_a_file_need_no_metric(folder):
    rule = 'kind="metric"\nfiles="answers.jsonl"\nscores="scores.jsonl"\nmetric="j"\nat_least=0.4'
    row = check(folder, rule)
    rows = [json.loads(line) for line in DEMO.read_text().splitlines()]
    lines = (folder / "scores.jsonl").read_text().splitlines()
    scores = [json.loads(line)["scores"]["j"] for line in lines]
    gold = [one["score"] for one in rows]
    assert row["value"] == pytest.approx(np.corrcoef(scores, gold)[0, 1])


@pytest.mark.parametrize("target", ["set", "new"])
def test_means_and_differences_are_those_of_estimate(folder, capsys, target):
    shared = f'files="some.jsonl"\nscores="scores.jsonl"\nmetric="j"\ntarget="{target}"\n'
    shared += 'system="extractive"\n'
    mean = check(folder, f'kind="mean"\n{shared}at_least=3')
    gap = check(folder, f'kind="difference"\n{shared}baseline="abstractive"\nat_least=1')
    scores = ("--scores", folder / "scores.jsonl", "--metric", "j", "--target", target)
    report = output(capsys, "estimate", folder / "some.jsonl", *scores)
    of_system = report["systems"]["extractive"]
    assert figures(mean) == (of_system["mean"], of_system["ci"])
    (row,) = (
        one
        for one in report["differences"]
        if {one["first"], one["second"]} == {"extractive", "abstractive"}
    )
    assert row["first"] == "abstractive"
    assert figures(gap) == (-row["difference"], [-row["ci"][1], -row["ci"][0]])


def test_a_mean_without_scores_is_the_plain_one(folder, capsys):
    rule = 'kind="mean"\nfiles="some.jsonl"\nsystem="extractive"\nat_least=3'
    report = output(
        capsys, "estimate", folder / "some.jsonl", "--scores", folder / "scores.jsonl",
        "--target", "new",
    )  # fmt: skip
    plain = report["systems"]["extractive"]
    assert figures(check(folder, rule)) == (plain["plain_mean"], plain["plain_ci"])


@pytest.mark.parametrize("documents", [False, True])
@pytest.mark.parametrize("judge", ["good", "bad"])
def test_figures_of_judges_are_those_of_alt_test(folder, capsys, judge, documents):
    shared = f'human="human.json"\njudges="judges.json"\njudge="{judge}"\ngraded=true\n'
    pattern = "{document}.{item}"
    shared += f'item_id="{pattern}"\n' if documents else ""
    command = ["alt-test", folder / "human.json", folder / "judges.json", "--graded"]
    command += ["--item-id", pattern] if documents else []
    report = output(capsys, *command, "--draws", 300)["judges"][judge]
    rho = check(folder, f'kind="judge"\n{shared}at_least=0.5\ndraws=300')
    assert figures(rho) == (report["rho"], report["rho_ci"])
    kappa = check(folder, f'kind="judge"\nfigure="kappa"\n{shared}at_least=0.5\ndraws=100')
    assert kappa["value"] == report["kappa"]["value"]
    omega = check(folder, f'kind="alt-test"\n{shared}')
    test = report["by_document"] if documents else report
    assert omega["value"] == test["omega"] == omega["ci"][0]
    assert omega["verdict"] == ("holds" if judge == "good" else "falls short")
    assert (omega["verdict"] == "holds") == test["passed"]


def test_rules_of_judges_read_judgments_and_the_answers_of_a_judge(folder, capsys):
    shared = (
        'human="answers.jsonl"\nraters="crowd"\njudges="scores.jsonl"\njudge="j"\ngraded=true\n'
    )
    options = ["--raters", "crowd", "--graded"]
    files = [folder / "answers.jsonl", folder / "scores.jsonl"]
    report = output(capsys, "alt-test", *files, *options, "--draws", 300)["judges"]["j"]
    rho = check(folder, f'kind="judge"\n{shared}at_least=0.5\ndraws=300')
    assert figures(rho) == (report["rho"], report["rho_ci"]) and rho["passages"] == 40
    omega = check(folder, f'kind="alt-test"\n{shared}')
    assert omega["value"] == report["by_document"]["omega"]
    drift = check(folder, f'kind="drift"\nbase="scores.jsonl"\n{shared}at_least=-1')
    assert (drift["verdict"], drift["value"]) == ("holds", 0)
    # Of 40 unchanged passages, 7% may change, each by the range of the scores.
    assert -1 < drift["ci"][0] < -0.1
    words = check_error(folder, f'kind="judge"\n{shared}at_least=0.5'.replace("true", "false"))
    assert "text or a whole number is expected" in words


def check_error(folder, rule):
    with pytest.raises(ValueError) as raised:
        check(folder, rule)
    return str(raised.value)


def test_the_change_of_agreement_is_that_of_drift(folder, capsys):
    judges = json.loads((folder / "judges.json").read_text())
    for name, labels in (("base", "good"), ("now", "bad")):
        (folder / f"{name}.json").write_text(json.dumps({"j": judges[labels]}))
    files = [folder / name for name in ("base.json", "now.json")]
    options = ["--people", folder / "human.json", "--graded", "--item-id", "{document}.{item}"]
    report = output(capsys, "drift", *files, *options, "--looks", 365)["judges"]["j"]
    shared = 'kind="drift"\nhuman="human.json"\nbase="base.json"\njudge="j"\ngraded=true\n'
    shared += 'item_id="{document}.{item}"\nlooks=365\n'
    row = check(folder, f'{shared}judges="now.json"\nat_least=-0.2')
    fall = report["fall"]
    assert figures(row) == (-fall["value"], [-fall["high"], -fall["low"]])
    assert row["verdict"] == "falls short" and row["passages"] == 40
    open_one = check(folder, f'{shared}judges="now.json"\nat_least={-fall["value"] - 0.1}')
    assert open_one["verdict"] == "not enough evidence" and open_one["needed_passages"] > 40
    same = check(folder, f'{shared}judges="base.json"\nat_least=-0.2')
    assert (same["verdict"], same["value"]) == ("not enough evidence", 0)
    # Each of the passages that may have changed, by the range of the grades.
    most = 4 * (1 - (0.05 / 365) ** (1 / 40))
    assert same["ci"] == pytest.approx([-most, most])


def test_a_judge_between_the_bounds_has_not_enough_evidence(folder):
    people = json.loads((folder / "human.json").read_text())
    few = {name: dict(list(labels.items())[:32]) for name, labels in people.items()}
    (folder / "human.json").write_text(json.dumps(few))
    judges = json.loads((folder / "judges.json").read_text())
    mixed = {
        item: judges["bad" if k % 3 == 0 else "good"][item] for k, item in enumerate(judges["good"])
    }
    (folder / "judges.json").write_text(json.dumps({"mixed": mixed}))
    shared = 'human="human.json"\njudges="judges.json"\njudge="mixed"\ngraded=true'
    row = check(folder, f'kind="alt-test"\n{shared}')
    assert row["verdict"] == "not enough evidence"
    assert row["needed_passages"] > row["passages"] == 32


@pytest.mark.parametrize(
    ("ci", "verdict"),
    [
        ((0.5, 0.7), "holds"),
        ((0.4, 0.5), "not enough evidence"),
        ((0.2, 0.49), "falls short"),
        (None, "not enough evidence"),
    ],
)
def test_the_interval_decides(ci, verdict):
    estimate = Estimate(0.45, *(ci or (None, None)), clusters=9)
    assert RuleResult(figure="x", at_least=0.5, estimate=estimate).verdict == verdict


def test_so_many_passages_settle_it_with_the_stated_probability():
    value, low, bound = 0.6, 0.4, 0.5
    factor = factor_to_exclude(value, low, bound)
    error = (value - low) / scipy.stats.norm.isf(0.025) / np.sqrt(factor)
    reached = scipy.stats.norm.sf((bound - value) / error + scipy.stats.norm.isf(0.025))
    assert reached == pytest.approx(0.8)
    assert factor_to_exclude(value, low, 0.3) == 1
    assert factor_to_exclude(value, low, value) == np.inf


def test_too_few_passages_are_not_enough_evidence(folder):
    lines = (folder / "answers.jsonl").read_text().splitlines()
    (folder / "answers.jsonl").write_text("".join(f"{line}\n" for line in lines[:12]))
    row = check(folder, 'kind="agreement"\nfiles="answers.jsonl"\nraters="crowd"\nat_least=0.1')
    assert (row["verdict"], row["needed_passages"]) == ("not enough evidence", None)
    assert "at least 10 are needed" in row["sentence"]


def test_a_mean_of_equal_ratings_is_not_enough_evidence(folder):
    rows = [json.loads(line) for line in DEMO.read_text().splitlines()]
    (folder / "answers.jsonl").write_text(
        "".join(json.dumps({**row, "score": 5, "ratings": []}) + "\n" for row in rows)
    )
    rule = 'kind="mean"\nfiles="answers.jsonl"\nsystem="extractive"\nat_least=4'
    row = check(folder, rule)
    assert (row["verdict"], row["value"]) == ("not enough evidence", 5)
    assert "all ratings are equal: rate more passages" in row["sentence"]
    assert check(folder, f'{rule}\ntarget="set"')["verdict"] == "holds"
