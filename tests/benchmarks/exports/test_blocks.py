"""Large sets leave block by block: where a block ends shows nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.exports.services import exports
from benchmarks.sets.services import criteria_storage, storage
from tests.benchmarks.factories import make_criteria_set, make_set, score_here


@pytest.mark.parametrize("rows", [1, 7, 8])
@pytest.mark.django_db
def test_files_do_not_depend_on_the_size_of_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    made = make_set(tmp_path)
    runs = score_here(made, "token-f1,bleu-1")
    for run in runs:
        run.refresh_from_db()
    scores = "".join(exports.scores_csv(made, runs))
    judgments = list(exports.judgments(made))
    assert len(judgments) == made.n_candidates > rows

    monkeypatch.setattr(exports, "BLOCK_ROWS", rows)
    monkeypatch.setattr(storage, "BLOCK", rows)
    assert "".join(exports.scores_csv(made, runs)) == scores
    assert list(exports.judgments(made)) == judgments


@pytest.mark.django_db
def test_criteria_do_not_depend_on_the_size_of_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make_criteria_set(tmp_path)
    judgments = list(exports.judgments(made))
    monkeypatch.setattr(storage, "BLOCK", 5)
    monkeypatch.setattr(criteria_storage, "BLOCK", 3)
    assert list(exports.judgments(made)) == judgments


@pytest.mark.django_db
def test_candidates_of_an_instance_share_its_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make_set(tmp_path)
    monkeypatch.setattr(storage, "BLOCK", 1)
    instances = [candidate.instance for candidate in storage.load_candidates(made)]
    assert len({id(instance) for instance in instances}) == made.instances.count()
    assert made.instances.count() < made.n_candidates
