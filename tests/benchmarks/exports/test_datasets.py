"""Parquet files and dataset folders: what is exported is imported as the same set."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from django.contrib.auth.models import User
from django.test import Client
from django.utils.timezone import now

from benchmarks.exports.services import datasets
from benchmarks.imports import services as imports
from benchmarks.imports.services import ImportFiles, ImportParameters
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden, importing
from benchmarks.sets.services.importing import SetInfo
from concord.formats import (
    DATASET,
    FormatError,
    Limits,
    detect_any,
    detect_format,
    read_judgments,
    read_pairs,
)
from tests.benchmarks.factories import pair_lines, published, write_lines

TEXTS = ("ما هذا؟ ‏قارب", "一艘船", "🛶🏞️ ‎a\n\"b\"\\t | '=1+1'")


def rich_lines() -> list[dict[str, Any]]:
    """Candidates of several scripts and splits, with ratings by two groups."""
    lines = []
    for at, split in enumerate(["test", "dev", "", "test", "dev.1", "dev-1", "all"]):
        ratings = [
            {"worker": f"w{k}", "value": 1 + (at + k) % 5, "group": ("crowd", "expert")[k % 2]}
            for k in range(4)
        ]
        line = {
            "id": f"'=c{at}",
            "instance": f"i{at}",
            "references": [TEXTS[at % 3], "b"],
            "candidate": TEXTS[(at + 1) % 3] if at else "",
            "question": TEXTS[(at + 2) % 3],
            "passage": f"P {at // 2}",
            "split": split,
            "system": f"s{at % 2}",
            "scale": [1, 5],
            "ratings": ratings if at else [],
        }
        lines.append(line | ({"score": 2.5} if at == 1 else {}))
    return lines


@pytest.fixture
def rich(db: None, tmp_path: Path) -> JudgmentSet:
    judgments = write_lines(tmp_path / "judgments.jsonl", rich_lines())
    pairs = write_lines(tmp_path / "pairs.jsonl", pair_lines())
    return importing.import_judgments(
        "rich",
        read_judgments([judgments], "concord"),
        read_pairs([pairs], "concord"),
        info=SetInfo("Of “many”: scripts", "What ---\nit is"),
        at=now(),
    )


def export(judgment_set: JudgmentSet, path: Path, license: str = "cc-by-4.0") -> Path:
    path.write_bytes(b"".join(datasets.stream_dataset(judgment_set, license)))
    return path


def unpacked(path: Path) -> Path:
    folder = path.with_suffix("")
    zipfile.ZipFile(path).extractall(folder)
    return folder


def test_a_dataset_folder_or_its_archive_is_imported_as_the_same_set(
    rich: JudgmentSet, tmp_path: Path
) -> None:
    archive = export(rich, tmp_path / "rich.zip")
    for path in (archive, unpacked(archive)):
        assert detect_format(path) == detect_any(path) == DATASET
        again = importing.import_judgments(
            "again", read_judgments([path], DATASET), read_pairs([path], DATASET), at=now()
        )
        assert again.content_hash == rich.content_hash
        assert again.source_format == DATASET


def test_parquet_and_json_lines_are_imported_as_the_same_set(
    rich: JudgmentSet, tmp_path: Path
) -> None:
    path = tmp_path / "judgments.parquet"
    datasets.judgments_parquet(rich, path)
    pairs = read_pairs([tmp_path / "pairs.jsonl"], "concord")
    again = importing.import_judgments("again", read_judgments([path], "concord"), pairs, at=now())
    assert again.content_hash == rich.content_hash


def test_a_worker_imports_an_archive_with_its_minimal_pairs(
    rich: JudgmentSet, tmp_path: Path
) -> None:
    sam = User.objects.create_user("sam", is_staff=True)
    path = export(rich, tmp_path / "rich.zip")
    job = imports.request("again", "", ImportFiles([path]), ImportParameters(), by=sam, at=now())
    imports.SET_IMPORTS.perform(job.pk)
    again = JudgmentSet.objects.named("again")
    assert (again.content_hash, again.n_pairs) == (rich.content_hash, rich.n_pairs)


def test_the_commands_export_and_import_a_folder(
    rich: JudgmentSet, tmp_path: Path, manage: Callable[..., Any]
) -> None:
    folder = tmp_path / "folder"
    out = manage("export_dataset", "rich", folder, "--license", "mit")
    assert out.returncode == 0, out.stderr
    assert "license: mit" in (folder / "README.md").read_text()
    assert "not an empty folder" in manage("export_dataset", "rich", folder).stderr
    out = manage("import_judgments", folder, "--name", "again")
    assert out.returncode == 0, out.stderr
    assert JudgmentSet.objects.named("again").content_hash == rich.content_hash
    for name in ("a.parquet", "a.zip"):
        command = "export_judgments" if name.endswith("parquet") else "export_dataset"
        assert manage(command, "rich", tmp_path / name).returncode == 0
    assert pq.read_metadata(tmp_path / "a.parquet").num_rows == rich.n_candidates


def test_the_card_has_the_header_of_the_hub_and_no_names(rich: JudgmentSet, tmp_path: Path) -> None:
    folder = unpacked(export(rich, tmp_path / "rich.zip"))
    card = (folder / "README.md").read_text(encoding="utf-8")
    header = yaml.safe_load(card.split("---\n")[1])
    assert (header["license"], header["pretty_name"]) == ("cc-by-4.0", rich.title)
    assert header["size_categories"] == ["n<1K"]
    judgments, pairs = header["configs"]
    assert judgments["default"] is True and pairs["config_name"] == "pairs"
    splits = {one["split"]: one["path"] for one in judgments["data_files"]}
    assert set(splits) == {"test", "dev", "unsplit", "dev_1", "all_"}
    for path in splits.values():
        assert pq.read_schema(folder / path).names == [
            feature["name"] for feature in header["dataset_info"][0]["features"]
        ]
    assert rich.content_hash in card
    assert "- crowd: 2 raters, 12 ratings of 6 candidates (2.0 each)." in card
    assert "- expert: Krippendorff's alpha (ordinal) " in card
    assert "What ---\nit is" in card and "Empty candidates: 1." in card
    everything = b"".join(path.read_bytes() for path in folder.rglob("*.*"))
    assert b"w0" not in everything, "names of workers are pseudonyms"


def test_hidden_labels_are_in_no_dataset(rich: JudgmentSet, tmp_path: Path) -> None:
    published(rich)
    hidden.hide(rich, "test", at=now())
    content = b"".join(Client().get("/sets/rich@1/dataset.zip").streaming_content)
    (tmp_path / "public.zip").write_bytes(content)
    file = read_judgments([tmp_path / "public.zip"], DATASET)
    for candidate in file.candidates:
        is_hidden = candidate.instance.split == "test"
        assert (candidate.score is None and not candidate.ratings) == (
            is_hidden or candidate.key == "'=c0"
        )
    card = zipfile.ZipFile(io.BytesIO(content)).read("README.md").decode()
    assert "The labels of 2 candidates are hidden" in card and rich.content_hash not in card
    content = b"".join(Client().get("/sets/rich@1/judgments.parquet").streaming_content)
    hidden_rows = [row for row in pq.read_table(io.BytesIO(content)).to_pylist()
                   if row["split"] == "test"]  # fmt: skip
    assert len(hidden_rows) == 2 and not any(row["score"] or row["ratings"] for row in hidden_rows)


def test_an_unknown_licence_is_refused(rich: JudgmentSet) -> None:
    published(rich)
    assert Client().get("/sets/rich@1/dataset.zip?license=mine").status_code == 400


def archive_of(tmp_path: Path, members: dict[str, bytes]) -> Path:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def test_a_bad_archive_is_refused_with_the_file_in_it(rich: JudgmentSet, tmp_path: Path) -> None:
    good = unpacked(export(rich, tmp_path / "rich.zip")) / "data/dev-00000-of-00001.parquet"
    content = good.read_bytes()
    for members, message in [
        ({"README.md": b"x"}, "has no files data/NAME.parquet"),
        ({"data/a.parquet": b"no"}, "x.zip/data/a.parquet: is no Parquet file"),
        ({"data/a.parquet": content[:-9] + b"\0" * 9}, "x.zip/data/a.parquet: cannot be read"),
        ({"data/a.parquet": content, "data/b.parquet": content}, "x.zip/data/b.parquet:1: id: the"),
        ({"../data/a.parquet": content, "..\\data/a.parquet": content}, "has no files data/NAME"),
        ({"data/a.parquet": b"PAR1" + b"\0" * 2_000_000}, "bytes unpacked; at most 1,000,000"),
    ]:
        path = archive_of(tmp_path, members)
        with pytest.raises(FormatError) as refused:
            read_judgments([path], DATASET, limits=Limits(max_bytes=1_000_000))
        assert message in str(refused.value)
        path.unlink()


def test_the_hash_of_a_set_is_that_of_earlier_versions(rich: JudgmentSet) -> None:
    """Computed by the code of the commit e82c01a7, before Parquet was read."""
    assert rich.content_hash == "1bec48f7453f10d6de0b754fc6b48b583c33737cb7967b1b13bab3ec9233cb35"
