"""The set-up in four steps: their order, the planned stages, the preview, the folded sections."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.setup.forms import NewStudyForm, RulesForm, TaskForm
from annotation.setup.services import next_steps
from annotation.setup.services.study_creation import change_protocol
from annotation.stages.services import opening
from annotation.studies.models import Study
from annotation.studies.services.candidates import add_items
from concord.protocols import Qualification, Trial, preset
from tests.annotation import people
from tests.annotation.setup.browser_forms import sent_by_browser
from tests.html import readable

PAGES = ("study-protocol", "study-candidates", "study-protocol-rules", "study-stages")


def test_the_steps_lead_from_the_question_to_an_open_stage(rosa: User, owner: Client) -> None:
    study = people.new_study(rosa)
    add_items(study, people.candidates(2))
    for number, page in enumerate(PAGES, start=1):
        text = readable(owner.get(reverse(page, args=[study.slug])))
        assert f"Step {number} of 4" in text
        place = next_steps.set_up(study, page)
        assert place and (place.previous is None) == (number == 1)
        assert (place.following and place.following.page) == (*PAGES, None)[number]
    assert next_steps.set_up(study, "study-cost") is None
    people.open_stage(study)
    assert "Step 4 of 4" not in readable(owner.get(reverse("study-stages", args=[study.slug])))


def test_next_on_the_overview_follows_the_same_order(rosa: User) -> None:
    study = people.new_study(rosa)
    assert [step.page for step in next_steps.steps(study)[:4]] == list(PAGES)
    add_items(study, people.candidates(2))
    following = next_steps.next_step(study, "study-candidates")
    assert following and following.page == "study-protocol-rules"


def kinds(study: Study) -> list[tuple[int, str]]:
    return [(stage.number, stage.kind) for stage in study.stages.order_by("number")]


def test_the_planned_stages_follow_the_protocol_until_one_is_opened(rosa: User) -> None:
    study = people.new_study(rosa, people.protocol(), people.candidates(2))
    assert kinds(study) == [(1, "full")]
    tested = people.protocol(qualification=Qualification(), trial=Trial(candidates=2))
    change_protocol(study, tested, at=now())
    assert kinds(study) == [(1, "qualification"), (2, "trial"), (3, "full")]
    change_protocol(study, people.protocol(trial=Trial(candidates=2)), at=now())
    assert kinds(study) == [(1, "trial"), (2, "full")]
    opening.open_stage(study.stages.get(kind="trial"), by=rosa, at=now())
    change_protocol(study, people.protocol(), at=now())
    assert kinds(study) == [(1, "trial"), (2, "full")]


def test_the_preview_shows_what_is_typed_and_saves_nothing(rosa: User, owner: Client) -> None:
    study = people.new_study(rosa, rows=people.candidates(1))
    before = study.current.protocol
    url = reverse("study-protocol", args=[study.slug])
    data = {"low": "1", "label_0": "cold <b>", "question": "Is it hot?", "preview": "yes"}
    fragment = owner.post(url, data, headers={"HX-Request": "true"}).content.decode()
    assert fragment.startswith("<div") and "Is it hot?" in fragment and "answer 0 of 0" in fragment
    assert "cold &amp;lt;b&amp;gt;" in fragment, "escaped in the document and in the attribute"
    page = owner.post(url, data)
    assert page.status_code == 200 and "Is it hot?" in page.content.decode()
    assert study.current.protocol == before


def test_another_preset_leaves_what_was_typed(owner: Client) -> None:
    shown = NewStudyForm(base=preset("mocha-2020"))
    typed = {name: shown[name].value() for name in shown.fields}
    typed = {name: value for name, value in typed.items() if value not in (None, False)}
    typed |= {"title": "Boats", "slug": "boats", "question": "Is it right?"}
    answer = owner.post(
        reverse("study-new"), {**typed, "preset": "mocha-2020", "other_preset": "kpqa-2021"}
    )
    assert answer.status_code == 200
    form = answer.context["form"]
    assert (form["title"].value(), form["slug"].value()) == ("Boats", "boats")
    assert form["question"].value() == "Is it right?"
    assert form["instructions"].value() == preset("kpqa-2021").instructions
    assert form["drop_question_when_equal"].value() is True
    assert answer.context["preset"] == "kpqa-2021" and not form.errors
    assert not Study.objects.filter(slug="boats").exists()
    assert owner.post(reverse("study-new"), {"other_preset": "nothing"}).status_code == 404


def test_a_new_study_has_a_preview_with_an_example(owner: Client) -> None:
    data = {"preset": "blank", "question": "Is it hot?", "preview": "yes"}
    fragment = owner.post(reverse("study-new"), data, headers={"HX-Request": "true"})
    assert "Is it hot?" in fragment.content.decode() and "ferry" in fragment.content.decode()
    assert not Study.objects.exists()


@pytest.mark.parametrize(
    ("data", "sections"),
    [
        ({}, set()),
        ({"requirements_locales": "US"}, {"requirements"}),
        ({"trial_candidates": "0"}, {"trial"}),
        ({"has_trial": "on", "quality_gold_share": "5"}, {"trial", "quality"}),
    ],
)
def test_a_section_is_open_if_it_differs_from_the_preset_or_has_an_error(
    data: dict[str, str], sections: set[str]
) -> None:
    blank = preset("blank")
    shown = RulesForm(base=blank, preset=blank)
    as_shown = {
        name: "on" if shown[name].value() is True else str(shown[name].value())
        for name in shown.fields
        if shown[name].value() is not None and shown[name].value() is not False
    }
    assert RulesForm(as_shown | data, base=blank, preset=blank).open_sections() == sections


def test_a_stored_change_from_the_preset_opens_its_section() -> None:
    blank = preset("blank")
    changed = people.protocol(examples="An example.")
    assert "texts" in TaskForm(base=changed, preset=blank).open_sections()
    assert TaskForm(base=changed, preset=changed).open_sections() == set()


def test_step_four_says_what_opening_costs_and_what_it_lacks(rosa: User, owner: Client) -> None:
    url = reverse("study-stages", args=["boats"])
    study = people.new_study(rosa, people.protocol(qualification=Qualification(candidates=4)))
    add_items(study, people.candidates(2))
    text = readable(owner.get(url))
    assert "The qualification stage cannot be opened yet." in text and "the study has 0" in text
    change_protocol(study, people.protocol(), at=now())
    text = readable(owner.get(url))
    assert "For the full stage, without the platform's fee." in text


def test_the_cost_follows_the_candidates_and_the_rules_and_saves_nothing(
    rosa: User, owner: Client
) -> None:
    study = people.new_study(rosa, people.protocol())
    url = reverse("study-protocol-rules", args=[study.slug])
    assert "of 100 answers: an example" in readable(owner.get(url))
    add_items(study, people.candidates(2, each=2))
    page = owner.get(url)
    ratings = study.current.protocol.rating_rules[0].ratings
    assert f"for {4 * ratings} ratings of 4 candidates" in readable(page)
    data = sent_by_browser(page.content.decode(), holding="pay_cents_per_full_hit")
    data |= {"rule_0_ratings": "7", "has_trial": "", "preview": "yes"}
    before = study.current.protocol
    line = readable(owner.post(url, data, headers={"HX-Request": "true"}))
    assert "for 28 ratings of 4 candidates" in line and "<h1>" not in line
    assert study.current.protocol == before
    data |= {"rule_0_ratings": "-7"}
    line = readable(owner.post(url, data, headers={"HX-Request": "true"}))
    assert "Correct the fields first." in line


def test_a_file_comes_with_a_new_study_or_no_study_is_made(rosa: User, owner: Client) -> None:
    shown = NewStudyForm(base=preset("blank"))
    typed = {name: shown[name].value() for name in shown.fields}
    typed = {name: value for name, value in typed.items() if value not in (None, False)}
    file = SimpleUploadedFile("empty.csv", b" ")
    answer = owner.post(reverse("study-new"), {**typed, "title": "Boats & Rivers", "file": file})
    assert answer.status_code == 422 and "The file is empty." in readable(answer)
    assert not Study.objects.exists()
    file = SimpleUploadedFile("a.csv", b"question,reference,candidate\nWho?,Mira,Tom\n")
    answer = owner.post(reverse("study-new"), {**typed, "title": "Boats & Rivers", "file": file})
    study = Study.objects.get()
    assert study.slug == "boats-rivers"
    assert answer["Location"] == reverse("study-upload", args=[study.slug, study.uploads.get().pk])
    assert study.uploads.get().columns["meanings"] == ["question", "reference", "candidate"]


def test_a_new_study_shows_the_points_that_are_needed_and_folds_the_others(owner: Client) -> None:
    url = reverse("study-new")

    def shown(data: dict[str, str] | None = None) -> tuple[list[str], list[str]]:
        answer = owner.get(url) if data is None else owner.post(url, data)
        form = answer.context["form"]
        fields = [form.points_in_use(), form.further_points()]
        return tuple([field.name for field in part] for part in fields)  # type: ignore[return-value]

    in_use, further = shown()
    assert in_use == [f"label_{at}" for at in range(5)]
    assert further == [f"label_{at}" for at in range(5, 11)]
    assert shown({"label_0": "bad"})[0] == ["label_0", "label_1"], "a scale needs two"
    assert len(shown({"label_7": "good"})[0]) == 8
    assert not shown({"label_10": "good"})[1]
