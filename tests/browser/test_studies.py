"""A researcher goes from a file to a leaderboard, with axe-core on every page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.utils.timezone import now
from playwright.sync_api import Page, expect

from annotation.rating.models import HitCandidate, Participation
from annotation.rating.services import handing_out, participation
from annotation.rating.services.handing_out import Answer
from annotation.studies.models import Study
from annotation.studies.services import uploads
from benchmarks.freezing import services as freezing
from benchmarks.sets.models import JudgmentSet
from tests.annotation import people
from tests.browser.accessibility import Screen, faults, on_screens
from tests.browser.candidates import add_upload
from tests.browser.conftest import PASSWORD, sign_in
from tests.browser.freezing import freeze_to

pytestmark = pytest.mark.browser


@pytest.fixture
def sam(transactional_db: None) -> User:
    return User.objects.create_user("sam", password=PASSWORD, is_staff=True)


def jsonl(path: Path, lines: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def candidate_file(folder: Path) -> Path:
    lines: list[dict[str, object]] = []
    for number in range(8):
        for system in ("gpt2", "mhpg", "twin"):
            text = "the kettle" if system == "gpt2" else f"the oven {number}"
            lines.append(
                {
                    "id": f"c{number}-{system}",
                    "instance": f"i{number}",
                    "passage": f"Mira boiled water for the {number}th time.",
                    "question": "What did she boil?",
                    "references": ["water"],
                    "candidate": text,
                    "system": system,
                    "constituent": "quoref" if number % 2 else "narrativeqa",
                }
            )
    lines.append(lines[0] | {"id": "same", "candidate": "Water"})
    return jsonl(folder / "answers.jsonl", lines)


def qualification_file(folder: Path) -> Path:
    lines: list[dict[str, object]] = [
        {
            "id": f"t{n}",
            "references": ["a kettle"],
            "question": f"Which {n}?",
            "candidate": f"answer {n}",
            "score": 1 + n % 5,
        }
        for n in range(10)
    ]
    return jsonl(folder / "test.jsonl", lines)


def set_trial(page: Page) -> None:
    """From the rules for raters to the page that opens stages, by the steps of the set-up."""
    page.get_by_text("200 candidates, 5 ratings each").click()
    page.get_by_label("Candidates in the trial").fill("6")
    page.get_by_label("The trial's ratings count").check()  # MOCHA's own do not
    page.get_by_role("button", name="Save and continue").click()
    expect(page.get_by_text("Step 4 of 4")).to_be_visible()


def upload(page: Page, file: Path, use: str) -> None:
    page.get_by_role("link", name="Candidates", exact=True).first.click()
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_label("Contents").select_option(use)
    page.get_by_role("button", name="Upload").click()


def pass_the_test(study: Study, worker: Participation) -> None:
    stage = study.stages.get(kind="qualification")
    assignment = handing_out.hand_out(worker.worker, stage, at=now())
    assert assignment is not None
    members = HitCandidate.objects.filter(hit=assignment.hit).select_related("candidate")
    ratings = {one.candidate_id: Answer(one.candidate.expected) for one in members}
    handing_out.save_ratings(assignment, ratings, at=now())
    participation.grade_test(handing_out.submit(assignment, at=now()))


def raters(study: Study, count: int) -> list[Participation]:
    participations = [people.join(study, f"rater {at}") for at in range(count)]
    for one in participations:
        participation.consent(one, at=now())
        pass_the_test(study, one)
    return [Participation.objects.select_related("worker").get(pk=one.pk) for one in participations]


def rate_stage(study: Study, kind: str, crowd: list[Participation]) -> None:
    rng = np.random.default_rng(9)
    stage = study.stages.get(kind=kind)
    for worker in crowd:
        people.rate(stage, worker, people.crowd_values(study, rng, 0.8))


def test_a_researcher_goes_from_a_file_to_a_leaderboard(
    sam: User, tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    page = open_page("/studies/")
    sign_in(page)
    page.get_by_role("link", name="MOCHA 2020").click()
    page.get_by_label("Title").fill("Kettles")
    page.get_by_label("Short name").fill("kettles")
    page.get_by_label("Point 1", exact=True).fill("x" * 90)
    page.get_by_role("button", name="Create study").click()
    expect(page.locator("#id_label_0_error")).to_contain_text("90 characters")
    page.get_by_label("Point 1", exact=True).fill("Something else")
    seen = page.frame_locator("#rater-preview iframe")
    expect(seen.get_by_role("radio", name="1 Something else")).to_be_visible()
    page.get_by_role("button", name="Create study").click()

    upload(page, candidate_file(tmp_path), "rated")
    expect(page.get_by_label("quoref")).to_be_checked()
    add_upload(page)
    expect(page.get_by_text("1 left out (equal to a reference)").first).to_be_visible()
    expect(page.get_by_text("8 sharing the ratings of another candidate")).to_be_visible()
    upload(page, qualification_file(tmp_path), "qualification")
    add_upload(page)

    set_trial(page)
    page.get_by_role("link", name="Cost of all stages").click()
    expect(page.get_by_role("row", name="Total")).to_contain_text("$")
    page.get_by_role("link", name="Show the first HITs").click()
    expect(page.get_by_role("heading", name="HIT 1", exact=False).first).to_be_visible()

    study = Study.objects.get(slug="kettles")
    crowd: list[Participation] = []
    page.get_by_role("link", name="Collect", exact=True).click()
    for kind in ("qualification", "trial", "full"):
        page.get_by_role("button", name=f"Open the {kind} stage").click()
        expect(page.get_by_text(f"The {kind} stage is open with")).to_be_visible()
        if kind == "qualification":
            crowd = raters(study, 6)
            continue
        rate_stage(study, kind, crowd)
        begun = re.compile(r"\b[1-9][0-9]* of")
        expect(page.get_by_role("row", name=kind).first).to_contain_text(begun)
        page.get_by_role("button", name=f"Close the {kind} stage").click()
        link = page.get_by_role("link", name="Agreement of the ratings and workers")
        expect(link).to_be_visible()

    page.get_by_role("link", name="Quality", exact=True).click()
    page.get_by_label("Threshold").fill("9")
    page.get_by_role("button", name="Add step").click()
    expect(page.get_by_role("alert")).to_contain_text("can never remove any")
    page.get_by_label("Threshold").fill("1")
    page.get_by_label("Max. removed per candidate").fill("1")
    page.get_by_role("button", name="Add step").click()
    expect(page.locator(".note.real")).to_contain_text("shuffled")
    page.get_by_role("button", name="Undo step 1").click()
    expect(page.locator(".note.real")).to_have_count(0)
    page.get_by_role("button", name="Redo step 1").click()
    expect(page.get_by_text("Step 1 is active again")).to_be_visible()
    page.locator("table.workers tbody a").first.click()
    page.get_by_label("Reason").fill("a test of leaving one out")
    page.get_by_role("button", name="Exclude", exact=True).click()
    page.get_by_role("button", name="Readmit").click()
    page.get_by_role("link", name="Quality", exact=True).first.click()
    page.get_by_role("button", name="Undo step 1").click()

    page.get_by_role("link", name="Adjudication", exact=True).click()
    card = page.locator("ol.splits > li").first
    key = card.locator(".key-small").inner_text()
    card.get_by_role("radio", name="4").check()
    card.get_by_label("Note").fill("the passage says so")
    card.get_by_role("button", name="Set value").click()
    expect(page.get_by_text(f"{key} now has the value 4")).to_be_visible()

    freeze_to(page, "kettles")
    page.get_by_role("link", name="Metrics", exact=True).first.click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert "/sets/kettles@1/leaderboard/" in page.url
    made = JudgmentSet.objects.get()
    assert made.candidates.get(key=key).gold == 4
    assert made.n_candidates == 24


def paths(sam: User) -> list[str]:
    """Every page of a study with everything in it."""
    scene = people.full_scene(sam)
    fresh = people.new_study(sam, people.TRIAL, people.candidates(2), slug="fresh")
    csv = b"id,question,reference,answer\n1,What?,a boat,a ship\n"
    upload = uploads.store_upload(fresh, "a.csv", csv, "csv", "rated", by=sam, at=now())
    freezing.freeze(scene.study, "mean", by=scene.study.owner, at=now())
    freezing.freeze(scene.study, "median", by=scene.study.owner, at=now())
    own = [
        *(
            "",
            "protocol/",
            "protocol/rules/",
            "protocol/1/",
            "candidates/",
            "cost/",
            "preview/",
            "stages/",
            "monitor/",
            "data/",
        ),
        *(
            "quality/",
            "spot-checks/",
            "adjudication/",
            "messages/",
            "freeze/",
            "settings/",
            "links/",
        ),
        f"workers/{scene.workers[3].worker.name}/",
    ]
    return [
        *("/studies/", "/studies/new/?preset=mocha-2020"),
        *(f"/studies/{scene.slug}/{one}" for one in own),
        *("/studies/fresh/", "/studies/fresh/stages/", "/studies/fresh/freeze/"),
        *("/studies/fresh/protocol/", "/studies/fresh/protocol/rules/"),
        f"/studies/fresh/candidates/uploads/{upload.pk}/",
        "/sets/boats/compare/",
    ]


@on_screens
def test_no_page_has_a_serious_violation(
    screens: list[Screen], sam: User, open_page: Callable[..., Page]
) -> None:
    page = open_page("/sign-in/")
    sign_in(page)
    results = []
    for path in paths(sam):
        page.goto(path)
        results += faults(page, screens)
    assert results == []


def test_the_monitor_refreshes_itself_and_leaves_what_is_being_written(
    sam: User, open_page: Callable[..., Page]
) -> None:
    scene = people.full_scene(sam)
    page = open_page(f"/studies/{scene.slug}/monitor/")
    sign_in(page)
    reason = page.get_by_label("Reason")
    reason.fill("Too fast")
    expect(page.get_by_text("rating HIT")).to_have_count(0)
    worker = people.join(scene.study, "late")
    assert handing_out.hand_out(worker.worker, scene.stage, at=now()) is not None
    expect(page.get_by_role("row", name=worker.worker.name)).to_contain_text("rating HIT")
    expect(reason).to_have_value("Too fast")
    expect(reason).to_be_focused()
    page.get_by_role("button", name="Pause the full stage").click()
    expect(page.get_by_text("Raters get no new tasks; tasks in progress")).to_be_visible()


def test_a_study_is_made_and_filtered_without_javascript(
    sam: User, open_page: Callable[..., Page]
) -> None:
    scene = people.full_scene(sam)
    page = open_page(f"/studies/{scene.slug}/quality/", java_script_enabled=False)
    sign_in(page)
    page.get_by_role("link", name="nominal").click()
    expect(page.get_by_role("columnheader", name=", nominal")).to_be_visible()
    page.get_by_role("button", name="Undo step 1").click()
    expect(page.get_by_text("Step 1 was undone")).to_be_visible()
    page.get_by_role("link", name="Spot checks").click()
    page.get_by_role("button", name="Good").first.click()
    expect(page.locator("main")).to_contain_text("so far, 1 good")


def test_a_new_user_sets_a_study_up_step_by_step_without_javascript(
    sam: User, tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    page = open_page("/studies/", java_script_enabled=False)
    sign_in(page)
    page.get_by_role("link", name="Blank").click()
    expect(page.get_by_text("Step 1 of 4")).to_be_visible()
    page.get_by_label("Title").fill("Kettles")
    page.get_by_label("Short name").fill("kettles")
    page.get_by_label("Question to raters").fill("Is it hot?")
    page.get_by_role("button", name="Preview").click()
    seen = page.frame_locator("#rater-preview iframe")
    expect(seen.get_by_role("group", name="Is it hot?")).to_be_visible()
    assert not Study.objects.exists()
    page.get_by_role("button", name="Create study and continue").click()
    expect(page.get_by_text("Step 2 of 4")).to_be_visible()
    study = Study.objects.get()
    assert study.current.protocol.question == "Is it hot?"
    people.add_items(study, people.candidates(2))
    page.reload()
    page.get_by_role("link", name="Next: Raters and quality").click()
    expect(page.get_by_text("Step 3 of 4")).to_be_visible()
    page.get_by_text("Trial none").click()
    page.get_by_label("Run a trial before the full collection").check()
    page.get_by_role("button", name="Save and continue").click()
    expect(page.get_by_text("Step 4 of 4")).to_be_visible()
    page.get_by_role("link", name="Back").click()
    expect(page.get_by_label("Candidates in the trial")).to_be_visible()
    page.get_by_role("button", name="Save and continue").click()
    page.get_by_role("button", name="Open the trial stage").click()
    expect(page.get_by_text("The trial stage is open with")).to_be_visible()
    expect(page.get_by_text("Step 4 of 4")).to_have_count(0)


def test_a_study_is_copied_archived_and_deleted_without_javascript(
    sam: User, open_page: Callable[..., Page]
) -> None:
    scene = people.full_scene(sam)
    page = open_page(f"/studies/{scene.slug}/settings/", java_script_enabled=False)
    sign_in(page)
    expect(
        page.get_by_text("The full stage is open. Close it on the Stages page.").first
    ).to_be_visible()
    page.get_by_role("button", name="Copy the study").click()
    expect(page.get_by_text("has the protocol and candidates of boats")).to_be_visible()
    assert Study.objects.get(slug="boats-copy").candidates.count() == scene.study.candidates.count()
    page.goto(f"/studies/{scene.slug}/stages/")
    page.get_by_role("button", name="Close the full stage").click()
    page.get_by_role("link", name="Settings", exact=True).click()
    page.get_by_role("button", name="Archive the study").click()
    expect(page.locator(".chip", has_text="archived")).to_be_visible()
    page.get_by_label("Type the study's short name").fill("boats")
    page.get_by_role("button", name="Delete the study").click()
    expect(page.get_by_role("alert")).to_contain_text("Pay them, and confirm it.")
    page.get_by_label("I have paid the raters").check()
    page.get_by_label("Type the study's short name").fill("boats")
    page.get_by_role("button", name="Delete the study").click()
    expect(page.get_by_text("Boats and rivers was deleted.")).to_be_visible()
    expect(page.get_by_role("link", name="Copy of Boats and rivers")).to_be_visible()
