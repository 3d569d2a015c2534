"""The files of tests that take longest, the longest first.

Files are handed out to the processes of a run in this order, the others after them in the random
order of the run: a process that gets a long file last would work on it alone. Measured with
`pytest --durations=80` on two cores, where each of these took more than twenty seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

LONGEST = (
    "config/test_run.py",
    "browser/test_accessibility.py",
    "browser/test_studies.py",
    "browser/test_whole_study.py",
    "browser/test_rating.py",
    "browser/test_mturk_study.py",
    "benchmarks/trainings/test_trainings.py",
    "access/test_access_table.py",
    "annotation/privacy/test_no_id_leaves.py",
    "core/rest/test_schemathesis.py",
    "papers/test_kpqa.py",
    "scorers/test_common.py",
    "core/rest/test_access.py",
    "annotation/rating/test_parallel.py",
)


def place(path: Path, folder: Path) -> int:
    """Where the file comes among those of `folder`; all that are not long share the last place."""
    name = path.relative_to(folder).as_posix()
    return LONGEST.index(name) if name in LONGEST else len(LONGEST)


def missing(folder: Path) -> Sequence[str]:
    """Names in the list that no file has any more."""
    return [name for name in LONGEST if not (folder / name).is_file()]
