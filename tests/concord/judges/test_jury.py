"""Several judges as one, beside the best single judge."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from concord.cli import main
from concord.formats.labels import read_labels
from concord.judges import HumanLabels
from concord.judges.jury import jury_report
from concord.judges.jury_rules import decide, fitted_weights
from concord.reliability import RatingsError
from tests import real_data

GOLDEN = json.loads(Path(__file__).with_name("crowd_kit_jury.json").read_text())


def graded(noise, *, passages=60, shared=0.0, seed=0):
    """Judges' grades of four items a passage; `shared` is the spread of an error that all have."""
    rng = np.random.default_rng(seed)
    n = passages * 4
    gold, common = rng.normal(size=n), shared * rng.normal(size=n)
    judges = {
        f"j{k}": gold + common + spread * rng.normal(size=n) for k, spread in enumerate(noise)
    }
    return judges, gold, np.repeat(np.arange(passages), 4)


def report(judges, gold, clusters, **options):
    return jury_report(judges, gold, clusters, **{"graded": True, "draws": 200} | options)


def gain(result, rule):
    return next(row.gain for row in result.juries if row.rule == rule)


def test_independent_errors_make_a_jury_and_shared_errors_do_not():
    result = report(*graded([1.0, 1.0, 1.0], passages=200))
    # r of one judge is 1 / sqrt(2), of the mean of three 1 / sqrt(1 + 1 / 3).
    low, high = gain(result, "mean").ci
    assert low < np.sqrt(3 / 4) - np.sqrt(1 / 2) < high and low > 0.1
    shared = report(*graded([0.2, 0.2, 0.2], passages=200, shared=1.0))
    assert gain(shared, "mean").value < 0.02


def test_weights_leave_a_bad_judge_out():
    result = report(*graded([0.5, 0.5, 20.0]))
    assert gain(result, "weighted").ci[0] > gain(result, "mean").ci[1]
    assert max(result.judges[2].weights) < 0.15


def test_the_best_judge_is_chosen_on_the_other_half():
    judges, gold, clusters = graded([1.0] * 8, passages=30)
    result = report(judges, gold, clusters, draws=10)
    assert sum(row.chosen for row in result.judges) == 2
    assert result.single.value < max(row.agreement.value for row in result.judges)


def test_votes_and_dawid_skene_are_those_of_crowd_kit():
    gold, answers = np.array(GOLDEN["gold"], float), np.array(GOLDEN["answers"], float)
    verdicts = decide("dawid-skene", answers, graded=False)
    assert verdicts.shares(gold).tolist() == (gold == GOLDEN["dawid_skene"]).tolist()
    majority = decide("majority", answers, graded=False)
    sole = ~majority.tied
    assert 0 < sole.sum() < len(sole)
    assert majority.shares(gold)[sole].tolist() == (gold == GOLDEN["majority"])[sole].tolist()


def test_a_tie_is_a_random_choice_among_its_labels():
    answers, gold = np.array([[0.0, 1, 2], [1.0, 1, 1]]), np.array([0.0, 0, 0])
    verdicts = decide("majority", answers, graded=False)
    assert verdicts.shares(gold).tolist() == [0.5, 0, 0]
    assert verdicts.tied.tolist() == [True, False, True]
    assert decide("majority", answers, graded=True).grades.tolist() == [0.5, 1, 1.5]
    one = decide("weighted", answers, graded=False, weights=np.array([0.6, 0.4]))
    assert one.shares(gold).tolist() == [1, 0, 0] and not one.tied.any()


def test_judges_at_chance_have_equal_weights():
    gold = np.tile([0.0, 1.0], 50)
    wrong = np.stack([1 - gold, 1 - gold])
    assert fitted_weights(wrong, gold, graded=False).tolist() == [0.5, 0.5]


def test_the_frontier_is_chosen_on_one_half_by_cost():
    judges, gold, clusters = graded([0.8, 0.8, 3.0], passages=150)
    costs = {"j0": 1.0, "j1": 5.0, "j2": 0.1}
    rows = report(judges, gold, clusters, costs=costs).frontier
    assert [row.judges for row in rows][:2] == [["j2"], ["j0"]]
    assert ["j0", "j1"] in [row.judges for row in rows]
    assert [row.cost for row in rows] == sorted(row.cost for row in rows)
    assert all(a.train < b.train for a, b in pairwise(rows))


def test_items_without_every_answer_are_left_out_and_counted():
    judges, gold, clusters = graded([1.0, 1.0])
    judges["j0"][:8] = np.nan
    gold[8:12] = np.nan
    result = report(judges, gold, clusters)
    assert result.items == len(gold) - 12 and result.left_out == 8
    assert [row.missing for row in result.judges] == [8, 0]


