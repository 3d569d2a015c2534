"""Studies with a set's lost pairs or largest disagreements, created by page and API."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.studies.models import Study
from benchmarks.errors.services import browsing, errors, studies_from_sets
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden
from benchmarks.sets.viewers import OPERATOR
from core.audit.models import AuditEvent
from core.refusals import RefusedError
from tests.benchmarks.factories import make_set, score_here
from tests.core.rest.people import person


@pytest.fixture
def run(tmp_path, db) -> MetricRun:
    judgment_set = make_set(tmp_path, pairs=8, instances=12, systems=("a", "b"))
    return score_here(judgment_set, "token-f1")[0]


@pytest.fixture
def researcher(db) -> User:
    return person("rita", is_staff=True)


@pytest.fixture
def browser(researcher) -> Client:
    client = Client()
    client.force_login(researcher)
    return client


def start(client: Client, run: MetricRun, items: str, **more: Any) -> Any:
    form = {"items": items, "run": run.pk, "preset": "mocha-2020", **more}
    return client.post(reverse("study-from-set", args=["small@1"]), form, follow=True)


def lost(run: MetricRun) -> set[str]:
    verdicts = browsing.verdicts(run.judgment_set, run)
    return {one.pair.key for one in verdicts if one.verdict == "wrong"}


def test_a_button_creates_a_private_study_of_lost_pairs(run, browser, researcher):
    page = browser.get(f"/sets/small/pairs/?run={run.pk}&verdict=wrong").content.decode()
    assert "Start a study with these" in page
    assert "Start a study" not in browser.get(f"/sets/small/pairs/?run={run.pk}").content.decode()
    answer = start(browser, run, "lost-pairs")
    study = Study.objects.get()
    assert answer.redirect_chain[-1][0] == reverse("study-candidates", args=[study.slug])
    assert (study.owner, study.published_at, study.preset) == (researcher, None, "mocha-2020")
    rows = study.candidates.exclude(pair="")
    assert set(rows.values_list("pair", flat=True)) == lost(run) != set()
    better = dict(run.judgment_set.pairs.values_list("key", "candidate1"))
    assert all(one.text == better[one.pair] for one in rows.filter(pair_member=1))
    assert not study.candidates.filter(expected__isnull=False).exists()
    assert study.origin["judgment_set"] == "small@1" and study.origin["items"] == "lost-pairs"
    assert study.origin["count"] == len(lost(run))
    event = AuditEvent.objects.get(action="study.created")
    assert "small@1" in str(event.after) and event.judgment_set == ""
    overview = browser.get(study.get_absolute_url()).content.decode()
    assert "token-f1 loses in small@1" in " ".join(overview.split())


def test_a_study_of_disagreements_has_every_answer_to_their_questions(run, browser):
    page = browser.get(f"/sets/small/errors/?run={run.pk}").content.decode()
    assert "Start a study with these" in page
    start(browser, run, "disagreements", preset="blank", count="20", show="over", split="dev")
    study = Study.objects.get()
    conflicts = errors.conflicts(run, None, 20, direction="over", split="dev")
    questions = {one.candidate.instance.key for one in conflicts}
    assert set(study.instances.values_list("key", flat=True)) == questions
    assert set(study.candidates.values_list("system", flat=True)) == {"a", "b"}
    assert study.candidates.filter(use="rated").count() == 2 * len(questions)
    assert study.origin["against"] == "people" and study.origin["split"] == "dev"
    start(browser, run, "disagreements", preset="blank")
    assert set(Study.objects.values_list("slug", flat=True)) == {"small-study", "small-study-2"}


@pytest.mark.parametrize("items", ["lost-pairs", "disagreements"])
def test_users_cannot_create_studies_from_labels_hidden_from_them(run, browser, items):
    hidden.hide(run.judgment_set, "test", at=now())
    for page in (f"pairs/?run={run.pk}&verdict=wrong", f"errors/?run={run.pk}"):
        assert "Start a study" not in browser.get(f"/sets/small/{page}").content.decode()
    assert "are hidden from you" in start(browser, run, items).content.decode()
    assert not Study.objects.exists()


def test_refusals_state_the_reason_and_create_nothing(run, browser):
    constant = score_here(run.judgment_set, "exact-match")[0]
    page = start(browser, constant, "lost-pairs").content.decode()
    assert "exact-match orders no such pair wrongly" in page
    page = start(browser, run, "lost-pairs", preset="mine").content.decode()
    assert "There is no preset “mine”" in page
    assert start(browser, run, "everything").status_code == 404
    assert not Study.objects.exists()
    member = Client()
    member.force_login(person("ann"))
    assert start(member, run, "lost-pairs").status_code == 403
    assert "Start a study" not in member.get(f"/sets/small/errors/?run={run.pk}").content.decode()


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"source_format": "mocha"}, "mocha-2020"),
        ({"source_format": "kpqa"}, "kpqa-2021"),
        ({"source_format": "evouna"}, "ava-2021"),
        ({"scale_low": 0, "scale_high": 1}, "ava-2021"),
        ({"scale_low": 1, "scale_high": 3}, "soricut-brill-2004"),
        ({}, "blank"),
        ({"report": {"study": {"preset": "kpqa-2021"}}, "source_format": "study"}, "kpqa-2021"),
        ({"report": {"study": {"preset": "own"}}, "source_format": "study"}, "blank"),
    ],
)
def test_the_default_preset_depends_on_format_scale_and_study(changes, expected):
    fields = {"source_format": "concord", "scale_low": 1.0, "scale_high": 5.0, "report": {}}
    assert studies_from_sets.default_preset(JudgmentSet(**(fields | changes))) == expected


def test_an_editor_may_copy_labels_hidden_from_others(run):
    hidden.hide(run.judgment_set, "test", at=now())
    judgment_set = JudgmentSet.objects.get()
    with pytest.raises(RefusedError):
        studies_from_sets.lost_pairs(judgment_set, run)
    judgment_set.viewer = OPERATOR
    assert studies_from_sets.lost_pairs(judgment_set, run).pairs
