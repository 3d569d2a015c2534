"""Sets without references, from the import of a file to its board, and from a study to its set."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.studies import intake
from benchmarks.analyses import services as analyses
from benchmarks.analyses.registry import KINDS
from benchmarks.freezing import services as freezing
from benchmarks.imports import services as imports
from benchmarks.runs.services import runs
from benchmarks.sets.models import JudgmentSet
from benchmarks.submissions import services as submissions
from benchmarks.submissions.services import SubmissionInfo
from concord.formats import InstanceRecord
from concord.meta.inference import run_steps
from concord.metrics import Item, MetricInfo, MetricSpec
from concord.metrics.metric import MeanMetric
from core.refusals import RefusedError
from scorers import MetricError, Session, parse_metrics
from tests.annotation import people
from tests.benchmarks.factories import ask_for_import, candidate_lines, write_lines

pytestmark = pytest.mark.django_db
EMPTY_HEADING = re.compile(r"<dt>[^<]*</dt>\s*<dd[^>]*>\s*</dd>")
STUDY_PAGES = ("candidates", "preview", "quality", "data", "adjudication", "spot-checks", "freeze")
PAGES = ("judgment-set", "leaderboard", "metric-runs", "set-data", "plane", "submissions")


class Length(MeanMetric):
    """The length of the answer, which needs no reference."""

    def compare(self, batch):  # type: ignore[no-untyped-def]
        return np.array([len(text) for text in batch.comparisons.candidates], dtype=np.float64)


@pytest.fixture
def bare(staff: Client, tmp_path: Path) -> JudgmentSet:
    dropped = ("references", "question")
    lines = [
        {name: value for name, value in line.items() if name not in dropped}
        for line in candidate_lines(8, ("a", "b", "c"))
    ]
    sam = User.objects.get(username="sam")
    imports.SET_IMPORTS.perform(ask_for_import(sam, tmp_path, "bare", lines).pk)
    return JudgmentSet.objects.named("bare")


def test_a_board_shows_scores_that_need_no_references(
    bare: JudgmentSet, staff: Client, tmp_path: Path
) -> None:
    rows = [{"id": one.key, "score": float(len(one.text))} for one in bare.candidates.all()]
    path = write_lines(tmp_path / "scores.jsonl", rows)
    submissions.submit_scores(bare, SubmissionInfo("length"), path, owner=None, at=now())
    for name in PAGES:
        page = staff.get(reverse(name, args=[str(bare)]))
        assert page.status_code == 200
        assert not EMPTY_HEADING.search(page.content.decode()), name
    assert "length" in staff.get(reverse("leaderboard", args=[str(bare)])).content.decode()
    raters = analyses.find_or_compute("raters", bare, {})
    assert raters is not None and raters.status == "complete"


def test_what_needs_references_says_so_by_name(bare: JudgmentSet) -> None:
    message = "8 instances of bare@1 have no reference .* token-f1, rouge-l cannot score them"
    with pytest.raises(MetricError, match=message):
        runs.request_runs(bare, parse_metrics("token-f1,rouge-l"), at=now())
    plane = KINDS["plane"]
    with pytest.raises(RefusedError, match="The plane compares candidates with references"):
        run_steps(plane.compute(bare, [], plane.read({})))


def test_a_metric_that_reads_no_reference_needs_none() -> None:
    info = MetricInfo("Length", "", "tests", (0.0, np.inf), reads_references=False)
    metric = Length(MetricSpec("length", "length", multi_ref="joint"), info)
    with Session() as session:
        assert session.score(metric, [Item("four", ()), Item("", ())]).tolist() == [4.0, 0.0]


def test_a_study_with_answers_only_is_rated_and_frozen(client: Client, tmp_path: Path) -> None:
    rosa = people.researcher()
    rows = [
        intake.Item.single(f"c{at}", InstanceRecord(f"i{at}", ()), f"answer {at}", f"s{at % 2}")
        for at in range(8)
    ]
    study = people.new_study(rosa, people.protocol(split_shares=()), rows)
    stage = people.open_stage(study)
    workers = [people.join(study, f"worker {at}") for at in range(4)]
    for at, worker in enumerate(workers):
        people.rate(stage, worker, {row.key: 1 + (at + n) % 5 for n, row in enumerate(rows)})
    client.force_login(rosa)
    slug, name = study.slug, workers[0].worker.name
    addresses = [reverse(f"study-{page}", args=[slug]) for page in STUDY_PAGES]
    for address in (*addresses, reverse("study-worker", args=[slug, name])):
        page = client.get(address)
        assert page.status_code == 200
        assert not EMPTY_HEADING.search(page.content.decode()), address
        assert ">Reference<" not in page.content.decode(), address
    made = freezing.freeze(study, "mean", by=rosa, at=now())
    assert made.instances.filter(references=[]).count() == made.n_candidates == 8
    assert client.get(reverse("leaderboard", args=[str(made)])).status_code == 200
