"""A study that draws what people rate, in a real browser: rule, waves, stop, freeze, export."""

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
from annotation.stages.services import continuing
from concord.protocols import HitRules, QualityRules, RatingRule
from tests.annotation import people
from tests.browser.accessibility import faults
from tests.browser.conftest import PASSWORD, sign_in

pytestmark = pytest.mark.browser


def test_a_study_draws_until_its_target(
    transactional_db: None, open_page: Callable[..., Page], tmp_path: Path
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
    page.goto(reverse("study-sampling", args=[study.slug]))
    page.get_by_label("Scores of every candidate").set_input_files(scores)
    page.get_by_label("Instances a wave").fill("15")
    page.get_by_label("Stop when").select_option("ranking")
    page.get_by_label("Width or level").fill("0.05")
    page.get_by_label("Budget").fill("60")
    shoot(page, "form")
    assert faults(page) == []
    page.get_by_role("button", name="Draw in waves").click()
    expect(page.get_by_text("0 of 80")).to_be_visible()
    stage = people.open_stage(study)
    rater = people.join(study, "ann")
    while stage.status == "open":
        people.rate(stage, rater, worth)
        assert continuing.continue_sampling(stage, at=now())
        stage.refresh_from_db()
    page.reload()
    expect(page.get_by_text("The target is reached.")).to_be_visible()
    rated = HitCandidate.objects.filter(hit__stage=stage).count() // 2
    expect(page.get_by_text(f"{rated} of 80")).to_be_visible()
    expect(page.get_by_role("img", name="Width of the widest interval")).to_be_visible()
    shoot(page, "reached")
    assert faults(page) == []  # in light and dark, on a desktop and a phone


def shoot(page: Page, name: str) -> None:
    """A picture for people, where SCREENSHOTS names a folder."""
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"sampling-{name}.png", full_page=True)
