"""The planner page in a real browser: accessibility and layout."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.timezone import now
from playwright.sync_api import Page

from annotation.studies.services.members import members
from core.accounts.roles import Role
from tests.annotation import factories
from tests.browser.accessibility import faults
from tests.browser.conftest import PASSWORD, sign_in

pytestmark = pytest.mark.browser


def test_a_researcher_plans(transactional_db: None, open_page: Callable[..., Page]) -> None:
    sam = User.objects.create_user("sam", password=PASSWORD, is_staff=True)
    study = factories.open_study(passages=6).study
    members(study).add(sam, Role.VIEWER, at=now())
    page = open_page("/sign-in/")
    sign_in(page)
    page.goto(reverse("study-planner", args=["study"]))
    before = page.get_by_text("Cheapest:").inner_text()
    page.get_by_label("Target width").fill("0.05")
    page.get_by_role("button", name="Plan").click()
    assert page.get_by_text("Cheapest:").inner_text() != before
    assert page.get_by_role("img", name="Width of alpha's interval by items").is_visible()
    assert faults(page) == []
