"""The command `agreement`, compared with numpy and the package `krippendorff`."""

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
from concord.reliability import Ratings, alpha
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
    """Lines of concord-judgments from {group: units x raters}; two candidates per passage."""
    records = []
    for unit in range(len(next(iter(tables.values())))):
        ratings = [
            {"worker": f"{group}{rater}", "value": value, "group": group}
            for group, table in tables.items()
            for rater, value in enumerate(table[unit])
            if not np.isnan(value)
        ]
        line = {"id": f"c{unit}", "references": ["a"], "candidate": f"b{unit}", "scale": [1, 5]}
        line |= {"passage": f"passage {unit // 2}"} if passages else {}
        records.append(line | ({"ratings": ratings} if ratings else {"score": 3}))
    return records


def random_table(seed=0, units=40, raters=5):
    rng = np.random.default_rng(seed)
    table = np.clip(rng.integers(1, 6, (units, 1)) + rng.integers(-1, 2, (units, raters)), 1, 5)
    return np.where(rng.random(table.shape) < 0.1, np.nan, table)


def import_lines(folder, records, name="rated"):
    path = write_lines(folder / f"{name}.jsonl", records)
    judgments = read_judgments([path], "concord", ReadOptions())
    return importing.import_judgments(name, judgments, at=now())


def import_file(path, format, criterion, name):
    judgments = read_judgments([path], format, ReadOptions(criterion=criterion))
    return importing.import_judgments(name, judgments, at=now())


def agreement_json(name, *arguments):
    out = io.StringIO()
    call_command("agreement", name, *arguments, "--format", "json", stdout=out)
    return json.loads(out.getvalue())


def agreement_text(name, *arguments):
    out = io.StringIO()
    call_command("agreement", name, *arguments, stdout=out)
    return " ".join(out.getvalue().split())


def equals(figures, table, level, no_interval=""):
    counts = np.count_nonzero(~np.isnan(table), axis=1)
    assert figures["alpha"] == pytest.approx(package_alpha(table, level), abs=1e-9)
    assert figures["level"] == level
    assert figures["units"] == np.count_nonzero(counts >= 2)
    assert figures["ratings"] == counts[counts >= 2].sum()
    assert figures["raters_per_unit"] == pytest.approx(counts[counts >= 2].mean())
    if no_interval:
        assert figures["ci"] is None and figures["no_interval"] == no_interval
        return
    low, high = figures["ci"]
    assert low <= figures["alpha"] <= high


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_of_the_only_group(tmp_path, level):
    table = random_table()
    import_lines(tmp_path, lines({"crowd": table}))
    report = agreement_json("rated", "--level", level, "--draws", "50")
    equals(report, table, level)
    assert "unfiltered" not in report and "null" not in report


