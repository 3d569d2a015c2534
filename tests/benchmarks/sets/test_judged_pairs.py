"""Pairs that people judged: linked to candidates, stored, and the same after export and import."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils.timezone import now

from benchmarks.exports.services import datasets, exports
from benchmarks.imports import services as imports
from benchmarks.imports.models import SetImport
from benchmarks.sets.models import JudgmentSet, PairChoice
from benchmarks.sets.services import hidden, importing, judged_pairs
from concord.formats import DATASET, ReadOptions, read_judgments, read_pairs
from core.refusals import RefusedError
from scorers import MetricError
from tests.benchmarks.factories import (
    add_member,
    candidate_lines,
    judged_pair_lines,
    make_judged_pairs_set,
    make_set,
    pair_lines,
    request,
    write_lines,
)
from tests.concord.formats.format_examples import LFQA, LLMBAR

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged(tmp_path: Path) -> JudgmentSet:
    return make_judged_pairs_set(tmp_path)


def pairs_of(tmp_path: Path, lines: list[dict[str, Any]]) -> Any:
    return read_pairs([write_lines(tmp_path / "pairs.jsonl", lines)], "concord")


def test_pairs_refer_to_the_sets_candidates(judged: JudgmentSet) -> None:
    assert (judged.n_candidates, judged.n_pairs) == (12, 4)  # no candidate is added
    first = next(judged_pairs.load(judged))
    assert first.candidate_keys == ("c0-a", "c0-b") and first.systems == ("a", "b")
    assert (first.score1, first.score2) == (1.5, 4.5)
    assert [one.choice for one in first.choices] == [2, "tie", 2]
    assert judged.statistics["judged_pairs"] == {
        "pairs": 6,
        "choices": 18,
        "ties": 6,
        "workers": 3,
    }


def test_the_database_refuses_to_change_them(judged: JudgmentSet) -> None:
    for rows, change in (
        (PairChoice.objects.all(), {"choice": 1}),
        (judged.judged_pairs.all(), {"phenomenon": "x"}),
    ):
        with pytest.raises(IntegrityError, match="judgment sets are frozen"), transaction.atomic():
            rows.update(**change)


def test_exports_are_imported_as_the_same_set(judged: JudgmentSet, tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").write_text("".join(exports.judgments(judged)))
    (tmp_path / "out-pairs.jsonl").write_text("".join(exports.pairs(judged)))
    archive = tmp_path / "out.zip"
    archive.write_bytes(b"".join(datasets.stream_dataset(judged)))
    for paths, format in (
        (("out.jsonl", "out-pairs.jsonl"), "concord"),
        (("out.zip", "out.zip"), DATASET),
    ):
        judgments = read_judgments([tmp_path / paths[0]], format)
        pairs = read_pairs([tmp_path / paths[1]], format)
        again = importing.import_judgments("again", judgments, pairs, at=now())
        assert again.content_hash == judged.content_hash
        assert again.statistics == judged.statistics
    assert '"w1"' not in (tmp_path / "out-pairs.jsonl").read_text()  # pseudonyms


@pytest.mark.parametrize(
    "change",
    [
        {"ratings": [{"worker": "w1", "choice": 1, "first_shown": 1}]},
        {"phenomenon": "length"},
        {"candidate1": "another", "id1": None},
    ],
)
def test_the_content_hash_covers_them(
    judged: JudgmentSet, tmp_path: Path, change: dict[str, Any]
) -> None:
    lines = judged_pair_lines()
    lines[0] |= change
    second = importing.import_pairs("judged", pairs_of(tmp_path, lines), at=now())
    assert second.content_hash != judged.content_hash and second.version == 3


def test_judged_pairs_and_minimal_pairs_replace_their_own_kind(
    judged: JudgmentSet, tmp_path: Path
) -> None:
    minimal = importing.import_pairs("judged", pairs_of(tmp_path, pair_lines(2)), at=now())
    assert (minimal.n_pairs, minimal.judged_pairs.count()) == (2, 6)
    lines = judged_pair_lines()[:3]
    other = importing.import_pairs("judged", pairs_of(tmp_path, lines), at=now())
    assert (other.n_pairs, other.judged_pairs.count()) == (2, 3)
    read = read_judgments(
        [write_lines(tmp_path / "new", [candidate_lines()[0] | {"id": "x", "system": "x"}])],
        "concord",
    )
    assert importing.add_systems("judged", read, at=now()).judged_pairs.count() == 3


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"id1": "c0-a", "candidate1": "other"}, "'c0-a' has another text in the set"),
        ({"id1": "c0-a", "system1": "z"}, "'c0-a' has another system"),
        ({"score1": 3.0}, "has another score"),
        ({"id1": "c1-a"}, "another text, another instance"),
        ({"passage": "Another one."}, "instance 'i0' has another passage"),
        ({"id2": "c0-a", "candidate2": None, "system2": "a"}, "the candidate 'c0-a' twice"),
    ],
)
def test_a_pair_that_contradicts_the_set_is_named(
    tmp_path: Path, change: dict[str, Any], says: str
) -> None:
    make_set(tmp_path)
    lines = judged_pair_lines()
    lines[0] |= change
    if lines[0]["candidate2"] is None:
        lines[0]["candidate2"] = lines[0]["candidate1"]
    with pytest.raises(RefusedError, match=says):
        importing.import_pairs("small", pairs_of(tmp_path, lines), at=now())
    assert JudgmentSet.objects.count() == 1


def test_judged_pairs_make_a_set_of_their_candidates(tmp_path: Path, manage: Any) -> None:
    (tmp_path / "lfqa.json").write_text(json.dumps(LFQA))
    User.objects.create_user("rosa")
    answer = manage(
        "import_pairs", tmp_path / "lfqa.json", "--format", "lfqa", "--set", "lfqa",
        "--owner", "rosa", "--split", "test",
    )  # fmt: skip
    assert "People's choices: 1." in answer.stdout and "without a reference" in answer.stdout
    made = JudgmentSet.objects.named("lfqa")
    assert list(made.candidates.values_list("system", flat=True)) == ["H", "M"]
    assert made.instances.get().split == "test" and made.source_format == "lfqa"
    with pytest.raises(MetricError, match="1 instances of lfqa@1 have no reference"):
        request(made, "token-f1")
    out = tmp_path / "out.zip"
    out.write_bytes(b"".join(datasets.stream_dataset(made)))
    again = manage("import_judgments", out, "--name", "again")
    assert again.returncode == 0, again.stderr
    assert JudgmentSet.objects.named("again").content_hash == made.content_hash


def test_minimal_pairs_need_a_set(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="There is no set new to add minimal pairs to"):
        importing.import_pairs("new", pairs_of(tmp_path, pair_lines()), at=now())


def test_the_form_makes_a_set_of_judged_pairs(client: Client) -> None:
    client.force_login(User.objects.create_user("sam", is_staff=True))
    file = SimpleUploadedFile("bar.json", json.dumps(LLMBAR).encode())
    answer = client.post("/imports/", {"pairs": file, "format": "llmbar", "name": "bar"})
    assert answer.status_code == 302
    imports.SET_IMPORTS.perform(SetImport.objects.get().pk)
    made = JudgmentSet.objects.named("bar")
    assert (made.n_candidates, made.judged_pairs.count()) == (2, 1)


def test_a_worker_imports_an_archive_without_references(tmp_path: Path) -> None:
    sam = User.objects.create_user("sam", is_staff=True)
    path = tmp_path / "p.json"
    path.write_text(json.dumps(LLMBAR))
    made = importing.import_pairs("bar", read_pairs([path], "llmbar"), at=now())
    out = tmp_path / "out.zip"
    out.write_bytes(b"".join(datasets.stream_dataset(made)))
    job = imports.request(
        "again", "", imports.ImportFiles([out]), imports.ImportParameters(), by=sam, at=now()
    )
    imports.SET_IMPORTS.perform(job.pk)
    assert JudgmentSet.objects.named("again").content_hash == made.content_hash


def test_the_page_of_runs_says_that_references_are_missing(tmp_path: Path, client: Client) -> None:
    path = tmp_path / "p.json"
    path.write_text(json.dumps(LLMBAR))
    made = importing.import_pairs("bar", read_pairs([path], "llmbar"), at=now())
    sam = User.objects.create_user("sam", is_staff=True)
    add_member("bar", sam)
    client.force_login(sam)
    answer = client.post(f"/sets/{made}/runs/start", {"metrics": "token-f1", "multi_ref": "max"})
    assert answer.status_code == 422 and "have no reference" in answer.content.decode()


def test_hidden_labels_hide_choices(judged: JudgmentSet) -> None:
    hidden.hide(judged, "test", at=now())
    exported = list(exports.visible_pairs(judged))
    kept = [pair for pair in exported if pair.choices]
    assert len(kept) == 4 and all(pair.instance.split != "test" for pair in kept)


def test_options_of_readers_do_not_need_references(tmp_path: Path) -> None:
    line = {"id": "a", "references": [], "candidate": "x"}
    path = write_lines(tmp_path / "c.jsonl", [line])
    read = read_judgments([path], "concord", ReadOptions(without_references=True))
    assert "Instances without a reference, which metrics need: 1." in read.report.lines()
