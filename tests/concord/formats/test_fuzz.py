"""Readers on mutated files: no traceback, and nothing is lost, joined or invented.

The slow test reads CONCORD_FUZZ_FILES files (20,000 by default), in rounds of ROUND for each
reader. A round's files depend on its number only: CONCORD_FUZZ_FIRST continues with a later one.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings

from concord.formats import FormatError, detect_format
from tests.concord.formats.fuzzing import SUBJECTS, check, content_of, mutated

ROUND = 200
CHECKS = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}


def fuzz(subject: tuple[str, str], files: int, number: int | None = None) -> Callable[[], None]:
    """A test on so many mutated files of a format; those of round `number`."""
    name = content_of(subject)[0]

    @settings(max_examples=files, derandomize=number is None, **CHECKS)
    @given(content=mutated(subject))
    def test(content: bytes) -> None:
        with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
            path = Path(folder, name)
            path.write_bytes(content)
            check(subject, path)
            try:
                detect_format(path)
            except FormatError as error:
                assert error.problems

    return test if number is None else seed(number)(test)


# Files in memory, where there is such a folder.
FOLDER = "/dev/shm" if Path("/dev/shm").is_dir() else None


@pytest.mark.parametrize("subject", SUBJECTS, ids="-".join)
def test_nothing_is_lost_of_a_mutated_file(subject: tuple[str, str]) -> None:
    fuzz(subject, 60)()


@pytest.mark.parametrize("subject", SUBJECTS, ids="-".join)
def test_the_file_before_its_mutation_is_accepted(subject: tuple[str, str], tmp_path: Path) -> None:
    import json

    name, content = content_of(subject)
    if not isinstance(content, str):
        lines = content if name.endswith(".jsonl") else [content]
        content = "\n".join(map(json.dumps, lines))
    (tmp_path / name).write_text(content)
    assert check(subject, tmp_path / name)


@pytest.mark.slow
@pytest.mark.timeout(24 * 3600)
def test_nothing_is_lost_of_many_mutated_files() -> None:
    files = int(os.environ.get("CONCORD_FUZZ_FILES", "20000"))
    first = int(os.environ.get("CONCORD_FUZZ_FIRST", "0"))
    rounds = max(1, files // (ROUND * len(SUBJECTS)))
    for number in range(first, first + rounds):
        for subject in SUBJECTS:
            try:
                fuzz(subject, ROUND, number)()
            except BaseException as error:
                error.add_note(f"CONCORD_FUZZ_FIRST={number} begins with this round: {subject}")
                raise
        print(f"round {number} of {first + rounds - 1} done", flush=True)
