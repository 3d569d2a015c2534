"""Sets on the pages that Mechanical Turk shows itself: the self-contained page and a batch's."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from urllib.parse import parse_qs

import pytest
from django.utils.timezone import now
from playwright.sync_api import Browser, Page, expect

from annotation.crowds.services import batches, pages
from annotation.setup.services.study_creation import StudySource, create_study
from annotation.stages.services import opening
from annotation.studies.intake import CandidateInput
from annotation.studies.models import Stage
from annotation.studies.services.candidates import add_candidates
from concord.protocols import HitRules, preset
from tests.annotation.crowds.scenes import instance, researcher
from tests.browser.accessibility import PHONE, SERIOUS, faults

SETS = replace(
    preset("best-worst-2017"), consent="", hit=HitRules(max_candidates=2, same_passage=False)
)
FRAME = "https://frame.example/task?assignmentId=A1&turkSubmitTo=https://turk.example/"


@pytest.fixture
def stage(transactional_db: None) -> Stage:
    """A set of four answers and one of three, in one HIT."""
    study = create_study(
        "sets",
        "Best and worst",
        SETS,
        source=StudySource("blank"),
        owner=researcher(),
        seed=3,
        at=now(),
    )
    rows = [
        CandidateInput(f"q{n}-{name}", instance(n), f"{name} says that it is {n} metres", name)
        for n, names in enumerate(("abcd", "abc"))
        for name in names
    ]
    add_candidates(study, rows)
    stage = study.stages.get(kind="full")
    opening.open_stage(stage, by=study.owner, at=now())
    return stage


def answer_by_best_and_worst(page: Page) -> dict[str, str]:
    """Choose the first of each set as best and the last as worst; the fields that are posted."""
    cards = page.locator(".item, article")
    for card in cards.all():
        best = card.locator("[name^='rating-']:not([value=cannot])")
        worst = card.locator("[data-kind=worst] input")
        best.first.check()
        expect(worst.first).to_be_disabled()
        worst.last.check()
        best.last.check()  # the best takes the place of the worst
        expect(worst.last).not_to_be_checked()
        best.first.check()
        worst.last.check()
    with page.expect_request("https://turk.example/**") as sent:
        page.get_by_role("button", name="Submit").click()
    return {name: values[0] for name, values in parse_qs(sent.value.post_data or "").items()}


def check_fields(stage: Stage, fields: dict[str, str]) -> None:
    """The posted fields have the first shown answer as best and the last as worst."""
    for unit in stage.hits.get().candidates.all():
        order, _ = pages.shown_parts(unit)
        assert fields[f"rating-{unit.pk}"] == str(order[0])
        assert fields[f"answer-{unit.pk}-0"] == str(order[-1])


def open_page(browser: Browser, content: str) -> Page:
    page = browser.new_context(viewport=PHONE).new_page()
    page.route("**/*", lambda route: route.fulfill(body=content, content_type="text/html"))
    page.goto(FRAME)
    return page


def test_sets_on_a_page_that_needs_no_server(stage: Stage, browser: Browser) -> None:
    page = open_page(browser, pages.page_of_hit(stage.hits.get()))
    assert faults(page, impacts=("minor", "moderate", *SERIOUS)) == []
    expect(page.get_by_text("0 of 2 rated")).to_be_visible()
    fields = answer_by_best_and_worst(page)
    check_fields(stage, fields)
    page.context.close()


def test_who_cannot_judge_a_set_is_not_asked_for_the_worst(stage: Stage, browser: Browser) -> None:
    page = open_page(browser, pages.page_of_hit(stage.hits.get()))
    card = page.locator("article").first
    card.get_by_label("I cannot judge this").check()
    expect(card.locator("[data-kind=worst]")).to_be_hidden()
    card.locator("[name^='rating-']").first.check()
    expect(card.locator("[data-kind=worst]")).to_be_visible()
    page.context.close()


def test_sets_of_different_sizes_in_a_batch(stage: Stage, browser: Browser) -> None:
    (row,) = csv.DictReader(io.StringIO("".join(batches.input_file(stage))))
    template = batches.template(stage)
    filled = re.sub(r"\$\{(\w+)\}", lambda column: row[column[1]], template)
    form = f'<form method="post" action="https://turk.example/x">{filled}<button>Submit</button>'
    page = open_page(browser, f"<!DOCTYPE html><html lang='en'><body>{form}</form></body></html>")
    sizes = {
        card.locator("[data-kind=worst] input").count(): card.locator("[data-value]").count()
        for card in page.locator(".item").all()
    }
    assert sizes == {3: 3, 4: 4}
    cannot = page.locator(".item").first.get_by_label("I cannot judge this")
    cannot.check()
    expect(page.locator("[data-kind=worst]").first.locator("input").first).to_be_disabled()
    check_fields(stage, answer_by_best_and_worst(page))
    page.context.close()
