"""The same items judged again."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy

from concord.cli import main
from concord.inference import Estimate
from concord.judges.drift import Rejudged, drift_report


def row_of(base, now, gold, clusters=None, **options):
    arrays = [np.array(one, dtype=float) for one in (base, now, gold)]
    codes = np.arange(len(base)) if clusters is None else clusters
    report = drift_report({"j": Rejudged(*arrays[:2])}, arrays[2], codes, **options)
    return report.judges["j"]


def test_the_fall_is_a_paired_test_of_right_labels():
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, 200)
    base = np.where(rng.random(200) < 0.7, gold, 1 - gold)
    now = np.where(rng.random(200) < 0.4, 1 - base, base)
    row = row_of(base, now, gold, graded=False, categories=["no", "yes"])
    right = (base == gold).astype(float), (now == gold).astype(float)
    oracle = scipy.stats.ttest_rel(*right, alternative="greater")
    assert row.fall.p == pytest.approx(oracle.pvalue) and row.verdict == "agreement fell"
    assert row.fall.low == pytest.approx(oracle.confidence_interval(0.95).low)
    assert row.base.value - row.now.value == pytest.approx(row.fall.value)
    assert row.changed.value == np.mean(base != now)
    assert {(one.before, one.after): one.items for one in row.labels} == {
        ("no", "yes"): np.sum((base == 0) & (now == 1)),
        ("yes", "no"): np.sum((base == 1) & (now == 0)),
    }


def test_grades_fall_by_their_distance_from_people():
    rng = np.random.default_rng(1)
    gold = rng.normal(3, 1, 300)
    base = gold + 0.1 * rng.normal(size=300)
    row = row_of(base, base + 1, gold, graded=True)
    assert row.shift.value == pytest.approx(1) and row.size.value == pytest.approx(1)
    # A mean change that keeps Pearson's r, as of a judge that became lenient.
    assert row.verdict == "agreement fell" and 0.8 < row.fall.low < row.fall.high < 1
    assert row_of(base + 1, base, gold, graded=True).verdict == "no fall is seen"


def test_items_of_one_passage_are_one_observation():
    rng = np.random.default_rng(2)
    gold = np.zeros(40)
    base, now = np.zeros(40), rng.integers(0, 2, 40).astype(float)
    alone = row_of(base, now, gold, graded=False, categories="ab").fall
    copies = [np.repeat(one, 25) for one in (base, now, gold, np.arange(40))]
    copied = row_of(*copies, graded=False, categories="ab").fall
    assert vars(copied) == pytest.approx(vars(alone))


def test_many_looks_share_the_error():
    rng = np.random.default_rng(3)
    base, now, gold = rng.normal(size=(3, 100))
    one, year = (row_of(base, now, gold, graded=True, looks=n).fall for n in (1, 365))
    assert year.low < one.low < one.value < one.high < year.high
    assert year.p == one.p and year.detectable > one.detectable
    error = (one.high - one.value) / scipy.stats.t.isf(0.05, 99)
    assert year.high - year.value == pytest.approx(error * scipy.stats.t.isf(0.05 / 365, 99))


def test_the_fall_that_is_seen_in_four_of_five_cases():
    """The fall whose test has 80% power, by simulation."""
    rng = np.random.default_rng(4)
    error = rng.normal(size=(400, 50))
    fall = row_of(np.zeros(50), np.zeros(50) + error[0], np.zeros(50), graded=True).fall
    spread = (fall.high - fall.value) / scipy.stats.t.isf(0.05, 49) * np.sqrt(50)
    drawn = fall.detectable + spread * error
    seen = scipy.stats.ttest_1samp(drawn, 0, axis=1, alternative="greater").pvalue < 0.05
    assert abs(seen.mean() - 0.8) < 0.06


@pytest.mark.parametrize("looks", [1, 365])
def test_the_same_answers_may_hide_a_rare_fall(looks):
    """A fall that leaves all of ten answers unchanged with the probability of an error."""
    row = row_of([1.0] * 10, [1.0] * 10, [1.0] * 10, graded=False, categories="ab", looks=looks)
    assert row.changed.value == 0 and row.labels == []
    assert row.fall.high == -row.fall.low == pytest.approx(1 - (0.05 / looks) ** 0.1)
    assert row.verdict == "no fall is seen" and row.fall.detectable < 1
    grades = row_of([2.0] * 10, [2.0] * 10, np.arange(10), graded=True, looks=looks).fall
    assert grades.high == pytest.approx(9 * row.fall.high)
    nothing = row_of([2.0] * 10, [2.0] * 10, [2.0] * 10, graded=True).fall
    assert nothing.p is None and "the same label" in nothing.reason


def test_a_fall_of_all_answers_may_hide_rises():
    """Of ten answers that fall or rise with equal probability, all fall in 1 of 1,024 cases."""
    fall = row_of([1.0] * 10, [0.0] * 10, [1.0] * 10, graded=False, categories="ab").fall
    assert fall.p == pytest.approx(2**-10)
    assert (fall.low, fall.high) == (pytest.approx(2 * 0.05**0.1 - 1), 1)


@pytest.mark.parametrize(("fell", "rose"), [(0.05, 0.0), (0.1, 0.0), (0.05, 0.05)])
def test_bounds_hold_for_rare_falls(fell, rose):
    rng, wrong, trials = np.random.default_rng(6), np.zeros(2), 300
    clusters, gold = np.repeat(np.arange(30), 2), np.ones(60)
    for _ in range(trials):
        hard = np.sqrt(0.3) * rng.normal(size=30)[clusters] + np.sqrt(0.7) * rng.normal(size=60)
        chance = scipy.special.ndtr(hard)
        base, now = chance < 1 - rose, chance > fell
        fall = row_of(base, now, gold, clusters, graded=False, categories="ab").fall
        wrong += fall.low > fell - rose + 1e-9, fall.high < fell - rose - 1e-9
    assert wrong.max() / trials <= 0.08


def test_grades_that_differ_by_rounding_did_not_change():
    base = np.linspace(1, 5, 40) * 1e-6
    row = row_of(base, base * (1 + 1e-15), base, graded=True)
    assert row.changed.value == 0
    moved = [row_of(k * base + 1, k * base[::-1] + 1, k * base + 1, graded=True) for k in (1, 1e6)]
    assert moved[0].fall.p == pytest.approx(moved[1].fall.p, rel=1e-6)


@pytest.mark.parametrize(
    ("gold", "reason"),
    [([1.0] * 9, "9 passages; at least 10 are needed"),
     ([np.nan] * 9, "people judged none of the items")],
)  # fmt: skip
def test_too_little_is_not_tested(gold, reason):
    row = row_of([1.0] * 9, [2.0] * 9, gold, graded=True)
    assert row.verdict == "not tested" and row.fall.reason == reason
    assert row.changed.value == 1


def test_missing_answers_are_left_out_and_counted():
    nan = np.nan
    row = row_of([1, nan, nan, 1] * 9, [1, 1, nan, nan] * 9, [1, 1, 1, 1] * 9, graded=True)
    assert row.items == 9 and row.missing == (9, 9)
    none = row_of([1, nan], [nan, 1], [1, 1], graded=True)
    assert none.changed == Estimate(None, reason="no item was judged both times")


@pytest.fixture
def files(tmp_path):
    """People's judgments with a judge among the raters, and answers of the judge, twice."""
    rng = np.random.default_rng(5)
    paths = {name: tmp_path / f"{name}.jsonl" for name in ("set", "people", "base", "now")}
    lines = {name: [] for name in paths}
    for k in range(80):
        level = int(rng.integers(1, 6))
        grades = {"base": float(level), "now": float(np.clip(level + rng.integers(0, 2), 1, 5))}
        row = {"id": f"c{k}", "question": f"q{k // 2}?", "references": ["r"], "candidate": f"x{k}"}
        ratings = [{"worker": w, "value": level} for w in "ab"]
        lines["people"].append(row | {"scale": [1, 5], "ratings": ratings})
        judged = [*ratings, {"worker": "gpt", "value": grades["base"]}]
        lines["set"].append(row | {"scale": [1, 5], "ratings": judged})
        for name, grade in grades.items():
            lines[name].append({"id": f"c{k}", "scores": {"gpt": grade}})
    for name, path in paths.items():
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines[name]))
    return paths


