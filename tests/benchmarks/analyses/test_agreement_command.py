"""`agreement`: alpha of a set's raters, held against numpy and the package `krippendorff`."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils.timezone import now

from annotation.rating.models import Rating
from benchmarks.analyses.rater_agreement import set_ratings
from benchmarks.sets.services import importing
from concord.formats import ReadOptions, read_judgments
from concord.reliability import Ratings, alpha_interval
from tests.annotation.people import full_scene
from tests.benchmarks.factories import write_lines
from tests.concord.reliability.oracles import (
    kpqa_filtered,
    package_alpha,
    squality_rows,
    table_of,
    thumb_table,
)

pytestmark = pytest.mark.django_db


def lines(tables, passages=True):
    """Lines of concord-judgments from {group: units x raters}; two candidates a passage."""
    found = []
    for unit in range(len(next(iter(tables.values())))):
        ratings = [
            {"worker": f"{group}{rater}", "value": value, "group": group}
            for group, table in tables.items()
            for rater, value in enumerate(table[unit])
            if not np.isnan(value)
        ]
        line = {"id": f"c{unit}", "references": ["a"], "candidate": f"b{unit}", "scale": [1, 5]}
        line |= {"passage": f"passage {unit // 2}"} if passages else {}
        found.append(line | ({"ratings": ratings} if ratings else {"score": 3}))
    return found


def made_up(seed=0, units=40, raters=5):
    rng = np.random.default_rng(seed)
    table = np.clip(rng.integers(1, 6, (units, 1)) + rng.integers(-1, 2, (units, raters)), 1, 5)
    return np.where(rng.random(table.shape) < 0.1, np.nan, table)


def import_lines(folder, given, name="rated"):
    read = read_judgments([write_lines(folder / f"{name}.jsonl", given)], "concord", ReadOptions())
    return importing.import_judgments(name, read, at=now())


def import_file(path, format, criterion, name):
    read = read_judgments([path], format, ReadOptions(criterion=criterion))
    return importing.import_judgments(name, read, at=now())


def told(name, *arguments):
    out = io.StringIO()
    call_command("agreement", name, *arguments, "--format", "json", stdout=out)
    return json.loads(out.getvalue())


def shown(name, *arguments):
    out = io.StringIO()
    call_command("agreement", name, *arguments, stdout=out)
    return " ".join(out.getvalue().split())


def equals(figures, table, level):
    counts = np.count_nonzero(~np.isnan(table), axis=1)
    assert figures["alpha"] == pytest.approx(package_alpha(table, level), abs=1e-9)
    assert figures["level"] == level
    assert figures["units"] == np.count_nonzero(counts >= 2)
    assert figures["ratings"] == counts[counts >= 2].sum()
    assert figures["raters_per_unit"] == pytest.approx(counts[counts >= 2].mean())
    low, high = figures["ci"]
    assert low <= figures["alpha"] <= high


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_of_the_only_group(tmp_path, level):
    table = made_up()
    import_lines(tmp_path, lines({"crowd": table}))
    found = told("rated", "--level", level, "--draws", "50")
    equals(found, table, level)
    assert "unfiltered" not in found and "null" not in found


def test_units_are_resampled_by_passage(tmp_path):
    table = made_up()
    judgment_set = import_lines(tmp_path, lines({"": table}))
    ratings = set_ratings(judgment_set)
    assert len(np.unique(ratings.clusters)) == 20
    expected = alpha_interval(Ratings.from_matrix(table, np.arange(40) // 2), seed=4, draws=60)
    assert told("rated", "--seed", "4", "--draws", "60")["ci"] == pytest.approx(expected.ends)


def test_groups_are_told_apart_and_one_must_be_named(tmp_path):
    tables = {"crowd": made_up(1), "expert": made_up(2, raters=3)}
    import_lines(tmp_path, lines(tables))
    for group, table in tables.items():
        equals(told("rated", "--raters", group, "--draws", "50"), table, "ordinal")
    with pytest.raises(CommandError, match="name one of crowd, expert with --raters"):
        told("rated")
    with pytest.raises(CommandError, match="no ratings by 'robot': there are crowd, expert"):
        told("rated", "--raters", "robot")


def test_a_filter_comes_with_what_was_before_and_what_noise_would_give(tmp_path):
    table = made_up(3, raters=8)
    import_lines(tmp_path, lines({"": table}))
    found = told("rated", "--filter", "zscore:1:5", "--draws", "50")
    equals(found, kpqa_filtered(table), "ordinal")
    equals(found["unfiltered"], table, "ordinal")
    low, high = found["null"]["ci"]
    assert 0 < low <= found["null"]["alpha"] <= high < found["alpha"]
    assert found["kept"] + found["removed"] == np.count_nonzero(~np.isnan(table))
    assert found["kept_per_unit"] == found["kept"] / len(table)
    assert "is real" in found["sentence"] or "be real" in found["sentence"]
    assert told("rated", "--filter", "zscore:1:5", "--draws", "50") == found


def test_filters_apply_in_turn_and_the_table_says_what_was_left_out(tmp_path):
    import_lines(tmp_path, lines({"": made_up(4, raters=8)}))
    text = shown("rated", "--filter", "worker:1.5", "--filter", "zscore:1:2:one-sided")
    for part in ("rated@1", "all", "kept", "shuffled, kept", "among workers", "z above 1, at"):
        assert part in text
    assert "On the same ratings shuffled among the items" in text


def test_undefined_figures_are_null_with_a_reason(tmp_path):
    import_lines(tmp_path, lines({"": np.full((3, 2), 4.0)}))
    found = told("rated")
    assert (found["alpha"], found["ci"]) == (None, None)
    assert "every rating is 4" in found["reason"]
    assert "Undefined: every rating is 4" in shown("rated")


def test_a_set_without_single_ratings_says_so(tmp_path):
    import_lines(tmp_path, lines({"": np.full((3, 2), np.nan)}))
    with pytest.raises(CommandError, match="rated@1 has gold scores only"):
        told("rated")


def test_a_threshold_out_of_reach_is_refused_with_its_bound(tmp_path):
    import_lines(tmp_path, lines({"": np.array([[1.0, 2.0, 4.0], [2.0, 2.0, 3.0]])}))
    with pytest.raises(CommandError, match=r"3 ratings is at most 1\.414"):
        told("rated", "--filter", "zscore:1.5:5")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--filter", "zscore"], "is no filter: write zscore:THRESHOLD"),
        (["--filter", "zscore:one:5"], "is no filter"),
        (["--filter", "zscore:1:5:both-sided"], "is no filter"),
        (["--filter", "zscore:-1"], "above 0"),
        (["--filter", "zscore:1:0"], "at_most must be 1 or more"),
        (["--filter", "worker:nan"], "above 0"),
        (["--level", "cardinal"], "invalid choice"),
        (["--seed", "-1"], "0 or more"),
        (["--draws", "0"], "1 or more"),
    ],
)
def test_bad_options_are_refused(arguments, message):
    with pytest.raises(CommandError, match=message):
        call_command("agreement", "rated", *arguments)


def test_an_unknown_set_is_named():
    with pytest.raises(CommandError, match="no judgment set 'nothing'"):
        told("nothing")


@pytest.mark.parametrize(("group", "raters"), [("expert", "expert"), ("crowd", "turker")])
def test_thumb_with_and_without_the_filter(concord_data, group, raters):
    import_file(concord_data / "thumb" / "cnndm_part1.jsonl", "thumb", "coherence", "thumb")
    table = thumb_table(concord_data, raters, "coherence").astype(float)
    found = told("thumb", "--raters", group, "--filter", "zscore:1:5", "--draws", "100")
    equals(found, kpqa_filtered(table), "ordinal")
    equals(found["unfiltered"], table, "ordinal")


@pytest.mark.parametrize("level", ["ordinal", "interval"])
def test_squality_with_and_without_the_filter(concord_data, level):
    file = concord_data / "squality" / "human-eval-1.jsonl"
    import_file(file, "squality", "overall", "squality")
    table = table_of(squality_rows(concord_data, "overall"))
    arguments = ("--level", level, "--filter", "zscore:1:5", "--draws", "100")
    found = told("squality", *arguments)
    equals(found, kpqa_filtered(table), level)
    equals(found["unfiltered"], table, level)


def test_a_study_is_asked_by_its_name_or_behind_a_set_of_the_same_name(tmp_path):
    scene = full_scene()
    kept = Rating.objects.filter(candidate__study=scene.study, candidate__use="rated")
    rows = [(r.candidate_id, r.worker_id, r.value) for r in kept]
    units, workers = sorted({row[0] for row in rows}), sorted({row[1] for row in rows})
    table = np.full((len(units), len(workers)), np.nan)
    for unit, worker, value in rows:
        table[units.index(unit), workers.index(worker)] = value
    found = told(scene.slug, "--draws", "20")
    assert found["study"] == scene.slug and "judgment_set" not in found
    equals(found, table, "ordinal")
    import_lines(tmp_path, lines({"": made_up()}), scene.slug)
    assert told(scene.slug, "--draws", "20")["judgment_set"] == scene.slug
    assert told(f"study:{scene.slug}", "--draws", "20") == found
    assert f"study {scene.slug}: Krippendorff's alpha" in shown(f"study:{scene.slug}")
    with pytest.raises(CommandError, match="There is no study 'nobody'"):
        told("study:nobody")
    with pytest.raises(CommandError, match="leave --raters out"):
        told(f"study:{scene.slug}", "--raters", "crowd")


def test_alpha_of_a_split_and_a_constituent(tmp_path):
    """MOCHA's alpha is of the validation split, by constituent (section 2.3)."""
    table = made_up(units=60)
    given = lines({"": table}, passages=False)
    for unit, line in enumerate(given):
        line |= {"instance": f"i{unit}", "split": ("dev", "test")[unit % 2]}
        line |= {"constituent": ("drop", "quoref", "quoref")[unit % 3]}
    import_lines(tmp_path, given, "parts")
    for options, chosen in (
        ({"split": "dev"}, np.arange(60) % 2 == 0),
        ({"split": "dev", "constituent": "quoref"},
         (np.arange(60) % 2 == 0) & (np.arange(60) % 3 > 0)),
    ):  # fmt: skip
        out = io.StringIO()
        call_command("agreement", "parts", format="json", stdout=out, **options)
        found = json.loads(out.getvalue())
        assert found["alpha"] == pytest.approx(package_alpha(table[chosen], "ordinal"))
        assert found["split"] == "dev" and found["constituent"] == options.get("constituent")
    out = io.StringIO()
    call_command("agreement", "parts", split="dev", stdout=out)
    assert "parts@1, dev: Krippendorff's alpha" in out.getvalue()
    with pytest.raises(CommandError, match="no ratings of split 'moon'"):
        call_command("agreement", "parts", split="moon")
