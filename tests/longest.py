"""The slowest test files, slowest first.

These files are run first and in this order, the others after them in random order: if a long file
came last, one process would run it alone. Measured with `pytest --durations=80` on two cores, where
each of these took more than twenty seconds.
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
    "access/test_access_table.py",
    "annotation/privacy/test_no_id_leaves.py",
    "core/rest/test_schemathesis.py",
    "benchmarks/submissions/test_hidden.py",
    "papers/test_kpqa.py",
    "scorers/test_common.py",
    "core/rest/test_access.py",
    "annotation/rating/test_parallel.py",
)


def rank(path: Path, folder: Path) -> int:
    """The position of a file in the order; all files that are not in the list come last."""
    name = path.relative_to(folder).as_posix()
    return LONGEST.index(name) if name in LONGEST else len(LONGEST)


def missing(folder: Path) -> Sequence[str]:
    """Names in the list without a file."""
    return [name for name in LONGEST if not (folder / name).is_file()]
