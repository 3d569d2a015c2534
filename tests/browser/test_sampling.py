"""A study that draws what people rate, in a browser: from a pilot to the library's estimate."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.timezone import now
from playwright.sync_api import Page, expect

from annotation.rating.models import HitCandidate
from annotation.stages.models import StageSampling
from annotation.stages.services import continuing
from annotation.studies.models import Stage, Study
from benchmarks.analyses import tasks
from benchmarks.analyses.models import Analysis
from benchmarks.sets.models import JudgmentSet
from concord.cli import main
from concord.protocols import HitRules, QualityRules, RatingRule
from tests.annotation import people
from tests.benchmarks.factories import add_member, make_set, score_here, set_default_draws
from tests.browser.accessibility import faults
from tests.browser.conftest import PASSWORD, sign_in
from tests.browser.freezing import freeze_to

pytestmark = pytest.mark.browser
BUDGET = 60


def test_from_a_pilot_to_an_estimate_of_the_exported_file(
    transactional_db: None,
    open_page: Callable[..., Page],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    sam = User.objects.create_user("sam", password=PASSWORD, is_staff=True)
    protocol = people.protocol(
        rating_rules=(RatingRule(1),), hit=HitRules(max_candidates=6), quality=QualityRules(),
        split_shares=(),
    )  # fmt: skip
    study = people.new_study(sam, protocol, people.candidates(80, each=2))
    rng = np.random.default_rng(1)
    worth = {
        row.key: int(np.clip(round(2.6 + 1.2 * (row.system == "system 1") + rng.normal()), 1, 5))
        for row in study.candidates.order_by("position")
    }
    scores = tmp_path / "scores.jsonl"
    scores.write_text(
        "".join(
            json.dumps({"id": key, "scores": {"good": value + rng.normal(0, 0.5)}}) + "\n"
            for key, value in worth.items()
        )
    )
    page = open_page("/sign-in/")
    sign_in(page)
    plan_from_a_pilot(page, sam, tmp_path, monkeypatch)
    set_the_rule(page, study, scores)
    stage = rate_until_the_stop(study, worth)
    page.reload()
    expect(page.get_by_text("The target is reached.")).to_be_visible()
    rated = HitCandidate.objects.filter(hit__stage=stage).count() // 2
    assert rated < BUDGET
    expect(page.get_by_text(f"{rated} of 80")).to_be_visible()
    expect(page.get_by_role("img", name="Width of the widest interval")).to_be_visible()
    shoot(page, "reached")
    assert faults(page) == []  # in light and dark, on a desktop and a phone
    shown = means_shown(page, "Mean over all candidates")
    freeze_to(page, study.slug)
    exported = export(page, study.slug, tmp_path)
    capsys.readouterr()
    estimate = library_estimate(exported, scores, capsys, "--budget", str(BUDGET))
    look = StageSampling.objects.get().looks[-1]
    for system, row in look["systems"].items():
        assert estimate[system]["mean"] == row["mean"], "to the last digit"
        assert estimate[system]["ci"] == row["ci"]
        assert f"{row['mean']:.2f}" == shown[system]
    check_the_sets_estimates(page, study.slug, exported, tmp_path, capsys)


def plan_from_a_pilot(page: Page, sam: User, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_default_draws(monkeypatch, "plan", 3)
    pilot = make_set(folder, "pilot", instances=60, systems=("a", "b"))
    add_member("pilot", sam)
    score_here(pilot, "token-f1")
    page.goto(reverse("rating-plan", args=[str(pilot)]))
    page.get_by_label("For the study").select_option("boats")
    page.get_by_role("button", name="Plan", exact=True).click()
    page.get_by_role("button", name="Compute").click()
    expect(page.get_by_text("Computation started.")).to_be_visible()
    tasks.compute_analysis(Analysis.objects.get(kind="plan", parameters__units=80).pk)
    page.goto(page.url)
    expect(page.get_by_text("studies of 80 instances")).to_be_visible()
    expect(page.get_by_role("rowheader", name="plain mean")).to_be_visible()
    expect(page.get_by_role("columnheader", name="Cost", exact=True)).to_be_visible()
    expect(page.get_by_role("img").first).to_be_visible()
    shoot(page, "plan")
    assert faults(page) == []


def set_the_rule(page: Page, study: Study, scores: Path) -> None:
    page.goto(reverse("study-sampling", args=[study.slug]))
    page.get_by_label("Scores of every candidate").set_input_files(scores)
    page.get_by_label("Instances a wave").fill("15")
    page.get_by_label("Stop when").select_option("ranking")
    page.get_by_label("Width or level").fill("0.05")
    page.get_by_label("Budget").fill(str(BUDGET))
    shoot(page, "form")
    assert faults(page) == []
    page.get_by_role("button", name="Draw in waves").click()
    expect(page.get_by_text("0 of 80")).to_be_visible()


def rate_until_the_stop(study: Study, worth: dict[str, int]) -> Stage:
    stage = people.open_stage(study)
    rater = people.join(study, "ann")
    while stage.status == "open":
        people.rate(stage, rater, worth)
        assert continuing.continue_sampling(stage, at=now())
        stage.refresh_from_db()
    return stage


def means_shown(page: Page, caption: str, column: int = 0) -> dict[str, str]:
    """The figure in a column of each row of a table, as it is written."""
    rows = page.get_by_role("table", name=caption).locator("tbody tr")
    return {
        row.locator("th").inner_text(): row.locator("td").nth(column).inner_text()
        for row in rows.all()
    }


def export(page: Page, name: str, folder: Path) -> Path:
    """The judgments of the frozen set, downloaded from its page."""
    page.goto(reverse("set-files", args=[f"{name}@1"]))
    with page.expect_download() as download:
        page.locator(f'a[href="{reverse("judgments-jsonl", args=[f"{name}@1"])}"]').click()
    path = folder / "frozen.jsonl"
    download.value.save_as(path)
    return path


def library_estimate(
    judgments: Path, scores: Path, capsys: pytest.CaptureFixture[str], *options: str
) -> dict[str, dict[str, object]]:
    """The systems of `concord estimate`."""
    arguments = ["estimate", str(judgments), "--scores", str(scores), *options]
    assert main([*arguments, "--format", "json"]) == 0
    systems: dict[str, dict[str, object]] = json.loads(capsys.readouterr().out)["systems"]
    return systems


def check_the_sets_estimates(
    page: Page, name: str, exported: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The page Estimates of the frozen set has the numbers of the library, by the set's metric."""
    score_here(JudgmentSet.objects.get(name=name), "token-f1")
    page.goto(reverse("estimate", args=[f"{name}@1"]))
    expect(page.get_by_role("table", name="Systems by estimated mean rating")).to_be_visible()
    shown = means_shown(page, "Systems by estimated mean rating", column=2)
    with page.expect_download() as download:
        page.evaluate(
            "url => { const a = document.createElement('a'); a.href = url; a.click(); }",
            reverse("scores-csv", args=[f"{name}@1"]),
        )
    download.value.save_as(folder / "scores.csv")
    estimate = library_estimate(exported, folder / "scores.csv", capsys, "--metric", "token-f1")
    analysis = Analysis.objects.get(kind="estimate")
    for system, row in analysis.result["report"]["systems"].items():
        assert (estimate[system]["mean"], estimate[system]["ci"]) == (row["mean"], row["ci"])
        assert shown[system] == f"{row['mean']:.2f}"


def shoot(page: Page, name: str) -> None:
    """A picture for people, where SCREENSHOTS names a folder."""
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"sampling-{name}.png", full_page=True)