@pytest.mark.parametrize("is_graded", [True, False])
def test_equal_judges_gain_nothing(is_graded):
    rng = np.random.default_rng(1)
    gold, answers = rng.integers(0, 3, (2, 120)).astype(float)
    result = report({"a": answers, "b": answers}, gold, np.arange(120), graded=is_graded)
    for row in result.juries:
        if row.rule != "dawid-skene":
            assert row.gain.value == pytest.approx(0) and row.gain.ci is None
    assert [row.judges for row in result.frontier] == [["a"]]


def test_a_judge_that_never_varies_has_no_correlation():
    judges, gold, clusters = graded([1.0, 1.0])
    judges["j0"][:] = 3.0
    result = report(judges, gold, clusters)
    figure = result.judges[0].agreement
    assert figure.value is None
    assert figure.reason == "the judge or people gave all items of a half the same value"
    assert result.single == result.judges[1].agreement


@pytest.mark.parametrize(
    ("noise", "passages", "message"),
    [([1.0], 60, "there are 1"), ([1.0, 1.0], 19, "19 passages have .* need 20 or more"),
     ([1.0, 1.0], 0, "0 passages have")],
)  # fmt: skip
def test_too_little_says_how_much_is_needed(noise, passages, message):
    with pytest.raises(RatingsError, match=message):
        report(*graded(noise, passages=passages))


def test_six_models_on_summeval_gain_by_weights():
    folder = real_data.path("alttest") / "summeval"
    human, judges = (
        read_labels(folder / f"{name}_annotations.json", graded=True) for name in ("human", "llm")
    )
    documents = {item: item.split("__")[0] for of in human.values() for item in of}
    people = HumanLabels.from_mapping(human, graded=True, clusters=documents)
    answers = dict(zip(judges, people.table_of(list(judges.values())), strict=True))
    result = report(answers, people.verdicts, people.clusters)
    # The authors' correlation of the best model, gpt-4o.
    assert result.single.value == pytest.approx(0.590, abs=0.002)
    assert gain(result, "weighted").ci[0] > 0.01
    assert "gpt-4o" in result.frontier[1].judges


@pytest.fixture
def labels(tmp_path):
    """People's labels and those of three judges, as files of labels."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 120)

    def of(right):
        given = np.where(rng.random(120) < right, truth, 1 - truth)
        return {f"i{k}": ("no", "Yes")[value] for k, value in enumerate(given)}

    people, judges = tmp_path / "people.json", tmp_path / "judges.json"
    people.write_text(json.dumps({name: of(0.9) for name in "uvw"}))
    judges.write_text(json.dumps({name: of(0.8) for name in ("a", "b", "c")}))
    return people, judges


def run(capsys, *arguments):
    assert main(["jury", *map(str, arguments), "--draws", "50"]) == 0
    return capsys.readouterr()


def test_the_command_reads_the_files_of_alt_test(labels, tmp_path, capsys):
    people, judges = labels
    two = run(capsys, people, judges, "--cost", "a=0.5", "--format", "json").out
    document = json.loads(two)
    assert [row["cost"] for row in document["judges"]] == [0.5, 1, 1]
    assert document["statistic"] == "accuracy" and "judges:a+b+c" in document["signature"]
    both = tmp_path / "both.json"
    both.write_text(json.dumps(json.loads(people.read_text()) | json.loads(judges.read_text())))
    named = [part for name in "abc" for part in ("--judge", name)]
    assert run(capsys, both, *named, "--cost", "a=0.5", "--format", "json").out == two
    split = []
    for name, of in json.loads(judges.read_text()).items():
        split.append(tmp_path / f"{name}.json")
        split[-1].write_text(json.dumps({name: of}))
    assert run(capsys, people, *split, "--cost", "a=0.5", "--format", "json").out == two
    table = run(capsys, people, judges, "--plot", tmp_path / "p.svg").out
    assert "best single judge" in table and "jury: dawid-skene" in table
    assert "jury: majority" in (tmp_path / "p.svg").read_text()


def test_one_person_is_enough_for_a_jury(labels, tmp_path, capsys):
    people, judges = labels
    one = tmp_path / "one.json"
    one.write_text(json.dumps({"u": json.loads(people.read_text())["u"]}))
    assert json.loads(run(capsys, one, judges, "--format", "json").out)["items"] == 120


@pytest.mark.parametrize(
    ("options", "message"),
    [(["--judge", "a"], "a jury has 2 to 100 judges; there are 1"),
     (["--cost", "x=1"], "write NAME=AMOUNT with one of the judges a, b, c"),
     (["--cost", "a=-1"], "--cost a=-1: must be a number of 0 or more")],
)  # fmt: skip
def test_wrong_options_are_named(labels, options, message, capsys):
    assert main(["jury", *map(str, labels), *options]) == 2
    assert message in capsys.readouterr().err


def test_a_judge_that_two_files_have_is_an_error(labels, capsys):
    assert main(["jury", *map(str, labels), str(labels[1])]) == 2
    assert 'the judge "a", "b", "c" is there twice' in capsys.readouterr().err
