"""Making a study: presets, faults beside their fields, versions, departures."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotation.setup.forms import NewStudyForm, ProtocolForm
from annotation.setup.protocol_values import initial_of
from annotation.studies.models import Study
from concord.protocols import PRESETS, preset
from tests.annotation.studies import people


def sent(name: str, **changes: Any) -> dict[str, Any]:
    """What a browser sends when the form is left as the preset has it."""
    given = {"slug": "mine", "title": "Mine", "preset": name} | initial_of(preset(name)) | changes
    # An unticked box and an empty field send nothing.
    return {key: value for key, value in given.items() if value is not None and value is not False}


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_goes_through_the_form_unchanged(name: str, rosa: User) -> None:
    form = NewStudyForm(sent(name))
    assert form.is_valid(), form.errors
    assert form.protocol == preset(name)


def test_a_study_made_from_a_preset_says_where_it_departs(owner: Client) -> None:
    answer = owner.post(reverse("study-new"), sent("mocha-2020", pay_dollars="0.55"), follow=True)
    assert "Next: upload its candidates" in answer.content.decode()
    study = Study.objects.get(slug="mine")
    assert [one.field for one in study.deviations()] == ["pay.cents_a_full_hit"]
    page = owner.get(study.get_absolute_url()).content.decode()
    assert "pay.cents_a_full_hit" in page and "MOCHA 2020" in page
    assert ">40<" in page and ">55<" in page
    assert [stage.kind for stage in study.stages.all()] == ["qualification", "trial", "full"]


@pytest.mark.parametrize(
    ("changes", "field", "sentence"),
    [
        ({"label_2": "x" * 90}, "label_2", "90 characters, more than 80"),
        ({"label_1": " "}, "label_1", "Needs a label"),
        ({f"label_{n}": "" for n in range(1, 11)}, "low", "1 points; it needs 2 to 11"),
        ({"question": ""}, "question", "Say what raters are to judge"),
        ({"rule_0_ratings": ""}, "rule_0_ratings", "how many ratings"),
        ({"share_0_split": "train", "share_0_percent": "50"}, "share_0_percent", "add up to 1"),
        ({"hit_most_candidates": "51"}, "hit_most_candidates", "less than or equal to 50"),
        ({"slug": "new"}, "slug", "is taken"),
        ({"slug": "No Name"}, "slug", "valid"),
        ({"title": ""}, "title", "required"),
        ({"consent": "y" * 20_001}, "consent", "20,001 characters, more than 20,000"),
    ],
)
def test_a_fault_stands_beside_its_field(
    changes: dict[str, Any], field: str, sentence: str, owner: Client
) -> None:
    answer = owner.post(reverse("study-new"), sent("blank", **changes))
    assert answer.status_code == 422
    assert sentence in " ".join(answer.context["form"].errors[field])
    assert f'id="id_{field}_error"' in answer.content.decode()
    assert not Study.objects.exists()


def test_eleven_points_from_zero_are_a_scale(rosa: User) -> None:
    labels = {f"label_{at}": f"point {at}" for at in range(11)}
    form = ProtocolForm(sent("blank", low=0, **labels))
    assert form.is_valid(), form.errors
    assert form.protocol is not None
    assert (form.protocol.low, form.protocol.high) == (0, 10)


def test_a_change_after_ratings_is_a_new_version(owner: Client, rosa: User) -> None:
    study = people.new_study(rosa, rows=people.candidates(1))
    url = reverse("study-protocol", args=[study.slug])
    given = sent("blank") | {k: v for k, v in initial_of(people.PROTOCOL).items() if v is not None}
    owner.post(url, given | {"question": "How right now?"})
    assert study.protocol_versions.count() == 1
    people.rate(people.open_stage(study), people.join(study, "w"))
    page = owner.post(url, given | {"question": "How wrong?"}, follow=True).content.decode()
    assert "Saved as version 2" in page
    assert [v.protocol.question for v in study.protocol_versions.all()] == [
        "How right now?",
        "How wrong?",
    ]
    shown = owner.get(reverse("study-protocol-version", args=[study.slug, 1])).content.decode()
    assert "How right now?" in shown and "<strong>Then</strong>" in shown


def test_script_in_the_instructions_is_shown_and_never_run(owner: Client, rosa: User) -> None:
    attack = "<script>alert(1)</script> [x](javascript:alert(2))"
    study = people.new_study(rosa, people.protocol(instructions=attack, question=attack))
    for name, more in (("study-protocol-version", [1]), ("study-protocol", []), ("study", [])):
        page = owner.get(reverse(name, args=[study.slug, *more])).content.decode()
        assert "<script>alert" not in page
        assert 'href="javascript:' not in page
