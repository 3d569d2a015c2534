"""The import page in a browser: a folder of Potato with a file for each rater."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import expect

from benchmarks.imports import services as imports
from benchmarks.imports.models import SetImport
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import storage
from tests.browser.accessibility import faults
from tests.browser.conftest import Opened, Scene, sign_in
from tests.concord.formats.format_examples import POTATO_TEXTS


def test_potatos_folder_is_imported_with_all_its_raters(
    scene: Scene, open_page: Opened, tmp_path: Path
):
    output = tmp_path / "annotation_output"
    for number, rater in enumerate(("ann", "bob", "cy"), start=1):
        label = [{"schema": "fluency", "name": str(number)}, str(number)]
        state = {"user_id": rater, "instance_id_to_label_to_value": {"a": [label]}}
        (output / rater).mkdir(parents=True)
        (output / rater / "user_state.json").write_text(json.dumps(state))
        (output / rater / "annotation_order.txt").write_text("a\n")
    page = open_page("/sign-in/")
    sign_in(page)
    page.goto("/imports/")
    page.get_by_label("Format").select_option("potato")
    page.get_by_label("Name").fill("potato")
    page.get_by_text("More options").click()
    page.get_by_label("Potato's folder of raters").set_input_files(output)
    page.get_by_label("Texts").set_input_files(POTATO_TEXTS)
    assert faults(page) == []
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("heading", name="Import of potato")).to_be_visible()
    imports.perform(SetImport.objects.get().pk)
    (candidate,) = storage.load_candidates(JudgmentSet.objects.named("potato"))
    ratings = {one.worker: one.value for one in candidate.criteria[0].ratings}
    assert ratings == {"ann": 1, "bob": 2, "cy": 3}
