"""The papers' collections through the pages: KPQA's systems in a file each, MOCHA's minimal pairs
after the collection, and its paid test."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils.timezone import now
from playwright.sync_api import Browser, Page, expect

from annotation.crowds.models import CrowdAssignment, Publication
from annotation.crowds.services import scheduling
from annotation.rating.models import Participation
from annotation.studies.models import Study, StudyCandidate
from benchmarks.freezing import services as freezing
from benchmarks.freezing.models import Freezing
from benchmarks.sets.models import JudgmentSet
from concord.protocols import RatingRule
from mturk_sandbox import Sandbox
from tests.annotation import people
from tests.annotation.crowds.scenes import make_study, small
from tests.browser.accessibility import DESKTOP, faults
from tests.browser.candidates import add_upload
from tests.browser.conftest import PASSWORD, sign_in
from tests.browser.test_mturk_study import Person, sandbox

__all__ = ["sandbox"]

pytestmark = pytest.mark.browser
QUESTIONS = 20


@pytest.fixture
def sam(transactional_db: None) -> User:
    return User.objects.create_user("sam", password=PASSWORD, is_staff=True)


def accessible(page: Page) -> None:
    page.goto(page.url)  # without the messages of the last action
    assert faults(page, [(DESKTOP, "light")]) == []


def system_file(folder: Path, system: str, right: int) -> Path:
    """A system's answers without ids; the first `right` of them are the reference itself."""
    path = folder / f"{system}.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question", "reference", "candidate", "system"])
        for number in range(QUESTIONS):
            reference = f"{40 + number} metres"
            answer = reference if number < right else f"about {number} feet, says {system}"
            writer.writerow([f"How long is bridge {number}?", reference, answer, system])
    return path


def upload(page: Page, file: Path) -> None:
    page.goto("/studies/bridges/candidates/")
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Upload").click()
    draw = page.get_by_label("Number of questions to rate")
    expect(draw).to_have_value("500")
    draw.fill("10")
    add_upload(page)


