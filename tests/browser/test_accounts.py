"""Accounts in a real browser: inviting, accepting, publishing, accessibility."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils.timezone import now
from playwright.sync_api import Page, expect

from annotation.setup.services import publishing
from annotation.studies.services.members import members
from core.accounts import tokens
from core.accounts.roles import Role, SiteRole
from core.accounts.services import invitations
from tests.annotation.people import full_scene
from tests.benchmarks.scenes import Scene
from tests.browser.accessibility import PHONE, SERIOUS, Screen, faults, on_screens
from tests.browser.conftest import PASSWORD, sign_in

pytestmark = pytest.mark.browser


def furnish(scene: Scene) -> list[str]:
    """Somebody's account with everything in it; the pages to look at."""
    sam = User.objects.get(username="sam")
    study = full_scene(sam).study
    at = now()
    tokens.make(sam, "nightly", ["sets:read"], expires_at=at + timedelta(days=9), at=at)
    members(study).add(User.objects.create_user("vera"), Role.VIEWER, at=at)
    invitations.invite(sam, SiteRole.RESEARCHER, email="nina@example.org", at=at)
    to_study = {"kind": "study", "target": study.slug, "role": Role.EDITOR}
    made = invitations.invite(sam, SiteRole.SUBMITTER, **to_study, at=at)
    publishing.publish(study, at=at)
    link = f"/invitation/{invitations.signed(made)}/"
    return [
        "/account/",
        "/account/password/",
        "/account/invitations/",
        link,
        f"/studies/{study.slug}/members/",
        f"/studies/{study.slug}/publishing/",
        f"/studies/{study.slug}/public/",
        f"/studies/{study.slug}/",
        "/studies/",
        f"/sets/{scene.ref}/members/",
        f"/sets/{scene.ref}/publishing/",
    ]


@on_screens
def test_no_page_of_the_administration_has_a_violation(
    screens: list[Screen], scene: Scene, open_page: Callable[..., Page]
) -> None:
    User.objects.filter(username="sam").update(is_superuser=True)
    page = open_page("/sign-in/")
    sign_in(page)
    results = []
    for path in ("", "jobs/", "jobs/?show=failed"):
        page.goto(f"/administration/{path}")
        results += faults(page, screens, impacts=("minor", "moderate", *SERIOUS))
    assert results == []


VISITORS = ("/sign-in/", "/new-password/", "/new-password/sent/", "/new-password/done/")


@on_screens
def test_no_page_of_accounts_has_a_violation(
    screens: list[Screen], scene: Scene, open_page: Callable[..., Page]
) -> None:
    paths = furnish(scene)
    page = open_page("/sign-in/")
    results = []
    for path in (*VISITORS, "", *paths):
        if not path:
            page.goto("/sign-in/")
            sign_in(page)
            continue
        page.goto(path)
        results += faults(page, screens, impacts=("minor", "moderate", *SERIOUS))
    assert results == []


@pytest.mark.parametrize("width", [320, PHONE["width"]])
def test_the_administrators_navigation_fits_a_phone(
    width: int, scene: Scene, open_page: Callable[..., Page]
) -> None:
    User.objects.filter(username="sam").update(is_superuser=True)
    page = open_page("/sign-in/", viewport={"width": width, "height": 800})
    sign_in(page)
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("link", name="Administration").click()
    expect(page.get_by_role("link", name="Audit log")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_somebody_is_invited_makes_an_account_and_is_a_member(
    scene: Scene, open_page: Callable[..., Page]
) -> None:
    page = open_page("/sign-in/")
    sign_in(page)
    page.goto(f"/sets/{scene.ref}/members/")
    invite = page.locator("section", has=page.get_by_role("heading", name="Invite somebody"))
    invite.get_by_label("Role").select_option("editor")
    invite.get_by_role("button", name="Invite").click()
    link = invite.locator("code").inner_text()
    other = open_page(link.removeprefix(page.url.split("/sets/")[0]))
    expect(other.get_by_role("heading", name="You are invited")).to_be_visible()
    other.get_by_label("Name").fill("nina")
    other.get_by_label("Password", exact=True).fill(PASSWORD)
    other.get_by_label("Password confirmation").fill(PASSWORD)
    other.get_by_role("button", name="Create the account and accept").click()
    expect(other.get_by_text("nina")).to_be_visible()
    other.goto(f"/sets/{scene.ref}/runs/")
    expect(other.get_by_role("heading", name="Start metrics")).to_be_visible()
    page.goto(f"/sets/{scene.ref}/members/")
    expect(page.get_by_role("row", name="nina")).to_be_visible()


def test_a_set_is_unpublished_and_published_again(
    scene: Scene, open_page: Callable[..., Page]
) -> None:
    page, visitor = open_page("/sign-in/"), open_page("/")
    sign_in(page)
    expect(visitor.get_by_role("link", name="small")).to_be_visible()
    page.goto(f"/sets/{scene.ref}/publishing/")
    page.get_by_role("button", name="private again").click()
    expect(page.get_by_text("only its members can see it")).to_be_visible()
    visitor.reload()
    expect(visitor.get_by_role("link", name="small")).to_have_count(0)
    page.get_by_role("button", name=f"Publish {scene.ref}").click()
    visitor.reload()
    expect(visitor.get_by_role("link", name="small")).to_be_visible()


def test_a_token_is_shown_once(scene: Scene, open_page: Callable[..., Page]) -> None:
    page = open_page("/sign-in/")
    sign_in(page)
    page.goto("/account/")
    page.get_by_text("Create a token").click()
    form = page.locator("form", has=page.get_by_role("button", name="Create token"))
    form.get_by_label("Name").fill("nightly")
    form.get_by_label("sets:read").check()
    form.get_by_role("button", name="Create token").click()
    shown = page.locator("code.secret").inner_text()
    assert shown.startswith("concord_")
    page.goto("/account/")
    expect(page.get_by_text(shown)).to_have_count(0)
    expect(page.get_by_role("row", name="nightly")).to_be_visible()
