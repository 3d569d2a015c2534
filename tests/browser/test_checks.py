"""Keys and adjudication in a real browser: what pages show, and accessibility."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils.timezone import now
from playwright.sync_api import Page, expect

from annotation.quality.models import Adjudication
from annotation.rating.services import participation
from annotation.rating.services.tokens import token_for
from annotation.studies.models import Study
from annotation.studies.services import uploads
from tests.annotation import factories
from tests.annotation.quality import test_adjudication as adjudicated
from tests.annotation.quality import test_keys as keys
from tests.browser.accessibility import DESKTOP, faults
from tests.browser.conftest import PASSWORD, Opened

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

criteria_study, pair_study = adjudicated.criteria_study, adjudicated.pair_study


def opened_by_owner(open_page: Opened, study: Study, name: str, *args: object) -> Page:
    """A page of the study, as its owner sees it."""
    study.owner.set_password(PASSWORD)
    study.owner.save()
    address = reverse(name, args=[study.slug, *args])
    page: Page = open_page(f"{reverse('sign-in')}?next={address}", viewport=DESKTOP)
    page.get_by_label("Name").fill(study.owner.username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"**{address}")
    return page


def test_a_criterion_is_adjudicated(criteria_study: Study, open_page: Opened) -> None:
    page = opened_by_owner(open_page, criteria_study, "study-adjudication")
    page.get_by_role("navigation", name="Question").get_by_role("link", name="clear").click()
    expect(page.get_by_text("33% differ from the most")).to_be_visible()
    assert faults(page) == []
    page.get_by_role("radio", name="0: no").check()
    page.get_by_role("button", name="Set value").click()
    expect(page.get_by_text("c0-0 now has the value 0.")).to_be_visible()
    row = Adjudication.objects.get()
    assert (row.criterion, row.value) == ("clear", 0)


def test_a_pair_is_adjudicated(pair_study: Study, open_page: Opened) -> None:
    page = opened_by_owner(open_page, pair_study, "study-adjudication")
    expect(page.get_by_text("50% differ from the most").first).to_be_visible()
    assert faults(page) == []
    page.get_by_role("radio", name="1: The first answer is better").first.check()
    page.get_by_role("button", name="Set value").first.click()
    assert Adjudication.objects.get().value == 1


def test_the_result_of_a_test_shows_each_keyed_answer(open_rater: Opened) -> None:
    study = keys.slider_study()
    factories.open_stage(study, "qualification")
    assignment = keys.take(study, "qualification")
    keys.rate(assignment, 46, {**keys.KEY, "share": 61, "tone": "warm"})
    participation.submit_test(assignment, at=now())
    token = token_for(factories.join(study, "ann"))
    page = open_rater(reverse("rating-test", args=[token]), viewport=DESKTOP)
    expect(page.get_by_text("You rated 3 of 6 correctly")).to_be_visible()
    assert faults(page) == []


def test_columns_are_keys(open_page: Opened) -> None:
    study = factories.make_study(keys.SLIDER)
    content = b"id,reference,candidate,score,tone\nt1,R,answer t1,40,dry\n"
    stored = uploads.store_upload(
        study, "keys.csv", content, "", "qualification", by=study.owner, at=now()
    )
    page = opened_by_owner(open_page, study, "study-upload", stored.pk)
    page.get_by_label("tone").select_option("key")
    assert faults(page) == []
    page.get_by_role("button", name="Show contents").click()
    expect(page.get_by_text("Correct answer: tone")).to_be_visible()
    assert faults(page) == []