def test_kpqas_rules_hold_over_a_file_for_each_system(
    sam: User, tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    page = open_page("/studies/new/?preset=kpqa-2021", viewport=DESKTOP)
    sign_in(page)
    page.get_by_label("Title").fill("Bridges")
    page.get_by_label("Short name").fill("bridges")
    page.get_by_role("button", name="Create study").click()
    expect(page.get_by_role("link", name="Candidates", exact=True).first).to_be_visible()
    upload(page, system_file(tmp_path, "one", right=0))
    expect(page.get_by_text("10 added; 10 left out (not drawn: 10 of 20 questions")).to_be_visible()
    upload(page, system_file(tmp_path, "two", right=12))
    expect(
        page.get_by_text("12 left out (a system gave the reference word for word)")
    ).to_be_visible()
    expect(page.get_by_text("of earlier files left out now").first).to_be_visible()
    accessible(page)
    rated = Study.objects.get().candidates.filter(use="rated")
    by_system = {
        system: set(rated.filter(system=system).values_list("instance", flat=True))
        for system in ("one", "two")
    }
    assert by_system["one"] == by_system["two"] and len(by_system["one"]) == 8


def test_minimal_pairs_after_the_collection_reach_the_sets_next_version(
    sam: User, open_page: Callable[..., Page]
) -> None:
    protocol = people.protocol(rating_rules=(RatingRule(1),))
    study = people.new_study(sam, protocol, people.candidates(4))
    people.rate(people.open_stage(study), people.join(study, "ann"))
    freezing.freeze(study, "mean", by=sam, at=now())
    page = open_page("/sign-in/", viewport=DESKTOP)
    sign_in(page)
    page.goto("/studies/boats/candidates/")
    expect(page.get_by_text("or add one here")).to_have_count(0)  # the stage is open
    page.get_by_role("link", name="be collected for the frozen set").click()
    accessible(page)
    page.get_by_role("button", name="Create the study").click()
    expect(page.get_by_text("This study collects minimal pairs on the instances")).to_be_visible()
    accessible(page)
    page.get_by_text("Add a minimal pair").click()
    page.get_by_label("Instance", exact=True).fill("i1")
    page.get_by_label("Phenomenon").fill("negation")
    page.get_by_label("Better answer").fill("a boat")
    page.get_by_label("Worse answer").fill("no boat")
    page.get_by_role("button", name="Add pair").click()
    expect(page.get_by_text("The minimal pair pair-1 was added.")).to_be_visible()
    pairs = Study.objects.get(slug="boats-pairs")
    of_set = JudgmentSet.objects.get().instances.get(key="i1")
    assert pairs.instances.get(key="i1").split == of_set.split != ""
    stage = people.open_stage(pairs)
    for name in ("bob", "cyd"):
        people.rate(stage, people.join(pairs, name), {"pair-1/1": 5, "pair-1/2": 1})
    page.goto("/studies/boats-pairs/freeze/")
    expect(page.get_by_text("This study has minimal pairs only")).to_be_visible()
    accessible(page)
    page.get_by_role("button", name="Freeze to boats").click()
    expect(page.get_by_text("waiting for a worker")).to_be_visible()
    freezing.FREEZINGS.perform(Freezing.objects.get().pk)
    expect(page.get_by_text("boats@2 is frozen")).to_be_visible()
    made = JudgmentSet.objects.get(version=2)
    assert (made.name, made.n_candidates, made.n_pairs) == ("boats", 12, 1)
    assert made.pairs.get().instance.split == of_set.split


def test_the_paid_test_is_a_task_and_who_passes_gets_the_study(
    sam: User, settings: Any, sandbox: Sandbox, browser: Browser, open_page: Callable[..., Page]
) -> None:
    settings.OUTGOING_ALLOWED_HOSTS = [sandbox.url.removeprefix("http://")]
    make_study(1, small(ratings=1, cents=10), owner=sam)
    page = open_page("/sign-in/", viewport=DESKTOP)
    sign_in(page)

    def publish(stage: str, **more: str) -> Publication:
        page.goto("/studies/bridges/crowd/?provider=mturk#choose")
        page.get_by_label("Stage", exact=True).select_option(stage)
        page.get_by_label("Environment", exact=True).select_option("other")
        page.get_by_label("URL of another service").fill(sandbox.url)
        for label, value in more.items():
            page.get_by_label(label.replace("_", " ")).fill(value)
        if stage == "full":
            page.get_by_label("Only workers who passed").check()
        page.get_by_role("button", name="Show cost").click()
        expect(page.get_by_role("heading", name=re.compile("^Draft"))).to_be_visible()
        accessible(page)
        field = page.get_by_label(re.compile("Type .* to publish"))
        label = page.locator("label[for=confirmed]").inner_text()
        amount = re.search(r"[0-9]+\.[0-9]{2}", label)
        assert amount
        field.fill(amount[0])
        page.get_by_role("button", name=re.compile("^Publish for")).click()
        expect(page.get_by_text("Publishing on Mechanical Turk is queued.")).to_be_visible()
        publication = Publication.objects.latest("pk")
        scheduling.make_calls(publication.pk)
        publication.refresh_from_db()
        return publication

    test = publish("qualification", Workers_who_take_a_paid_test="2")
    for name, right in (("AGOOD", True), ("ABAD", False)):
        person = Person(browser, sandbox, name, viewport=DESKTOP)
        frame = person.accept(test.listings.get().provider_id)
        expect(frame.get_by_role("heading", level=1)).to_contain_text("Test:")
        for item in StudyCandidate.objects.filter(use="qualification", hits__isnull=False):
            key = int(item.expected or 0)
            value = key if right else 1 + key % 5
            frame.locator(f"#card-{item.pk} .point:has(input[value='{value}'])").click()
        expect(frame.locator("#save-state")).to_have_text("Saved")
        person.submit(frame)
        expect(frame.get_by_text("Your answers have been submitted.")).to_be_visible()
        person.close()
    scheduling.sync_publication(test.pk, at=now())
    scheduling.make_calls(test.pk)
    assert sorted(Participation.objects.values_list("qualified", flat=True)) == [
        "not yet",
        "passed",
    ]
    assert CrowdAssignment.objects.filter(status="submitted").count() == 2, "both are paid"
    full = publish("full")
    bad = Person(browser, sandbox, "ABAD", viewport=DESKTOP)
    bad.page.goto("/worker/")
    expect(bad.page.get_by_text("you do not").first).to_be_visible()
    bad.close()
    good = Person(browser, sandbox, "AGOOD", viewport=DESKTOP)
    good.do(full.listings.get().provider_id, 4)
    good.close()
