"""Labels of a judge and of raters: one rule for which are the same."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.cli import main
from concord.formats.judge_answers import read_judge_answers
from concord.formats.labels import LabelMap, label_key, read_labels
from concord.judges import AltTestOptions, HumanLabels, grades_from_scores, judge_report
from concord.judges.alternative_annotator import compare_with_raters
from concord.reliability import RatingsError
from tests import real_data

ITEMS = [f"i{k}" for k in range(60)]
FORMS = [str, str.upper, str.lower, lambda label: f" {label}\n"]


def people_of(labels=("Yes", "No"), seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.choice(labels, len(ITEMS))
    return {
        rater: {
            item: label if rng.random() < 0.8 else str(rng.choice(labels))
            for item, label in zip(ITEMS, truth, strict=True)
        }
        for rater in ("ann", "bob", "cat")
    }


def judge_of(people, change=str):
    return {item: change(label) for item, label in people["ann"].items()}


def report(people, judge, **options):
    return judge_report(people, {"j": judge}, options=AltTestOptions(draws=20), **options)


@pytest.mark.parametrize("form", FORMS)
def test_case_and_outer_spaces_do_not_matter(form):
    people = people_of()
    plain = report(people, judge_of(people))
    other = report(people, judge_of(people, form))
    assert other.to_json() == plain.to_json()
    assert plain.judges["j"].agreement.accuracy.value > 0.8


def test_raters_spell_one_category_differently():
    people = people_of()
    mixed = people | {"bob": judge_of({"ann": people["bob"]}, str.lower)}
    judge = judge_of(people)
    assert report(mixed, judge).to_json() == report(people, judge).to_json()
    assert HumanLabels.from_mapping(mixed, graded=False).categories == ("No", "Yes")


@given(st.text(max_size=5), st.text(" \t\n", max_size=2), st.text(" \t\n", max_size=2))
def test_the_rule_is_the_same_for_every_source(tmp_path_factory, label, before, after):
    written = f"{before}{label}{after}"
    assert label_key(written) == label_key(label)
    people = HumanLabels.from_mapping({"a": {"i": label}, "b": {"i": "other"}}, graded=False)
    same = people.codes_of({"i": written})[0] == people.values[0, 0]
    assert same or not label.strip()


def test_numbers_and_texts_of_numbers_are_one_category():
    people = {"a": {"i": 1, "j": 2}, "b": {"i": "1", "j": 2.0}}
    labels = HumanLabels.from_mapping(people, graded=False)
    assert labels.categories == ("1", "2")
    assert labels.codes_of({"i": 1.0, "j": " 2 "}).tolist() == [0, 1]


def test_no_label_in_common_is_an_error_that_names_both_sides():
    people = people_of()
    judge = judge_of(people, {"Yes": "correct", "No": "wrong"}.get)
    with pytest.raises(RatingsError, match="no label in common") as caught:
        report(people, judge)
    assert all(name in str(caught.value) for name in ('"correct"', '"wrong"', '"Yes"', "--map"))


def test_labels_of_one_side_only_are_named():
    people = people_of(("Yes", "No", "Unsure"))
    judge = judge_of(people, {"Yes": "yes", "No": "no", "Unsure": "maybe"}.get)
    warnings = report(people, judge).warnings
    assert warnings[0] == "labels of the judge 'j' that no rater has: \"maybe\""
    assert warnings[1] == "labels of the raters that the judge 'j' never has: \"Unsure\""
    assert not any("labels of" in one for one in report(people, judge_of(people)).warnings)


def grades(low=1, high=5, seed=3):
    rng = np.random.default_rng(seed)
    truth = rng.integers(low, high + 1, len(ITEMS))
    return {
        name: {
            item: float(np.clip(value + rng.integers(-1, 2), low, high))
            for item, value in zip(ITEMS, truth, strict=True)
        }
        for name in ("ann", "bob", "cat")
    }


@pytest.mark.parametrize(
    ("change", "ends"),
    [
        (lambda grade: (grade - 1) / 4, "0 to 1"),
        (lambda grade: 99.0 if grade == 3 else grade, "1 to 99"),
        (lambda grade: 2 * grade, "2 to 10"),
        (lambda grade: 10 * grade, "10 to 50"),
        (lambda grade: 1 + grade / 5, "1.2 to 2"),
    ],
)
def test_grades_of_another_scale_are_fitted_and_named(change, ends):
    """As they are on a site: one set of labels, of which the warning says where it is from."""
    people = grades()
    judge = judge_of(people, change)
    result = report(people, judge, graded=True)
    assert (
        f"j: its own scores, from {ends}, are not on people's scale from 1 to 5"
        in (result.warnings[0])
    )
    labels = HumanLabels.from_mapping(people, graded=True)
    own = labels.codes_of(judge)
    fitted = grades_from_scores(own, labels.verdicts, labels.clusters, (1, 5))
    expected = compare_with_raters(labels, fitted).advantage()
    assert result.judges["j"].test.advantage.value == pytest.approx(expected)
    r = np.corrcoef(own, labels.verdicts)[0, 1]
    assert result.judges["j"].agreement.pearson.value == pytest.approx(r)


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (lambda grade: (grade - 1) / 4, "from 0 to 1, are not on people's scale from 1 to 5"),
        (lambda grade: 99.0 if grade == 3 else grade, "from 1 to 99, are not"),
        (lambda grade: 1 + grade / 5, "from 1.2 to 2, are not on people's scale from 1 to 5"),
    ],
)
def test_label_warnings_name_grades_of_another_scale(change, part):
    people = grades()
    labels = HumanLabels.from_mapping(people, graded=True)
    (warning,) = labels.label_warnings("j", judge_of(people, change))
    assert part in warning and "check that they are on one scale" in warning
    with pytest.raises(RatingsError, match="from 10 to 50, are not on people's scale from 1 to 5"):
        labels.label_warnings("j", judge_of(people, lambda grade: grade * 10))


@pytest.mark.parametrize("value", [1.0, 5.0])
def test_grades_of_one_scale_have_no_warning(value):
    people = grades()
    for judge in (people["ann"], dict.fromkeys(ITEMS, value)):
        assert not any("scale" in one for one in report(people, judge, graded=True).warnings)


def test_the_option_map_brings_labels_together(tmp_path, capsys):
    people = people_of()
    human, judges = tmp_path / "human.json", tmp_path / "judges.json"
    human.write_text(json.dumps(people))
    judges.write_text(json.dumps({"j": judge_of(people, {"Yes": 1, "No": "n"}.get)}))

    def run(*options):
        code = main(["alt-test", str(human), str(judges), "--draws", "20", *options])
        return code, *capsys.readouterr()

    code, _, error = run()
    assert code == 2 and "have no label in common" in error
    code, out, _ = run("--map", "YES=1", "--map", "n = no", "--format", "json")
    expected = report(people, judge_of(people)).judges["j"].to_json()
    mapped = json.loads(out)["judges"]["j"]
    assert code == 0 and mapped["omega"] == expected["omega"] == 1.0
    code, _, error = run("--map", "yess=1")
    assert code == 2 and '--map: neither file has the label "yess"' in error
    code, _, error = run("--map", "yes")
    assert code == 2 and "'yes' maps no label: write LABEL=OTHER" in error


def test_words_are_mapped_to_grades(tmp_path):
    path = tmp_path / "labels.json"
    path.write_text(json.dumps({"a": {"i": "Good ", "j": 2, "k": 0.5}}))
    label_map = LabelMap.parse(["good=5", "0.5=1"])
    assert read_labels(path, graded=True, label_map=label_map) == {"a": {"i": 5, "j": 2, "k": 1}}
    assert not label_map.unused
    with pytest.raises(ValueError, match="mapped to two labels"):
        LabelMap.parse(["good=5", "GOOD=4"])


def test_a_judges_stored_labels_follow_the_same_rule(tmp_path):
    path = tmp_path / "answers.jsonl"
    rows = [{"labels": ["No", "Yes"]}, {"id": "a", "label": " YES"}, {"id": "b", "label": "no\n"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [answer.score for answer in read_judge_answers(path).answers] == [1.0, 0.0]


@pytest.mark.parametrize("name", ["wax", "cebab_aspects", "summeval", "10k_prompts"])
def test_the_authors_sets_have_only_labels_in_common_or_named(name):
    folder = real_data.path("alttest") / name
    graded = name in ("summeval", "10k_prompts")
    people = HumanLabels.from_mapping(
        read_labels(folder / "human_annotations.json", graded=graded), graded=graded
    )
    judges = read_labels(folder / "llm_annotations.json", graded=graded)
    warnings = [one for judge in judges for one in people.label_warnings(judge, judges[judge])]
    assert bool(warnings) == (name == "wax")
    assert sum("None-of-the-above" in one for one in warnings) == 4 * (name == "wax")
