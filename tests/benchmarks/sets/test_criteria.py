"""Criteria and error spans of sets: stored as read, and the same again after export and import."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from benchmarks.exports.services import datasets, exports
from benchmarks.exports.services.dataset_card import dataset_card
from benchmarks.imports import services as imports
from benchmarks.sets.models import Criterion, CriterionRating, JudgmentSet, Marks
from benchmarks.sets.services import hidden, importing, storage
from benchmarks.sharing.public_view import public_view
from concord.formats import DATASET, ReadOptions, read_judgments
from concord.formats.records import WordScale
from core.refusals import RefusedError
from tests.benchmarks.factories import (
    ask_for_import,
    criteria_lines,
    make_criteria_set,
    write_lines,
)
from tests.concord.formats.format_examples import FILES, SQUALITY
from tests.html import readable

pytestmark = pytest.mark.django_db


@pytest.fixture
def several(tmp_path: Path) -> JudgmentSet:
    return make_criteria_set(tmp_path)


def test_criteria_and_marks_are_stored_as_read(several: JudgmentSet, tmp_path: Path) -> None:
    criteria = list(several.criteria.all())
    assert [(one.name, one.scale) for one in criteria] == [("truth", (1, 5)), ("fluency", (0, 100))]
    read = read_judgments([tmp_path / "several.jsonl"], "concord").candidates
    stored = list(storage.load_candidates(several))
    for one, other in zip(stored, read, strict=True):
        assert {c.name: c for c in one.criteria} == {c.name: c for c in other.criteria}
        assert (one.marks, one.score, one.ratings) == (other.marks, other.score, other.ratings)
    assert several.statistics["criteria"] == [
        {"name": "truth", "scale": [1, 5], "judged": 11, "ratings": 22},
        {"name": "fluency", "scale": [0, 100], "judged": 12, "ratings": 36},
    ]
    assert several.statistics["marks"] == {
        "candidates": 3,
        "workers": 2,
        "spans": [{"severity": "major", "count": 3}, {"severity": None, "count": 3}],
    }
    assert several.is_simulated  # a simulated rater marked errors


def test_the_database_refuses_to_change_them(several: JudgmentSet) -> None:
    changes = [
        lambda: Criterion.objects.update(name="other"),
        lambda: CriterionRating.objects.update(value=1.0),
        lambda: Marks.objects.update(spans=[]),
    ]
    for change in changes:
        with pytest.raises(IntegrityError, match="judgment sets are frozen"), transaction.atomic():
            change()


def test_exports_are_imported_as_the_same_set(several: JudgmentSet, tmp_path: Path) -> None:
    lines = tmp_path / "out.jsonl"
    lines.write_text("".join(exports.judgments(several)))
    datasets.judgments_parquet(several, tmp_path / "out.parquet")
    archive = tmp_path / "out.zip"
    archive.write_bytes(b"".join(datasets.stream_dataset(several)))
    for path in (lines, tmp_path / "out.parquet", archive):
        format = DATASET if path == archive else "concord"
        again = importing.import_judgments("again", read_judgments([path], format), at=now())
        assert again.content_hash == several.content_hash
        assert again.statistics == several.statistics


def change_value(lines: list[dict[str, Any]]) -> None:
    lines[2]["criteria"]["fluency"]["ratings"][0]["value"] = 7


def change_scale(lines: list[dict[str, Any]]) -> None:
    for line in lines:
        line["criteria"]["fluency"]["scale"] = [0, 101]


def change_span(lines: list[dict[str, Any]]) -> None:
    lines[0]["marks"][0]["spans"][0]["severity"] = "minor"


def remove_empty_marks(lines: list[dict[str, Any]]) -> None:
    del lines[0]["marks"][1]


@pytest.mark.parametrize("change", [change_value, change_scale, change_span, remove_empty_marks])
def test_the_content_hash_covers_them(several: JudgmentSet, tmp_path: Path, change: Any) -> None:
    lines = criteria_lines()
    change(lines)
    judgments = read_judgments([write_lines(tmp_path / "changed", lines)], "concord")
    changed = importing.import_judgments("changed", judgments, at=now())
    assert changed.content_hash != several.content_hash


def test_a_criterion_without_a_judgment_is_left_out(several: JudgmentSet, tmp_path: Path) -> None:
    lines = criteria_lines()
    for line in lines:
        line["criteria"]["beauty"] = {"scale": [1, 3]}
    judgments = read_judgments([write_lines(tmp_path / "more", lines)], "concord")
    made = importing.import_judgments("more", judgments, at=now())
    assert made.content_hash == several.content_hash
    assert [one.name for one in made.criteria.all()] == ["truth", "fluency"]


def test_candidates_are_added_with_their_criteria(several: JudgmentSet, tmp_path: Path) -> None:
    lines = [line | {"id": f"{line['id']}-new", "system": "new"} for line in criteria_lines()]
    for line in lines:
        line["criteria"]["fluency"].pop("scale")
    read = read_judgments([write_lines(tmp_path / "new", lines)], "concord")
    second = importing.add_systems("several", read, at=now())
    fluency = second.statistics["criteria"][1]
    assert (fluency["scale"], fluency["judged"], fluency["ratings"]) == ([0, 100], 24, 72)
    change_scale(lines)
    read = read_judgments([write_lines(tmp_path / "other", lines)], "concord")
    with pytest.raises(RefusedError, match="'fluency' is 0 to 101, but that of"):
        importing.add_systems("several", read, at=now())


def test_a_set_may_have_criteria_only(tmp_path: Path) -> None:
    made = make_criteria_set(tmp_path, with_score=False)
    assert not made.candidates.exclude(gold=None).exists()
    assert made.statistics["judged"] == made.n_candidates == 12


@pytest.mark.parametrize("format", ["thumb", "summeval", "squality"])
def test_published_formats_are_imported_with_all_criteria(format: str, tmp_path: Path) -> None:
    name, content = FILES["judgments", format]
    if format == "squality":
        ratings = {"correctness-rating": 20, "selection-rating": 30, "overall-rating": 10}
        answers = {
            system: {"response": system, "reviews": [{"worker_id": "1", **ratings}]}
            for system in SQUALITY[0]["questions"]["0"]
        }
        content = [{"passage-id": "1", "questions": {"0": answers}}]
    path = write_lines(tmp_path / name, content)
    made = importing.import_judgments("all", read_judgments([path], format), at=now())
    criteria = [one["name"] for one in made.statistics["criteria"]]
    assert len(criteria) == (3 if format == "squality" else 4)
    assert list(made.candidates.values_list("gold", flat=True)) == [None]
    chosen = ReadOptions(criterion=criteria[1])
    one = importing.import_judgments("one", read_judgments([path], format, chosen), at=now())
    (gold,) = made.criteria.defer(None)[1].gold_array.tolist()
    assert list(one.candidates.values_list("gold", flat=True)) == [gold]
    assert not one.criteria.exists()


def test_a_worker_imports_all_criteria_or_one(tmp_path: Path) -> None:
    sam = User.objects.create_user("sam", is_staff=True)
    for name, criterion in (("all", None), ("one", "fluency")):
        parameters = imports.ImportParameters(ReadOptions(criterion=criterion))
        job = ask_for_import(sam, tmp_path, name, criteria_lines(), parameters=parameters)
        imports.SET_IMPORTS.perform(job.pk)
    every, one = JudgmentSet.objects.named("all"), JudgmentSet.objects.named("one")
    assert every.criteria.count() == 2 and not one.criteria.exists()
    assert (one.scale_low, one.scale_high) == (0, 100)


def test_hidden_labels_hide_criteria_and_marks(several: JudgmentSet) -> None:
    hidden.hide(several, "", at=now())
    for candidate in exports.visible_candidates(several):
        assert candidate.criteria == candidate.marks == ()


def test_the_sets_page_names_criteria_and_marks(several: JudgmentSet, client: Client) -> None:
    page = str(readable(client.get("/sets/several/")))
    assert "fluency" in page and "0 to 100" in page
    assert "2 raters marked the errors of 3 candidates: 3 major, 3 of undecided severity." in page
    statistics = client.get("/api/v1/sets/several").json()["statistics"]
    assert [one["name"] for one in statistics["criteria"]] == ["truth", "fluency"]


def test_a_candidates_page_has_its_criteria(several: JudgmentSet, client: Client) -> None:
    page = str(readable(client.get(reverse("candidate", args=[several, "c1-a"]))))
    assert "fluency" in page and "3 single ratings" in page
    hidden.hide(several, "", at=now())
    page = str(readable(client.get(reverse("candidate", args=[several, "c1-a"]))))
    assert "fluency" not in page


def test_tables_of_ratings_name_the_criterion(several: JudgmentSet) -> None:
    header, *rows = csv.reader("".join(exports.ratings_csv(several)).splitlines())
    assert header == exports.RATING_COLUMNS
    assert Counter(row[-1] for row in rows) == {"": 24, "truth": 22, "fluency": 36}


def test_the_dataset_card_reports_each_criterion(several: JudgmentSet) -> None:
    card = dataset_card(several, {"judgments": {}, "pairs": {}}, "mit")
    assert "- Criterion fluency, 0 to 100: 12 candidates judged." in card
    assert "- crowd, truth: 7 raters, 22 ratings of 11 candidates (2.0 each)." in card
    assert "- expert, fluency: 1 rater, 12 ratings of 12 candidates (1.0 each)." in card


def test_publishing_counts_all_ratings(several: JudgmentSet) -> None:
    view = public_view(several)
    assert (view.ratings, view.marked, view.raters) == (82, 3, 9)


def words_line(number: int) -> dict[str, Any]:
    value = ("poor", "fair", "good")[number % 3]
    tone = {"values": ["warm", "cold"], "ratings": [{"worker": "w1", "value": "cold"}]}
    return {
        "id": f"c{number}", "references": ["r"], "candidate": f"text {number}",
        "values": ["poor", "fair", "good"], "ordered": True,
        "ratings": [{"worker": "w1", "value": value}, {"worker": "w2", "value": "good"}],
        "criteria": {"tone": tone},
    }  # fmt: skip


def test_ratings_in_words_are_shown_and_exported_as_words(tmp_path: Path, client: Client) -> None:
    path = write_lines(tmp_path / "words.jsonl", [words_line(number) for number in range(6)])
    words = importing.import_judgments("words", read_judgments([path], "concord"), at=now())
    JudgmentSet.objects.filter(pk=words.pk).update(published_at=now())
    assert words.scale == WordScale(["poor", "fair", "good"], is_ordered=True)
    assert words.gold_array.tolist() == [1.0, 1.5, 2.0] * 2
    page = readable(client.get(reverse("candidate", args=[str(words), "c1"])))
    assert "on poor &lt; fair &lt; good" in page and "> fair <" in page and "> cold <" in page
    page = readable(client.get(reverse("judgment-set", args=[str(words)])))
    assert "poor &lt; fair &lt; good" in page and "warm, cold" in page
    rows = list(csv.DictReader("".join(exports.ratings_csv(words)).splitlines()))
    assert [row["value"] for row in rows[:3]] == ["poor", "good", "cold"]
    lines = tmp_path / "again.jsonl"
    lines.write_text("".join(exports.judgments(words)))
    datasets.judgments_parquet(words, tmp_path / "again.parquet")
    for again in (lines, tmp_path / "again.parquet"):
        file = read_judgments([again], "concord")
        assert importing.import_judgments("again", file, at=now()).content_hash == (
            words.content_hash
        )
    other = [words_line(number) | {"ordered": False} for number in range(6)]
    file = read_judgments([write_lines(tmp_path / "other.jsonl", other)], "concord")
    unordered = importing.import_judgments("other", file, at=now())
    assert unordered.content_hash != words.content_hash
    assert "nominal" in dataset_card(unordered, {"judgments": {"train": 6}}, "mit")
