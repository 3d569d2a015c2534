"""Dataset folders in the Hugging Face hub's form, or zip archives of them.

    README.md                                   the dataset card
    data/SPLIT-00000-of-00001.parquet           candidates (configuration "judgments")
    pairs/SPLIT-00000-of-00001.parquet          minimal pairs (configuration "pairs")

The rows have the fields of the format `concord`, with null for empty ones.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

from concord.formats.errors import FormatError, Problem
from concord.formats.files import BAD_ARCHIVE, printable_path
from concord.formats.limits import Limits
from concord.formats.parquet_writer import Row, parquet_writer

CARD = "README.md"
FOLDERS = {"judgments": "data", "pairs": "pairs"}
# The file of rows without a split, and of the splits beyond MAX_SPLITS.
NO_SPLIT, OTHER_SPLITS, MAX_SPLITS = "unsplit", "other_splits", 50
# Files of one kind in a folder.
MAX_FILES = 1000
_MEMBER = re.compile(r"(?:[^/.][^/]*/)?(data|pairs)/([\w.-]+\.parquet)")


def has_part(path: Path, kind: str) -> bool:
    """Whether `path` is a dataset folder, or a zip archive of one, with data of this kind."""
    try:
        return bool(_members(path, kind))
    except BAD_ARCHIVE:
        return False


@contextmanager
def parquet_files(path: Path, kind: str, limits: Limits) -> Iterator[list[Path]]:
    """The Parquet files of a folder or zip archive, in order; those of an archive are temporary.

    Raises FormatError, also for the body of the block, with names below `path`.
    """
    name = printable_path(path)
    try:
        members = _members(path, kind)
    except BAD_ARCHIVE as error:
        message = "is neither a dataset folder nor a zip archive of one"
        raise FormatError([Problem(name, None, None, message)]) from error
    if not members:
        message = f"has no files {FOLDERS[kind]}/NAME.parquet: it is no dataset of {kind}"
        raise FormatError([Problem(name, None, None, message)])
    if len(members) > MAX_FILES:
        message = f"has {len(members):,} Parquet files; at most {MAX_FILES:,} are allowed"
        raise FormatError([Problem(name, None, None, message)])
    if path.is_dir():
        yield [path / member for member in members]
        return
    with tempfile.TemporaryDirectory(prefix="concord-dataset-") as folder:
        paths = _unpack(path, members, Path(folder), limits)
        try:
            yield paths
        except FormatError as error:
            problems = [
                replace(one, file=f"{name}{one.file.removeprefix(folder)}")
                for one in error.problems
            ]
            raise FormatError(problems, error.total) from error


def write_part(folder: Path, kind: str, rows: Iterable[Row]) -> dict[str, int]:
    """Write a file for each split of the rows. Returns the number of rows of each.

    `kind` is "judgments" or "pairs". The names of the splits are those that a hub accepts
    (`split_name`); the column `split` has the set's own.
    """
    counts: Counter[str] = Counter()
    writers: dict[str, Callable[[Row], None]] = {}
    with ExitStack() as stack:
        for row in rows:
            name = split_name(str(row.get("split", "")))
            if name not in writers:
                if len(writers) >= MAX_SPLITS:
                    name = OTHER_SPLITS
                if name not in writers:
                    path = folder / part_path(kind, name)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    writers[name] = stack.enter_context(parquet_writer(path, kind))
            writers[name](row)
            counts[name] += 1
    return dict(counts)


def part_path(kind: str, split: str) -> str:
    """The path of a split's file in the folder."""
    return f"{FOLDERS[kind]}/{split}-00000-of-00001.parquet"


def split_name(split: str) -> str:
    """The name of a split's file: ASCII letters, digits and underscores."""
    name = re.sub(r"\W+", "_", split, flags=re.ASCII)
    if not name.strip("_"):
        return NO_SPLIT
    return f"{name}_" if name == "all" else name[:80]  # "all" means all splits


def _unpack(path: Path, members: list[str], folder: Path, limits: Limits) -> list[Path]:
    paths = []
    try:
        with ZipFile(path) as archive:
            size = sum(archive.getinfo(member).file_size for member in members)
            if size > limits.max_bytes:
                message = f"has {size:,} bytes unpacked; at most {limits.max_bytes:,} are allowed"
                raise FormatError([Problem(printable_path(path), None, None, message)])
            for member in members:
                target = folder / Path(*Path(member).parts[-2:])
                target.parent.mkdir(exist_ok=True)
                with archive.open(member) as source, target.open("wb") as copy:
                    shutil.copyfileobj(source, copy, 1 << 20)
                paths.append(target)
    except FormatError:
        raise
    except BAD_ARCHIVE as error:
        message = "is a damaged or encrypted zip archive"
        raise FormatError([Problem(printable_path(path), None, None, message)]) from error
    return paths


def _members(path: Path, kind: str) -> list[str]:
    """The paths of the Parquet files of a kind, sorted. An archive may have one outer folder."""
    if path.is_dir():
        files = sorted((path / FOLDERS[kind]).glob("*.parquet"))
        return [str(file.relative_to(path)) for file in files]
    with ZipFile(path) as archive:
        names = archive.namelist()
    matches = [(name, matched) for name in names if (matched := _MEMBER.fullmatch(name))]
    own = sorted(name for name, matched in matches if matched[1] == FOLDERS[kind])
    # Two outer folders would be two datasets.
    return own if len({name.rpartition("/")[0] for name in own}) <= 1 else []
