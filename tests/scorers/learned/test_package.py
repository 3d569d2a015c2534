"""Checkpoints as zip files: deterministic bytes, and checks of every file."""

import hashlib
import io
import json
import zipfile
from pathlib import Path

import pytest

from scorers.errors import CheckpointError
from scorers.learned.checkpoint import add_finder, checkpoint_folder
from scorers.learned.package import FILES, pack, unpack

BOX = checkpoint_folder("lerc")


def archive(files: dict[str, bytes]) -> io.BytesIO:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in files.items():
            zipped.writestr(name, content)
    buffer.seek(0)
    return buffer


def files() -> dict[str, bytes]:
    return {name: (BOX / name).read_bytes() for name in FILES}


def test_packing_and_unpacking_a_folder_is_lossless(tmp_path: Path) -> None:
    content = pack(BOX)
    assert content == pack(BOX)
    card = unpack(io.BytesIO(content), tmp_path / "mine", 10_000_000)
    assert card.kind == "lerc"
    assert {path.name: path.read_bytes() for path in (tmp_path / "mine").iterdir()} == files()


def test_files_at_the_top_level_are_unpacked_and_others_ignored(tmp_path: Path) -> None:
    unpack(
        archive({**files(), "../../evil.py": b"", "notes.txt": b""}), tmp_path / "it", 10_000_000
    )
    assert {path.name for path in (tmp_path / "it").iterdir()} == set(FILES)
    assert {path.name for path in tmp_path.iterdir()} == {"it"}


@pytest.mark.parametrize(
    ("changed", "most", "message"),
    [
        ({"card.json": None}, 10**7, "the zip file has no card.json"),
        ({"card.json": b"{}"}, 10**7, "card.json is not the card of a checkpoint"),
        ({"card.json": b"[" * 100_000}, 10**7, "card.json cannot be read|cannot be read"),
        ({"weights.safetensors": b"x"}, 10**7, "not the file that its card names"),
        ({"weights.safetensors": b"\0" * 10**7}, 10**6, "weights.safetensors is too large"),
        ({"training_items.npy": b"x"}, 10**7, "training_items.npy is missing or is not the file"),
        ({"other/card.json": b"{}"}, 10**7, "has card.json twice"),
    ],
)
def test_the_error_states_the_fault_of_a_zip_file(
    changed: dict[str, bytes | None], most: int, message: str, tmp_path: Path
) -> None:
    contents = {name: value for name, value in {**files(), **changed}.items() if value is not None}
    with pytest.raises(CheckpointError, match=message) as raised:
        unpack(archive(contents), tmp_path / "it", most)
    assert str(tmp_path) not in str(raised.value)


def test_a_file_that_is_no_zip_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="cannot be read as a zip file"):
        unpack(io.BytesIO(b"nothing of the kind"), tmp_path / "it", 10**7)


def test_weights_are_read_as_numbers_and_never_run(tmp_path: Path) -> None:
    card = json.loads(files()["card.json"])
    pickled = b"\x80\x04cos\nsystem\n."
    card["weights_sha256"] = hashlib.sha256(pickled).hexdigest()
    contents = {**files(), "card.json": json.dumps(card).encode(), "weights.safetensors": pickled}
    with pytest.raises(CheckpointError, match="cannot be read"):
        unpack(archive(contents), tmp_path / "it", 10**7)


def test_names_are_looked_up_where_a_finder_was_added(tmp_path: Path) -> None:
    unpack(io.BytesIO(pack(BOX)), tmp_path / "mine", 10_000_000)
    add_finder({"mine": tmp_path / "mine"}.get)
    assert checkpoint_folder("mine") == tmp_path / "mine"
    assert checkpoint_folder("lerc") == BOX, "shipped checkpoints keep their names"
    with pytest.raises(CheckpointError, match="there is no checkpoint 'yours'"):
        checkpoint_folder("yours")
