"""The import page in a browser: a folder of Potato with a file for each rater."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import expect

from benchmarks.imports import services as imports
from benchmarks.imports.models import SetImport
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import storage
from concord.formats import read_judgments, read_recipe
from tests.browser.accessibility import faults
from tests.browser.conftest import Opened, Scene, sign_in
from tests.concord.formats.format_examples import POTATO_TEXTS
from tests.concord.formats.recipe_examples import QUALTRICS


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
    page.get_by_label("Name").fill("potato")
    page.get_by_text("More options").click()
    page.get_by_label("Format").select_option("potato")
    page.get_by_label("Potato's folder of raters").set_input_files(output)
    page.get_by_label("Texts").set_input_files(POTATO_TEXTS)
    assert faults(page) == []
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("heading", name="Import of potato")).to_be_visible()
    imports.SET_IMPORTS.perform(SetImport.objects.get().pk)
    (candidate,) = storage.load_candidates(JudgmentSet.objects.named("potato"))
    ratings = {one.worker: one.value for one in candidate.criteria[0].ratings}
    assert ratings == {"ann": 1, "bob": 2, "cy": 3}


def test_a_survey_becomes_a_set_in_three_clicks(scene: Scene, open_page: Opened, tmp_path: Path):
    path = tmp_path / "survey.csv"
    path.write_bytes(QUALTRICS.replace("Tea, warm", "Café, warm").encode("cp1252"))
    page = open_page("/sign-in/")
    sign_in(page)
    page.goto("/imports/")
    page.get_by_label("Files of judgments").set_input_files(path)
    page.get_by_label("Name").fill("survey")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("heading", name="What the file holds")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("qualtrics")
    assert faults(page) == []
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("heading", name="Import of survey")).to_be_visible()
    imports.SET_IMPORTS.perform(SetImport.objects.get().pk)
    page.get_by_role("link", name="Refresh").click()
    expect(page.get_by_role("heading", name="survey")).to_be_visible()
    candidates = list(storage.load_candidates(JudgmentSet.objects.named("survey")))
    assert [one.text for one in candidates] == ["Rate - Café, warm", "Rate - Milk", "Why?"]
    assert [one.score for one in candidates] == [4.5, 2.0, None]


def test_a_table_of_raters_and_one_of_votes_become_sets_in_two_clicks(
    scene: Scene, open_page: Opened, tmp_path: Path
):
    page = open_page("/sign-in/")
    sign_in(page)
    for name, content, chosen in [
        ("raters.csv", "question,answer,mia,tom\nWhy?,so,5,4\nWho?,Ada,1,2\n", ("mia", "rating")),
        ("votes.csv", "prompt,model a,model b,winner\nWhy?,x,y,a\n", ("winner", "choice")),
    ]:
        (tmp_path / name).write_text(content)
        page.goto("/imports/")
        page.get_by_label("Files of judgments").set_input_files(tmp_path / name)
        page.get_by_role("button", name="Import", exact=True).click()
        expect(page.get_by_label(chosen[0], exact=True)).to_have_value(chosen[1])
        assert faults(page) == []
        page.get_by_role("button", name="Import", exact=True).click()
        expect(page.get_by_role("heading", name="Import of")).to_be_visible()
        imports.SET_IMPORTS.perform(SetImport.objects.latest("pk").pk)
    assert JudgmentSet.objects.named("raters").candidates.count() == 2
    assert JudgmentSet.objects.named("votes").candidates.count() == 2


def test_assigned_columns_are_downloaded_as_a_recipe(
    scene: Scene, open_page: Opened, tmp_path: Path
):
    path = tmp_path / "table.csv"
    path.write_text("thing,said,right\n1,so it is,so\n")
    page = open_page("/sign-in/")
    sign_in(page)
    page.goto("/imports/")
    page.get_by_label("Files of judgments").set_input_files(path)
    page.get_by_label("Name").fill("table")
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_label("said").select_option("candidate")
    page.get_by_label("right").select_option("reference")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as recipe").click()
    recipe = read_recipe(download.value.path())
    (candidate,) = read_judgments([path], recipe).candidates
    assert (candidate.text, candidate.instance.references) == ("so it is", ("so",))


def test_a_rejected_file_is_shown_by_its_rows_on_every_screen(
    scene: Scene, open_page: Opened, tmp_path: Path
):
    path = tmp_path / "answers.csv"
    rows = [f"Who?,Mira,{'Tom ' * 60},good", "Who?,Mira,x,2"]
    path.write_text("\n".join(["question,reference,candidate,score", *rows]))
    page = open_page("/sign-in/", java_script_enabled=False)
    sign_in(page)
    page.goto("/imports/")
    page.get_by_label("Files of judgments").set_input_files(path)
    page.get_by_label("Name").fill("rejected")
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_role("button", name="Import", exact=True).click()
    imports.SET_IMPORTS.perform(SetImport.objects.get().pk)
    address = page.url
    page.reload()
    expect(page.get_by_role("heading", name="answers.csv, line 2")).to_be_visible()
    expect(page.locator(".faulty")).to_contain_text("a number is expected")
    other = open_page("/sign-in/")
    sign_in(other)
    other.goto(address)
    assert faults(other) == []
