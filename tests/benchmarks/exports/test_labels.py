"""Unjudged answers labelled by AVA: from a scored set to a file that AVA is trained on again."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from django.utils.timezone import now

import scorers
from benchmarks.checkpoints.models import Checkpoint
from benchmarks.checkpoints.services import read_checkpoint
from benchmarks.exports.services import labels
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden, importing
from concord.formats import ReadOptions, read_judgments
from core.refusals import RefusedError
from scorers.datasets.selection import read_questions
from scorers.learned.checkpoint import checkpoint_folder
from tests.benchmarks.factories import candidate_lines, published, score_here, write_lines
from tests.core.rest.people import Caller

pytestmark = pytest.mark.django_db


@pytest.fixture
def unjudged(tmp_path: Path, db: None) -> JudgmentSet:
    """Six questions with two answers each; people judged those of one system, and one is empty."""
    lines = candidate_lines()
    for line in lines:
        if line["system"] == "b":
            del line["score"], line["ratings"]
    lines[1]["candidate"] = ""
    lines[3]["candidate"] = "one\tline\nor two"
    judgments = read_judgments([write_lines(tmp_path / "s.jsonl", lines)], "concord", ReadOptions())
    return published(importing.import_judgments("small", judgments, None, at=now()))


def table(lines: object) -> list[list[str]]:
    return [line.rstrip("\n").split("\t") for line in lines]  # type: ignore[attr-defined]


def test_unjudged_answers_are_labelled_and_can_be_read_as_training_data(
    unjudged: JudgmentSet, tmp_path: Path
) -> None:
    (run,) = score_here(unjudged, "ava")
    (metric,) = scorers.parse_metrics("ava")
    threshold = metric.threshold  # type: ignore[attr-defined]
    heading, *rows = table(labels.label_lines(unjudged))
    assert heading[:5] == ["question", "sentence", "label", "probability", "verdict"]
    # Of the six that nobody judged, one says nothing.
    assert [row[7] for row in rows] == [f"c{number}-b" for number in range(1, 6)]
    keys = list(unjudged.candidates.order_by("position").values_list("key", flat=True))
    for row in rows:
        score = run.score_array[keys.index(row[7])]
        assert float(row[3]) == score
        assert row[2] == str(int(score >= threshold))
        assert row[4] == ("correct" if score >= threshold else "incorrect")
        assert (float(row[5]), row[6]) == (threshold, run.signature)
    assert rows[0][1] == "one line or two"
    file = tmp_path / "labels.tsv"
    file.write_text("".join(labels.label_lines(unjudged, threshold=0.0)))
    questions = read_questions(file, "tsv")
    assert sum(len(one.correct) for one in questions) == 5
    assert not any(one.wrong for one in questions)
    file.write_text("".join(labels.label_lines(unjudged, threshold=1.0)))
    assert not any(one.correct for one in read_questions(file, "tsv"))


def test_it_is_told_what_is_missing(unjudged: JudgmentSet) -> None:
    with pytest.raises(RefusedError, match=r"no complete run of ava\. Start ava"):
        labels.label_lines(unjudged)
    score_here(unjudged, "ava")
    with pytest.raises(RefusedError, match="no complete run of mine"):
        labels.label_lines(unjudged, "mine")
    with pytest.raises(RefusedError, match="from 0 to 1"):
        labels.label_lines(unjudged, threshold=1.5)
    with pytest.raises(RefusedError, match="from 0 to 1"):
        labels.label_lines(unjudged, threshold=float("nan"))


def test_a_trained_checkpoint_labels_while_it_is_here(unjudged: JudgmentSet) -> None:
    checkpoint = read_checkpoint(checkpoint_folder("ava"), "mine", at=now())
    checkpoint.save()
    score_here(unjudged, "mine")
    by_name = table(labels.label_lines(unjudged, "mine"))
    assert by_name == table(labels.label_lines(unjudged, "ava(checkpoint=mine)"))
    Checkpoint.objects.all().delete()
    with pytest.raises(RefusedError, match="threshold are missing"):
        labels.label_lines(unjudged)
    assert len(table(labels.label_lines(unjudged, threshold=0.5))) == 6


def test_a_set_that_people_judged_has_nothing_to_label(
    unjudged: JudgmentSet, tmp_path: Path
) -> None:
    path = write_lines(tmp_path / "j.jsonl", candidate_lines())
    judgments = read_judgments([path], "concord", ReadOptions())
    judged = published(importing.import_judgments("judged", judgments, None, at=now()))
    with pytest.raises(RefusedError, match="All candidates of judged@1 are judged"):
        labels.label_lines(judged)
    assert "Labels by AVA" not in Client().get("/sets/judged/files/").content.decode()


def test_the_page_offers_it_once_ava_has_scored_the_set(unjudged: JudgmentSet) -> None:
    client = Client()
    page = client.get("/sets/small/files/").content.decode()
    assert "6 candidates without human scores" in page and "This set has no AVA scores" in page
    missing = client.get("/sets/small/labels.tsv")
    assert missing.status_code == 409 and "no complete run of ava" in missing.content.decode()
    score_here(unjudged, "ava")
    page = client.get("/sets/small/files/").content.decode()
    assert 'action="/sets/small@1/labels.tsv"' in page and '<option value="ava">' in page
    answer = client.get("/sets/small@1/labels.tsv", {"metric": "ava", "threshold": "0.2"})
    assert answer["Content-Type"].startswith("text/tab-separated-values")
    assert 'filename="small-v1-labels.tsv"' in answer["Content-Disposition"]
    content = b"".join(answer).decode()  # type: ignore[arg-type]
    assert content == "".join(labels.label_lines(unjudged, threshold=0.2))
    assert client.get("/sets/small@1/labels.tsv?threshold=high").status_code == 400
    response = Caller().get("/sets/small/labels.tsv?threshold=0.2")
    assert b"".join(response).decode() == content
    refused = Caller().get("/sets/small/labels.tsv?metric=mine")
    assert refused.status_code == 409 and "no complete run of mine" in refused.json()["detail"]


def test_answers_of_a_hidden_split_are_not_labelled_for_visitors(unjudged: JudgmentSet) -> None:
    score_here(unjudged, "ava")
    hidden.hide(unjudged, "test", at=now())
    content = b"".join(Client().get("/sets/small/labels.tsv"))  # type: ignore[arg-type]
    ids = [line.split("\t")[7] for line in content.decode().splitlines()[1:]]
    # Questions 2 and 5 are of the test split.
    assert ids == ["c1-b", "c3-b", "c4-b"]


def test_a_run_that_failed_does_not_label(unjudged: JudgmentSet) -> None:
    (run,) = score_here(unjudged, "ava")
    assert [one.pk for one in labels.labelling_runs(unjudged)] == [run.pk]
    MetricRun.objects.filter(pk=run.pk).update(status="failed")
    assert labels.labelling_runs(unjudged) == []
