"""Making a study: presets, faults beside their fields, versions, departures."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotation.setup.forms import NewStudyForm, RulesForm, TaskForm
from annotation.setup.protocol_form import initial_of
from annotation.studies.models import Study
from concord.protocols import PRESETS, DropRules, RatingRule, preset
from tests.annotation import people
from tests.annotation.setup.browser_forms import sent_by_browser

PAY = "pay_cents_per_full_hit"


def sent(name: str, **changes: Any) -> dict[str, Any]:
    """What a browser sends when all forms are left as the preset has them."""
    form_data = (
        {"slug": "mine", "title": "Mine", "preset": name} | initial_of(preset(name)) | changes
    )
    # An unticked box and an empty field send nothing; an entry is on a line of its own.
    return {
        key: "\n".join(value) if isinstance(value, tuple) else value
        for key, value in form_data.items()
        if value is not None and value is not False
    }


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_goes_through_the_forms_unchanged(name: str, rosa: User) -> None:
    task = NewStudyForm(sent(name), base=preset("blank"))
    assert task.is_valid() and task.protocol, task.errors
    rules = RulesForm(sent(name), base=task.protocol)
    assert rules.is_valid(), rules.errors
    assert rules.protocol == preset(name)


def test_a_study_shows_its_changes_from_the_preset(owner: Client) -> None:
    answer = owner.post(reverse("study-new"), sent("mocha-2020"), follow=True)
    assert "Next: upload its candidates" in answer.content.decode()
    study = Study.objects.get(slug="mine")
    rules = reverse("study-protocol-rules", args=["mine"])
    owner.post(rules, sent("mocha-2020", pay_cents_per_full_hit="0.55"))
    assert [one.field for one in study.deviations()] == ["pay.cents_per_full_hit"]
    page = owner.get(study.get_absolute_url()).content.decode()
    assert "pay.cents_per_full_hit" in page and "MOCHA 2020" in page
    assert ">40<" in page and ">55<" in page
    assert [stage.kind for stage in study.stages.all()] == ["qualification", "trial", "full"]


@pytest.mark.parametrize(
    ("changes", "field", "sentence"),
    [
        ({"label_2": "x" * 90}, "label_2", "90 characters; at most 80"),
        ({"label_1": " "}, "label_1", "Needs a label"),
        ({f"label_{n}": "" for n in range(1, 11)}, "low", "1 points; must have 2 to 11"),
        ({"question": ""}, "question", "Say what raters are to judge"),
        ({"share_0_split": "train", "share_0_percent": "50"}, "share_0_percent", "add up to 1"),
        ({"slug": "new"}, "slug", "not “new”"),
        ({"slug": "No Name"}, "slug", "Small letters"),
        ({"title": ""}, "title", "required"),
        ({"share_2_split": "dev"}, "share_2_percent", "Enter the share of the split"),
        ({"share_1_percent": "100"}, "share_1_split", "Enter the name of the split"),
        ({"low": "998"}, "low", "from -1,000 to 1,000"),
        ({"question": "a\x00b"}, "question", "Null characters"),
        ({"consent": "y" * 20_001}, "consent", "20,001 characters; at most 20,000"),
    ],
)
def test_an_error_is_shown_beside_its_field(
    changes: dict[str, Any], field: str, sentence: str, owner: Client
) -> None:
    answer = owner.post(reverse("study-new"), sent("blank", **changes))
    shows_error(answer, field, sentence)
    assert not Study.objects.exists()


@pytest.mark.parametrize(
    ("changes", "field", "sentence"),
    [
        ({"rule_0_ratings": ""}, "rule_0_ratings", "number of ratings"),
        ({"hit_max_candidates": "51"}, "hit_max_candidates", "less than or equal to 50"),
        ({"rule_1_split": "dev"}, "rule_1_ratings", "the number of ratings"),
        ({"rule_0_ratings": "101"}, "rule_0_ratings", "less than or equal to 100"),
        (
            {"pay_cents_per_full_hit": "10000.01"},
            "pay_cents_per_full_hit",
            "less than or equal to 10000",
        ),
        ({"requirements_locales": "US " * 301}, "requirements_locales", "Has 301 codes"),
        ({"quality_max_removed": ""}, "quality_max_removed", "from 1 to 100"),
        ({"trial_ratings": "", "has_trial": "on"}, "trial_ratings", "from 1 to 100"),
    ],
)
def test_an_error_in_the_rules_is_shown_beside_its_field(
    changes: dict[str, Any], field: str, sentence: str, owner: Client, rosa: User
) -> None:
    study = people.new_study(rosa)
    before = study.current.protocol
    answer = owner.post(
        reverse("study-protocol-rules", args=[study.slug]), sent("blank", **changes)
    )
    shows_error(answer, field, sentence)
    assert study.current.protocol == before


def shows_error(answer: Any, field: str, sentence: str) -> None:
    assert answer.status_code == 422
    assert sentence in " ".join(answer.context["form"].errors[field])
    assert f'id="id_{field}_error"' in answer.content.decode()


def test_nine_rules_and_seven_shares_are_saved_unchanged(owner: Client, rosa: User) -> None:
    protocol = people.protocol(
        rating_rules=tuple(RatingRule(at + 1, f"split {at}") for at in range(9)),
        split_shares=(*((f"split {at}", 0.14) for at in range(6)), ("last", 0.16)),
        drop=DropRules(number_constituents=("one, with a comma", "two")),
        consent="First line\nsecond line\n",
    )
    study = people.new_study(rosa, protocol)
    for name, field in (
        ("study-protocol", "question"),
        ("study-protocol-rules", PAY),
    ):
        url = reverse(name, args=[study.slug])
        page = owner.get(url).content.decode()
        assert owner.post(url, sent_by_browser(page, field)).status_code == 302
    assert study.current.protocol == protocol
    assert study.protocol_versions.count() == 1


def test_a_page_has_empty_rows_after_the_rules_in_use() -> None:
    for rules, rows in ((1, 6), (9, 12), (98, 100), (100, 100)):
        protocol = people.protocol(rating_rules=(RatingRule(2),) * rules)
        assert len(RulesForm(base=protocol).rules()) == rows


def test_more_rules_than_a_protocol_holds_are_refused() -> None:
    data = sent("blank") | {f"rule_{at}_ratings": 1 for at in range(105)}
    form = RulesForm(data, base=preset("blank"))
    assert form.errors == {"rule_0_ratings": ["Has 101 rules; must have 1 to 100."]}


def test_a_stored_protocol_beyond_a_bound_is_shown_and_refused_when_saved(
    owner: Client, rosa: User
) -> None:
    study = people.new_study(rosa)
    version = study.current
    version.content["quality"]["max_removed"] = 0
    version.save()
    assert owner.get(study.get_absolute_url()).status_code == 200
    url = reverse("study-protocol-rules", args=[study.slug])
    page = owner.get(url)
    assert page.status_code == 200
    saved = owner.post(url, sent_by_browser(page.content.decode(), "pay_cents_per_full_hit"))
    assert saved.status_code == 422
    assert set(saved.context["form"].errors) == {"quality_max_removed"}
    other = owner.post(reverse("study-protocol", args=[study.slug]), sent("blank"))
    assert other.status_code == 422
    assert "quality.max_removed" in other.context["form"].non_field_errors()[0]


def test_a_field_that_is_not_sent_keeps_its_value_and_one_sent_empty_does_not() -> None:
    base = preset("mocha-2020")
    data = {"rule_0_ratings": "2", "has_qualification": "on", "quality_gold_share": ""}
    form = RulesForm(data | {"requirements_locales": "us GB,fr"}, base=base)
    assert form.is_valid() and form.protocol and form.protocol.qualification
    assert form.protocol.qualification.candidates == 10
    assert form.protocol.pay.cents_per_full_hit == 40
    assert form.protocol.trial is None and form.protocol.quality.gold_share == 0
    assert form.protocol.requirements.locales == ("US", "GB", "FR")
    assert form.protocol.drop == base.drop


def test_eleven_points_from_zero_are_a_scale(rosa: User) -> None:
    labels = {f"label_{at}": f"point {at}" for at in range(11)}
    form = TaskForm(sent("blank", low=0, **labels), base=preset("blank"))
    assert form.is_valid(), form.errors
    assert form.protocol is not None
    assert (form.protocol.low, form.protocol.high) == (0, 10)


def test_a_change_after_ratings_is_a_new_version(owner: Client, rosa: User) -> None:
    study = people.new_study(rosa, rows=people.candidates(1))
    url = reverse("study-protocol", args=[study.slug])
    form_data = sent("blank") | {
        k: v for k, v in initial_of(people.PROTOCOL).items() if v is not None
    }
    owner.post(url, form_data | {"question": "How right now?"})
    assert study.protocol_versions.count() == 1
    people.rate(people.open_stage(study), people.join(study, "w"))
    page = owner.post(url, form_data | {"question": "How wrong?"}, follow=True).content.decode()
    assert "Saved as version 2" in page
    assert [v.protocol.question for v in study.protocol_versions.all()] == [
        "How right now?",
        "How wrong?",
    ]
    shown = owner.get(reverse("study-protocol-version", args=[study.slug, 1])).content.decode()
    assert "How right now?" in shown and "<strong>Then</strong>" in shown


def test_a_version_shows_the_rules_of_its_protocol(owner: Client, rosa: User) -> None:
    study = people.new_study(rosa, preset("mocha-2020"))
    page = owner.get(reverse("study-protocol-version", args=[study.slug, 1])).content.decode()
    rows = dict(re.findall(r"<dt>(.+?)</dt>\s*<dd dir=\"auto\">(.+?)</dd>", page))
    assert rows["Percent correct to pass"] == "80" and rows["Tries"] == "2"
    assert rows["Pay per full HIT in dollars"] == "0.40"
    assert rows["Raters choose"] == "a point of the scale"
    assert rows["Skip candidates equal to a reference"] == "yes"
    assert rows["Constituents whose numbers are skipped"] == "drop"
    assert {"Countries", "Tolerance", "Sets of each answer"}.isdisjoint(rows), "off, or unused"


def test_script_in_the_instructions_is_shown_and_never_run(owner: Client, rosa: User) -> None:
    attack = "<script>alert(1)</script> [x](javascript:alert(2))"
    study = people.new_study(rosa, people.protocol(instructions=attack, question=attack))
    for name, more in (("study-protocol-version", [1]), ("study-protocol", []), ("study", [])):
        page = owner.get(reverse(name, args=[study.slug, *more])).content.decode()
        assert "<script>alert" not in page
        assert 'href="javascript:' not in page
