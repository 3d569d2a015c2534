"""`concord alt-test`: its table, its JSON, and its errors."""

from __future__ import annotations

import json

import numpy as np
import pytest

from concord.cli import main
from concord.judges.item_ids import shared_prefixes


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(1)
    items = [f"d{k // 4}.{k}__{c}" for k in range(80) for c in ("style", "facts")]
    truth = {item: int(rng.integers(1, 6)) for item in items}

    def label(noise):
        return {
            item: int(np.clip(value + rng.integers(-noise, noise + 1), 1, 5))
            for item, value in truth.items()
        }

    human, judges = tmp_path / "human.json", tmp_path / "judges.json"
    human.write_text(json.dumps({name: label(1) for name in ("ann", "bob", "cat")}))
    judges.write_text(json.dumps({"good": label(0), "bad": dict.fromkeys(items, 1)}))
    return human, judges


def run(capsys, *arguments):
    code = main(["alt-test", *map(str, arguments)])
    return code, *capsys.readouterr()


def test_json_has_omega_and_rho_of_each_judge_and_rater(files, capsys):
    code, out, _ = run(capsys, *files, "--graded", "--format", "json")
    report = json.loads(out)
    assert code == 0
    good = report["judges"]["good"]
    assert good["omega"] == 1.0 and good["passed"] is True
    assert good["rho"] > report["judges"]["bad"]["rho"]
    assert set(good["raters"]) == {"ann", "bob", "cat"}
    assert good["rho_ci"][0] <= good["rho"] <= good["rho_ci"][1]
    assert set(report["baselines"]) > {"random", "marginal"}


def test_criteria_are_reported_apart_and_documents_are_dependent(files, capsys):
    pattern = ("--item-id", "{document}.{item}__{criterion}")
    _, out, _ = run(capsys, *files, "--graded", *pattern, "--format", "json")
    report = json.loads(out)
    assert set(report["criteria"]) == {"style", "facts"}
    for criterion in report["criteria"].values():
        assert criterion["judges"]["good"]["raters"]["ann"]["items"] == 80
    plain, by_document = report["judges"]["bad"], report["judges"]["bad"]["by_document"]
    assert by_document["raters"]["ann"]["judge_wins"] == plain["raters"]["ann"]["judge_wins"]
    assert by_document["raters"]["ann"]["p"] != plain["raters"]["ann"]["p"]


def test_ids_that_share_prefixes_are_warned_of(files, capsys):
    _, out, _ = run(capsys, *files, "--graded", "--format", "json")
    warnings = " ".join(json.loads(out)["warnings"])
    assert "if these are documents" in warnings and "--item-id '{document}" in warnings
    assert "Judge's Verdict asks for an r of 0.80; that of one rater" in run(
        capsys, *files, "--graded"
    )[1].replace("\n", " ")
    _, out, _ = run(
        capsys, *files, "--graded", "--item-id", "{document}.{item}__{criterion}", "--format",
        "json",
    )  # fmt: skip
    assert "if these are documents" not in out


@pytest.mark.parametrize(
    ("items", "pattern"),
    [
        (["d1_a", "d1_b", "d2_a", "d2_b"], "{document}_{part}"),
        (["d-1-a", "d-1-b", "d-2-a", "d-2-b"], "{document}-{part}"),
        (["d1__a", "d1__b", "d_2__a", "d_2__b"], "{document}__{part}"),
        (["item-1", "item-2", "item-3"], None),
        (["c1", "c2"], None),
        (["a-1", "b-1", "c-1"], None),
        (["a-1", "a-2", "b-1", "c"], None),
    ],
)
def test_prefixes_that_several_items_share(items, pattern):
    found = shared_prefixes(items)
    assert (found and found[0]) == pattern


def test_few_items_are_not_tested_and_the_rest_is_named(files, capsys):
    human, judges = files
    for path in files:
        content = json.loads(path.read_text())
        short = {name: dict(list(of.items())[:8]) for name, of in content.items()}
        path.write_text(json.dumps(short))
    _, out, _ = run(capsys, human, judges, "--graded")
    assert "not tested" in out and " no " not in out
    assert "the rater with most has 8, so 22 more are needed" in out
    _, out, _ = run(capsys, human, judges, "--graded", "--format", "json")
    assert json.loads(out)["judges"]["good"]["passed"] is None


def test_the_table_names_judges_baselines_and_warnings(files, capsys):
    code, out, _ = run(capsys, *files, "--graded")
    assert code == 0
    for text in ("omega", "good", "random", "constant", "Pearson"):
        assert text in out


