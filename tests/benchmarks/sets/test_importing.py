"""Versions of judgment sets: whole, frozen, and the same again after export and import."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from django.db import IntegrityError, transaction
from django.utils.timezone import now

from benchmarks.exports.services import exports
from benchmarks.sets.models import Candidate, JudgmentSet, Rating
from benchmarks.sets.services import importing
from concord.formats import ReadOptions, read_judgments, read_pairs
from core.refusals import RefusedError
from tests.benchmarks.factories import candidate_lines, make_set, pair_lines, write_lines

pytestmark = pytest.mark.django_db


def read(path: Path):
    return read_judgments([path], "concord", ReadOptions())


def test_a_set_holds_what_the_file_held(tmp_path):
    made = make_set(tmp_path, pairs=4)
    assert (made.name, made.version, str(made)) == ("small", 1, "small@1")
    assert (made.n_candidates, made.n_pairs, made.n_items) == (12, 4, 20)
    first = made.candidates.with_instance().get(key="c0-a")
    assert first.instance.question == "What stood by the tall?"
    assert first.instance.references == ["the red 0", "it was the red"]
    assert [(r.worker, r.value) for r in first.ratings.all()] == [("w0", 1), ("w1", 2)]
    gold = np.frombuffer(bytes(made.gold_scores), "<f8")
    assert gold.tolist() == list(made.candidates.values_list("gold", flat=True))


def test_a_file_may_state_no_scale(tmp_path):
    lines = [{k: v for k, v in line.items() if k != "scale"} for line in candidate_lines()]
    judgments = read_judgments([write_lines(tmp_path / "j", lines)], "concord")
    made = importing.import_judgments("small", judgments, at=now())
    assert (made.scale_low, made.scale_high) == (None, None)


def test_the_name_alone_means_the_latest_version(tmp_path):
    make_set(tmp_path)
    make_set(tmp_path, instances=7)
    assert JudgmentSet.objects.named("small").version == 2
    assert JudgmentSet.objects.named("small@1").n_candidates == 12
    with pytest.raises(JudgmentSet.DoesNotExist, match="Available sets: small"):
        JudgmentSet.objects.named("large")
    with pytest.raises(JudgmentSet.DoesNotExist, match="not the name of a judgment set"):
        JudgmentSet.objects.named("Small Set")


def test_the_database_refuses_to_change_a_frozen_set(tmp_path):
    made = make_set(tmp_path, pairs=1)
    changes = [
        lambda: Candidate.objects.update(gold=1.0),
        lambda: Rating.objects.update(value=1.0),
        lambda: made.instances.update(question="?"),
        lambda: made.pairs.update(phenomenon="other"),
        lambda: JudgmentSet.objects.update(content_hash="0" * 64),
    ]
    for change in changes:
        with pytest.raises(IntegrityError, match="judgment sets are frozen"), transaction.atomic():
            change()
    JudgmentSet.objects.update(title="A better title")  # what a set is called may change


def test_export_and_import_give_the_same_set_but_for_worker_names(tmp_path):
    made = make_set(tmp_path, pairs=3)
    (tmp_path / "out.jsonl").write_text("".join(exports.judgments(made)))
    (tmp_path / "pairs.jsonl").write_text("".join(exports.pairs(made)))
    again = importing.import_judgments(
        "again",
        read(tmp_path / "out.jsonl"),
        read_pairs([tmp_path / "pairs.jsonl"], "concord"),
        at=now(),
    )
    assert again.content_hash == made.content_hash
    assert again.statistics == made.statistics
    workers = set(Rating.objects.filter(candidate__judgment_set=again).values_list("worker"))
    assert all(worker.startswith("w-") and len(worker) == 14 for (worker,) in workers)
    assert '"w0"' not in (tmp_path / "out.jsonl").read_text()


def test_the_content_hash_does_not_depend_on_the_order_of_lines(tmp_path):
    lines = candidate_lines()
    one = importing.import_judgments("one", read(write_lines(tmp_path / "1", lines)), at=now())
    two = importing.import_judgments(
        "two", read(write_lines(tmp_path / "2", lines[::-1])), at=now()
    )
    lines[3]["score"] = 2.0
    other = importing.import_judgments("other", read(write_lines(tmp_path / "3", lines)), at=now())
    assert one.content_hash == two.content_hash != other.content_hash


def test_pairs_make_the_next_version_and_leave_the_one_before_alone(tmp_path):
    first = make_set(tmp_path)
    pairs = read_pairs([write_lines(tmp_path / "p", pair_lines(5))], "concord")
    second = importing.import_pairs("small", pairs, at=now())
    assert (second.version, second.n_pairs, second.n_candidates) == (2, 5, first.n_candidates)
    assert JudgmentSet.objects.named("small@1").n_pairs == 0
    assert second.statistics["phenomena"] == {"negation": 3, "word sense": 2}


def test_a_new_systems_answers_make_the_next_version(tmp_path):
    make_set(tmp_path, pairs=2)
    added = [
        line | {"id": line["id"].replace("-a", "-new"), "system": "new"}
        for line in candidate_lines(systems=("a",))
    ]
    second = importing.add_systems("small", read(write_lines(tmp_path / "n", added)), at=now())
    assert (second.version, second.n_candidates, second.n_pairs) == (2, 18, 2)
    assert second.statistics["systems"] == ["a", "b", "new"]
    assert second.instances.count() == JudgmentSet.objects.named("small@1").instances.count()


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({}, "12 ids are in small@1 already: c0-a, "),
        ({"id": "x", "question": "Another?"}, "Candidate 'x0': its instance 'i0' differs"),
        ({"id": "x", "scale": [0, 5]}, "scale is 0 to 5, but that of small@1 is 1 to 5"),
    ],
)
def test_what_does_not_fit_a_set_is_refused_and_nothing_is_written(tmp_path, change, refusal):
    make_set(tmp_path)
    lines = [
        line | change | ({"id": f"x{at}"} if "id" in change else {})
        for at, line in enumerate(candidate_lines())
    ]
    path = write_lines(tmp_path / "n", lines)
    with pytest.raises(RefusedError, match=refusal):
        importing.add_systems("small", read(path), at=now())
    assert JudgmentSet.objects.count() == 1


def test_a_name_that_is_no_name_is_refused(tmp_path):
    path = write_lines(tmp_path / "n", candidate_lines())
    with pytest.raises(RefusedError):
        importing.import_judgments("Not A Name", read(path), at=now())
    assert not JudgmentSet.objects.exists()


def test_a_failure_in_the_middle_leaves_nothing(tmp_path, monkeypatch):
    def fail(*_):
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(importing.storage, "store", fail)
    with pytest.raises(RuntimeError):
        make_set(tmp_path)
    assert not JudgmentSet.objects.exists()


def test_statistics_are_those_of_mochas_table_2(tmp_path):
    made = make_set(tmp_path)
    rows = {row["constituent"]: row for row in made.statistics["constituents"]}
    assert rows["stories"]["all"] == {"passages": 3, "instances": 3, "candidates": 6}
    assert rows["stories"]["splits"]["train"] == {"passages": 1, "instances": 1, "candidates": 2}
    assert rows["stories"]["question_length"] == 5.0
    assert rows["stories"]["reference_length"] == pytest.approx((3 + 4) / 2)
    assert made.statistics["total"]["all"]["candidates"] == 12
    assert made.statistics["histograms"]["bins"] == ["1", "2", "3", "4", "5"]
    counted = sum(sum(row["counts"]) for row in made.statistics["histograms"]["rows"])
    assert counted == made.statistics["judged"] == 12
    assert made.statistics["ratings"] == 24


def test_simulated_ratings_make_a_set_illustrative_whatever_its_importer_says(tmp_path):
    lines = candidate_lines()
    for line in lines:
        line["ratings"] = [one | {"simulated": True} for one in line["ratings"]]
    judgments = read(write_lines(tmp_path / "s.jsonl", lines))
    made = importing.import_judgments("small", judgments, at=now())
    assert made.illustrative and made.is_simulated
    pairs = read_pairs([write_lines(tmp_path / "p.jsonl", pair_lines(1))], "concord")
    again = importing.import_pairs("small", pairs, at=now())
    assert again.illustrative and again.is_simulated
    people = make_set(tmp_path, "small")
    assert not people.illustrative
