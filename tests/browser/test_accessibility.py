"""axe-core reports nothing serious and nothing overflows: light, dark, desktop and phone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.utils.timezone import now
from playwright.sync_api import Page

from benchmarks.analyses import services as analyses
from benchmarks.imports import services as imports
from benchmarks.judging import services as judging
from benchmarks.judging.models import ModelJudge
from benchmarks.judging.services import JudgeSpec
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import importing
from benchmarks.tryouts import services as tryouts
from benchmarks.tryouts.models import TryOut
from concord.formats import ReadOptions, read_judgments
from tests.benchmarks.factories import (
    add_member,
    ask_for_import,
    ask_for_tryout,
    candidate_lines,
    make_criteria_set,
    make_judged_pairs_set,
    make_set,
    published,
    score_here,
    write_lines,
)
from tests.benchmarks.scenes import Scene
from tests.browser.accessibility import Screen, faults, on_screens
from tests.browser.conftest import sign_in

pytestmark = pytest.mark.browser
RNG = np.random.default_rng(1)


def paths(scene: Scene) -> list[str]:
    base = f"/sets/{scene.ref}"
    return [
        "/",
        f"{base}/",
        f"{base}/leaderboard/",
        f"{base}/leaderboard/?by=constituent&sort=pairs",
        f"{base}/leaderboard/?by=type",
        f"{base}/comparison/",
        f"{base}/errors/",
        f"{base}/plane/",
        f"{base}/submissions/",
        "/sets/ranked/plane/?guideline=correctness",
        f"{base}/correctness/",
        f"{base}/systems/",
        f"{base}/pairs/?run={scene.run.pk}",
        f"{base}/runs/",
        f"{base}/runs/{scene.run.pk}/",
        f"{base}/runs/{scene.failed.pk}/",
        f"{base}/candidates/c1-b/",
        "/try/",
        "/try/?example=kpqa-figure-1-1",
        "/learned/",
        "/learned/checkpoints/lerc-features/",
        "/imports/",
        "/sign-in/",
    ]


def imports_in_every_state(folder: Path) -> list[str]:
    """The pages of an import that waits, one that failed and one that is a set."""
    by = User.objects.get(is_staff=True)
    faulty = candidate_lines()
    faulty[2]["score"] = "good"
    asked = [
        ask_for_import(by, folder, "waiting"),
        ask_for_import(by, folder, "faulty", faulty),
        ask_for_import(by, folder, "imported"),
    ]
    for one in asked[1:]:
        imports.SET_IMPORTS.perform(one.pk)
    table = folder / "answers.csv"
    table.write_text("Query,Gold answer,Model output\nWhy?,so,because\n")
    options = imports.ImportParameters()
    draft = imports.request(
        "draft", "", imports.ImportFiles([table]), options, draft=True, by=by, at=now()
    )
    asked.append(draft)  # its page is the choice of columns
    return [one.get_absolute_url() for one in asked]


def tryouts_in_every_state() -> list[str]:
    """The pages of a try-out that waits, one that failed and one that is complete."""
    by = User.objects.get(is_staff=True)
    waiting, failed, done = (ask_for_tryout(by, "token-f1,ter,ava,bleu-1-kpqa") for _ in range(3))
    TryOut.objects.filter(pk=failed.pk).update(status="failed", reason="Its worker died.")
    tryouts.TRY_OUTS.perform(done.pk)
    return [f"/try/{one.pk}/" for one in (waiting, failed, done)]


def set_to_label(folder: Path) -> str:
    """The page of a set with answers that nobody judged, which AVA has scored."""
    lines = candidate_lines(2)
    for line in lines:
        del line["score"], line["ratings"]
    judgments = read_judgments([write_lines(folder / "u.jsonl", lines)], "concord", ReadOptions())
    made = published(importing.import_judgments("unjudged", judgments, None, at=now()))
    score_here(made, "ava")
    return made.get_absolute_url()


def judged_otherwise(folder: Path) -> list[str]:
    """Pages of criteria, error spans, and pairs that people judged."""
    several = make_criteria_set(folder)
    score_here(several, "token-f1")
    judged = make_judged_pairs_set(folder)
    score_here(judged, "token-f1")
    return [
        f"/sets/{several}/",
        f"/sets/{several}/criteria/",
        f"/sets/{several}/leaderboard/?criterion=fluency",
        f"/sets/{several}/spans/",
        f"/sets/{several}/candidates/c0-a/",
        f"/sets/{judged}/choices/",
    ]


@on_screens
def test_no_page_has_a_serious_violation(
    screens: list[Screen],
    scene: Scene,
    open_page: Callable[..., Page],
    tmp_path: Path,
) -> None:
    ranked = make_set(tmp_path, "ranked", instances=25, systems=("a", "b", "c", "d", "e", "f"))
    analyses.ANALYSES.perform(
        analyses.request_analysis("plane", ranked, {"guideline": "correctness"}).pk
    )
    page = open_page("/sign-in/")
    sign_in(page)
    results = []
    work = imports_in_every_state(tmp_path)
    work += [*tryouts_in_every_state(), set_to_label(tmp_path)]
    for path in [*paths(scene), *work, *judged_otherwise(tmp_path)]:
        page.goto(path)
        results += faults(page, screens)
    assert results == []


def a_new_version(judged: JudgmentSet, owner: User) -> ModelJudge:
    """A complete judge with its comparison with the version before."""
    spec = JudgeSpec("first", "https://8.8.8.8/v1", "m", "", 1000)
    drafts = [
        judging.draft(judged, replace(spec, name=name), owner=owner, at=now())
        for name in ("first", "second")
    ]
    old, new = drafts
    figure = {"value": 0.5, "p": 0.01, "ci": [0.25, 0.75]}
    new.comparison = {
        **{"items": 100, "passages": 30, "seen": 4, "reason": ""},
        **dict.fromkeys(("old", "new", "difference", "error_difference"), figure),
        "verdict": "the new version is better",
    }
    new.previous, new.status, new.confirmed_at = old, ModelJudge.Status.COMPLETE, now()
    new.save()
    return new


@on_screens
def test_the_pages_of_a_judge_have_no_serious_violation(
    screens: list[Screen], scene: Scene, open_page: Callable[..., Page], tmp_path: Path
) -> None:
    judged = make_set(tmp_path, "judged", instances=40, systems=("a", "b", "c"))
    (run,) = score_here(judged, "token-f1")
    analyses.ANALYSES.perform(
        analyses.request_analysis("judge", judged, {"run": run.pk, "raters": "crowd"}).pk
    )
    page = open_page("/sign-in/")
    sign_in(page)
    spec = JudgeSpec("model", "https://8.8.8.8/v1", "m", "secret", 1000)
    owner = User.objects.get(is_staff=True)
    add_member("judged", owner)
    sentinels = analyses.request_analysis("sentinel-judges", judged, {"raters": "crowd"})
    analyses.ANALYSES.perform(sentinels.pk)
    draft = judging.draft(judged, spec, owner=owner, at=now())
    complete = a_new_version(judged, owner)
    results = []
    for path in (
        f"/sets/judged/judges/{run.pk}/",
        "/sets/judged/judges/?epsilon=0.1",
        "/sets/judged/submissions/?kind=judgments",
        "/sets/judged/model-judges/",
        draft.get_absolute_url(),
        complete.get_absolute_url(),
        f"/sets/judged/model-judges/?previous={complete.pk}",
        f"/sets/judged/model-judges/{complete.pk}/align",
    ):
        page.goto(path)
        results += faults(page, screens)
    assert results == []