def run(capsys, *arguments):
    assert main(["drift", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_people_are_in_a_file_of_their_own_or_in_that_of_the_base(files, capsys):
    options = ["--graded", "--format", "json"]
    three = run(capsys, files["base"], files["now"], "--people", files["people"], *options)
    two = run(capsys, files["set"], files["now"], "--judge", "gpt", *options)
    assert two == three
    row = json.loads(two)["judges"]["gpt"]
    assert row["items"] == 80 and row["passages"] == 40 and row["verdict"] == "agreement fell"


def test_without_people_only_changes_are_counted(files, capsys):
    document = json.loads(run(capsys, files["base"], files["now"], "--format", "json"))
    row = document["judges"]["gpt"]
    assert row["verdict"] == "not tested" and row["changed"]["value"] > 0.2
    assert {one["before"] for one in row["labels"]} <= set("1234")
    table = run(capsys, files["base"], files["now"])
    assert "people judged none of the items" in table and "changed: " in table


def test_judges_are_joined_by_name_or_where_each_file_has_one(files, tmp_path, capsys):
    other = tmp_path / "other.jsonl"
    other.write_text(files["now"].read_text().replace('"gpt"', '"gpt-5"'))
    document = json.loads(run(capsys, files["base"], other, "--format", "json"))
    assert list(document["judges"]) == ["gpt-5"]
    two = tmp_path / "two.jsonl"
    two.write_text(files["now"].read_text().replace('{"gpt"', '{"b": 1, "c"'))
    assert main(["drift", str(files["base"]), str(two)]) == 2
    assert 'no judge is in both files: the base has "gpt"' in capsys.readouterr().err