def test_the_same_seed_gives_the_same_output(files, capsys):
    first = run(capsys, *files, "--graded", "--format", "json", "--seed", "4")
    assert first == run(capsys, *files, "--graded", "--format", "json", "--seed", "4")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "is a list; {annotator: {item: label}} is expected"),
        ("{}", "has no annotator"),
        ('{"ann": {}}', "ann: has no labels"),
        ('{"ann": 3}', "ann: is a number"),
        ('{"ann": {"i": null}}', "ann: has no label but null"),
        ('{"ann": {"i": "good"}}', 'ann.i: is "good"; a number is expected'),
        ('{"ann": {"i": true}}', "ann.i: is "),
        ('{"ann": {"i": NaN}}', "ann.i: is nan; a finite number is expected"),
        ('{"ann": {"i": "1,000"}}', "which could be 1000 or 1.000"),
        ('{"ann": {"i": 1}, "ann": {"i": 1}}', "occurs twice"),
        ("{", "is not valid JSON"),
    ],
)
def test_a_faulty_file_is_refused_with_file_and_field(files, capsys, content, message):
    human, judges = files
    judges.write_text(content)
    code, out, error = run(capsys, human, judges, "--graded")
    assert (code, out) == (2, "")
    assert str(judges) in error and message in error


def test_ties_and_invalid_answers_are_counted(tmp_path, capsys):
    human, judges = tmp_path / "h.json", tmp_path / "j.json"
    items = [str(k) for k in range(40)]
    winners = ["A", "B", "tie", "tie (bothbad)"]
    label = {item: winners[int(item) % 4] for item in items}
    human.write_text(json.dumps({"a": label, "b": label | {"0": None}}))
    judges.write_text(json.dumps({"j": label | {"2": "A=B", "3": "tie", "5": None}}))
    code, out, _ = run(capsys, human, judges, "--format", "json")
    report = json.loads(out)
    assert code == 0 and report["both_bad"] == "tie"
    assert report["answers"]["people"] == {"ties": 20, "both_bad": 20, "invalid": 1}
    assert report["answers"]["judges"] == {"j": {"ties": 11, "both_bad": 9, "invalid": 1}}
    assert report["judges"]["j"]["missing"] == 1 and report["judges"]["j"]["rho"] == 1.0
    _, out, _ = run(capsys, human, judges, "--both-bad", "leave-out")
    assert "j: 11 ties, 9 both bad and 1 invalid of 40 answers." in out
    assert "h.json, 2 raters, 30 items" in out and "what is both bad is left out" in out


def test_decimals_without_graded_are_refused_with_a_hint(tmp_path, capsys):
    human = tmp_path / "h.json"
    human.write_text(json.dumps({"a": {"1": 3.5}, "b": {"1": 4}}))
    code, _, error = run(capsys, human, human)
    assert code == 2 and "a.1: is 3.5; text or a whole number is expected" in error
    assert "--graded" in error
    items = [str(k) for k in range(40)]
    human.write_text(json.dumps({name: dict.fromkeys(items, "3.5") for name in "ab"}))
    code, _, error = run(capsys, human, human)
    assert code == 0 and 'compared as categories: "3.5". For numbers on a scale use --g' in error


def test_an_id_that_does_not_match_the_pattern_is_named(files, capsys):
    code, _, error = run(capsys, *files, "--graded", "--item-id", "{document}##{criterion}")
    assert code == 2
    assert "does not match the pattern" in error


@pytest.mark.parametrize("pattern", ["{system}", "plain", "{document}{document}"])
def test_a_pattern_without_its_parts_is_refused(files, capsys, pattern):
    with pytest.raises(SystemExit) as stopped:
        run(capsys, *files, "--item-id", pattern)
    assert stopped.value.code == 2


def test_a_missing_file_is_named(files, capsys):
    code, _, error = run(capsys, files[0], files[0].with_name("none.json"))
    assert code == 2
    assert "none.json: no such file" in error


def test_categories_need_no_option(tmp_path, capsys):
    human, judges = tmp_path / "h.json", tmp_path / "j.json"
    items = [str(k) for k in range(40)]
    human.write_text(json.dumps({name: dict.fromkeys(items, "yes") for name in "ab"}))
    judges.write_text(json.dumps({"j": dict.fromkeys(items, "yes")}))
    code, out, _ = run(capsys, human, judges, "--format", "json")
    assert code == 0
    assert json.loads(out)["judges"]["j"]["rho"] == 1.0