def test_units_are_resampled_by_passage(tmp_path):
    table = random_table()
    judgment_set = import_lines(tmp_path, lines({"": table}))
    ratings = set_ratings(judgment_set)
    assert len(np.unique(ratings.clusters)) == 20
    expected = alpha(Ratings.from_matrix(table, np.arange(40) // 2), seed=4, draws=60)
    assert agreement_json("rated", "--seed", "4", "--draws", "60")["ci"] == pytest.approx(
        expected.ci
    )


def test_one_of_several_groups_must_be_named(tmp_path):
    tables = {"crowd": random_table(1), "expert": random_table(2, raters=3)}
    import_lines(tmp_path, lines(tables))
    for group, table in tables.items():
        equals(agreement_json("rated", "--raters", group, "--draws", "50"), table, "ordinal")
    with pytest.raises(CommandError, match="choose one of crowd, expert with --raters"):
        agreement_json("rated")
    with pytest.raises(CommandError, match="Groups with ratings: crowd, expert"):
        agreement_json("rated", "--raters", "robot")


def test_a_filter_reports_alpha_before_it_and_of_shuffled_ratings(tmp_path):
    table = random_table(3, raters=8)
    import_lines(tmp_path, lines({"": table}))
    report = agreement_json("rated", "--filter", "zscore:1:5", "--draws", "50")
    equals(report, kpqa_filtered(table), "ordinal")
    equals(report["unfiltered"], table, "ordinal")
    low, high = report["null"]["ci"]
    assert 0 < low <= report["null"]["alpha"] <= high < report["alpha"]
    assert report["kept"] + report["removed"] == np.count_nonzero(~np.isnan(table))
    assert report["kept_per_unit"] == report["kept"] / len(table)
    assert "is real" in report["sentence"] or "be real" in report["sentence"]
    assert agreement_json("rated", "--filter", "zscore:1:5", "--draws", "50") == report


def test_filters_apply_in_order_and_the_table_lists_them(tmp_path):
    import_lines(tmp_path, lines({"": random_table(4, raters=8)}))
    text = agreement_text("rated", "--filter", "worker:1.5", "--filter", "zscore:1:2:one-sided")
    for part in ("rated@1", "all", "kept", "shuffled, kept", "among workers", "z above 1, at"):
        assert part in text
    assert "On the same ratings shuffled among the items" in text


def test_undefined_figures_are_null_with_a_reason(tmp_path):
    import_lines(tmp_path, lines({"": np.full((3, 2), 4.0)}))
    report = agreement_json("rated")
    assert (report["alpha"], report["ci"]) == (None, None)
    assert "every rating is 4" in report["reason"]
    assert "Undefined: every rating is 4" in agreement_text("rated")


def test_a_set_without_single_ratings_is_refused(tmp_path):
    import_lines(tmp_path, lines({"": np.full((3, 2), np.nan)}))
    with pytest.raises(CommandError, match="rated@1 has gold scores only"):
        agreement_json("rated")


def test_a_threshold_above_the_maximum_z_score_is_refused(tmp_path):
    import_lines(tmp_path, lines({"": np.array([[1.0, 2.0, 4.0], [2.0, 2.0, 3.0]])}))
    with pytest.raises(CommandError, match=r"3 ratings is at most 1\.414"):
        agreement_json("rated", "--filter", "zscore:1.5:5")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--filter", "zscore"], "is no filter: write zscore:THRESHOLD"),
        (["--filter", "zscore:one:5"], "is no filter"),
        (["--filter", "zscore:1:5:both-sided"], "is no filter"),
        (["--filter", "zscore:-1"], "above 0"),
        (["--filter", "zscore:1:0"], "at_most must be 1 or more"),
        (["--filter", "worker:nan"], "finite number is expected"),
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
        agreement_json("nothing")


@pytest.mark.parametrize(
    ("group", "raters", "no_interval"),
    [("expert", "expert", "the figure is the same in all resamples"), ("crowd", "turker", "")],
)
def test_thumb_with_and_without_the_filter(concord_data, group, raters, no_interval):
    import_file(concord_data / "thumb" / "cnndm_part1.jsonl", "thumb", "coherence", "thumb")
    table = thumb_table(concord_data, raters, "coherence").astype(float)
    report = agreement_json("thumb", "--raters", group, "--filter", "zscore:1:5", "--draws", "100")
    equals(report, kpqa_filtered(table), "ordinal", no_interval=no_interval)
    equals(report["unfiltered"], table, "ordinal")


@pytest.mark.parametrize("level", ["ordinal", "interval"])
def test_squality_with_and_without_the_filter(concord_data, level):
    file = concord_data / "squality" / "human-eval-1.jsonl"
    import_file(file, "squality", "overall", "squality")
    table = table_of(squality_rows(concord_data, "overall"))
    arguments = ("--level", level, "--filter", "zscore:1:5", "--draws", "100")
    report = agreement_json("squality", *arguments)
    equals(report, kpqa_filtered(table), level)
    equals(report["unfiltered"], table, level)


def test_a_study_is_found_by_its_name_or_with_a_prefix(tmp_path):
    scene = full_scene()
    ratings = Rating.objects.filter(candidate__study=scene.study, candidate__use="rated")
    rows = [(r.candidate_id, r.worker_id, r.value) for r in ratings]
    units, workers = sorted({row[0] for row in rows}), sorted({row[1] for row in rows})
    table = np.full((len(units), len(workers)), np.nan)
    for unit, worker, value in rows:
        table[units.index(unit), workers.index(worker)] = value
    report = agreement_json(scene.slug, "--draws", "20")
    assert report["study"] == scene.slug and "judgment_set" not in report
    equals(report, table, "ordinal", no_interval="4 passages; at least 10 are needed")
    import_lines(tmp_path, lines({"": random_table()}), scene.slug)
    assert agreement_json(scene.slug, "--draws", "20")["judgment_set"] == scene.slug
    assert agreement_json(f"study:{scene.slug}", "--draws", "20") == report
    assert f"study {scene.slug}: Krippendorff's alpha" in agreement_text(f"study:{scene.slug}")
    with pytest.raises(CommandError, match="There is no study 'nobody'"):
        agreement_json("study:nobody")
    with pytest.raises(CommandError, match="omit --raters"):
        agreement_json(f"study:{scene.slug}", "--raters", "crowd")


def test_alpha_of_a_split_and_a_constituent(tmp_path):
    """MOCHA's alpha is of the validation split, by constituent (section 2.3)."""
    table = random_table(units=60)
    records = lines({"": table}, passages=False)
    for unit, line in enumerate(records):
        line |= {"instance": f"i{unit}", "split": ("dev", "test")[unit % 2]}
        line |= {"constituent": ("drop", "quoref", "quoref")[unit % 3]}
    import_lines(tmp_path, records, "parts")
    for options, mask in (
        ({"split": "dev"}, np.arange(60) % 2 == 0),
        ({"split": "dev", "constituent": "quoref"},
         (np.arange(60) % 2 == 0) & (np.arange(60) % 3 > 0)),
    ):  # fmt: skip
        out = io.StringIO()
        call_command("agreement", "parts", format="json", stdout=out, **options)
        report = json.loads(out.getvalue())
        assert report["alpha"] == pytest.approx(package_alpha(table[mask], "ordinal"))
        assert report["split"] == "dev" and report["constituent"] == options.get("constituent")
    out = io.StringIO()
    call_command("agreement", "parts", split="dev", stdout=out)
    assert "parts@1, dev: Krippendorff's alpha" in out.getvalue()
    with pytest.raises(CommandError, match="no ratings of split 'moon'"):
        call_command("agreement", "parts", split="moon")
