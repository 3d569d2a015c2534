"""Reasons for disagreements by the client."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.sets.models import JudgmentSet
from concord.client import Client, ProblemError
from tests.benchmarks.factories import candidate_lines, pair_lines, score_here, write_lines


def test_a_reason_is_given_counted_and_taken_back(client: Client, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "set.jsonl", candidate_lines())
    made = client.import_set(file, format="concord", name="small")
    score_here(JudgmentSet.objects.get(), "bleu-1")
    (run,) = client.runs(made)
    first = client.disagreements(made, run, count=1)[0]
    number = client.tag(made, run, first["id"], "same meaning", note="A synonym.")
    (tally,) = client.tag_counts(made)
    assert (tally["run"], tally["tagged"], tally["counts"]["same meaning"]) == (run.id, 1, 1)
    assert client.disagreements(made, run.id, count=1)[0]["reasons"] == ["same meaning"]
    client.untag(made, number)
    assert client.tag_counts(made) == []
    with pytest.raises(ProblemError):
        client.tag(made, run, "nobody", "same meaning")


def test_studies_begin_with_disagreements_and_lost_pairs(client: Client, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "set.jsonl", candidate_lines())
    made = client.import_set(file, format="concord", name="small")
    client.import_pairs(made, write_lines(tmp_path / "pairs.jsonl", pair_lines()), format="concord")
    score_here(JudgmentSet.objects.latest("version"), "token-f1")
    (run,) = client.runs("small")
    study = client.create_disagreement_study("small", run, count=1, preset="blank")
    assert study.raw["origin"]["items"] == "disagreements"
    assert client.study(study.slug).preset == "blank"
    other = client.create_lost_pairs_study("small", run, slug="lost")
    assert (other.slug, other.raw["origin"]["items"]) == ("lost", "lost-pairs")
