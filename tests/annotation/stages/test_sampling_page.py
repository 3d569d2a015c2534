"""The page of a stage's sampling rule: setting it, what waves found, and access."""

from __future__ import annotations

import json
from importlib import import_module

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.stages import tasks
from annotation.stages.models import StageSampling
from annotation.stages.services import continuing
from annotation.studies.models import Study
from tests.annotation import people
from tests.annotation.stages.sampled import in_waves, rate_everything, sampled_study
from tests.html import readable

VALUES = {
    "rule": "stratified",
    "aim": "mean",
    "strata": "constituent",
    "uniform_share": "0.4",
    "wave_size": "12",
    "target": "width",
    "value": "0.8",
    "budget": "40",
}


@pytest.fixture
def study(rosa: User) -> Study:
    return people.new_study(rosa, people.protocol(), people.candidates(40, each=2))


def scores(study: Study, leave_out: int = 0) -> SimpleUploadedFile:
    keys = list(study.candidates.order_by("position").values_list("key", flat=True))
    lines = [json.dumps({"id": key, "scores": {"good": at % 7}}) for at, key in enumerate(keys)][
        leave_out:
    ]
    return SimpleUploadedFile("scores.jsonl", "\n".join(lines).encode())


def test_a_rule_is_set_and_removed(study: Study, owner: Client) -> None:
    url = reverse("study-sampling", args=[study.slug])
    assert "rates every candidate" in readable(owner.get(url))
    answer = owner.post(url, {**VALUES, "scores": scores(study)})
    assert answer.status_code == 302
    design = StageSampling.objects.get(stage__study=study)
    assert (design.sampling_rule.name, design.sampling_rule.by) == ("stratified", "constituent")
    assert (design.stopping_rule.kind, design.stopping_rule.value) == ("width", 0.8)
    page = readable(owner.get(url))
    assert "by strata, more where the metrics err more" in page and "0 of 40" in page
    others = [reverse(name, args=[study.slug]) for name in ("study-cost", "study-stages")]
    assert all("draws what people rate" in readable(owner.get(other)) for other in others)
    owner.post(reverse("study-remove-sampling", args=[study.slug]))
    assert not StageSampling.objects.exists()
    assert not any("draws what people rate" in readable(owner.get(other)) for other in others)


@pytest.mark.parametrize("has_ended", [False, True])
def test_a_sampling_by_the_removed_rule_is_shown_and_goes_on(
    rosa: User, owner: Client, has_ended: bool
) -> None:
    study, worth = sampled_study(rosa)
    people.open_stage(study)
    rate_everything(study, worth)
    continuing.continue_now(StageSampling.objects.get(), at=now())
    drawn = in_waves(study)
    design = StageSampling.objects.get()
    design.rule["name"], design.ended_at = "active", now() if has_ended else None
    design.save(update_fields=["rule", "ended_at"])
    import_module("annotation.migrations.0011_sampling_by_strata").draw_by_strata(apps, None)
    page = readable(owner.get(reverse("study-sampling", args=[study.slug])))
    assert ("were expected to err" if has_ended else "by strata") in page
    if not has_ended:
        rate_everything(study, worth, "bob")
        continuing.continue_now(StageSampling.objects.get(), at=now())
        assert in_waves(study) > drawn


def test_the_difference_of_two_systems_is_an_aim(study: Study, owner: Client) -> None:
    url = reverse("study-sampling", args=[study.slug])
    values = {**VALUES, "aim": "difference", "systems": "system 0\nsystem 1\n"}
    assert owner.post(url, {**values, "scores": scores(study)}).status_code == 302
    assert StageSampling.objects.get().sampling_rule.systems == ("system 0", "system 1")
    assert "the difference of two systems" in readable(owner.get(url))
    answer = owner.post(url, {**values, "systems": "system 0", "scores": scores(study)})
    assert answer.status_code == 422 and "needs two systems" in readable(answer)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": "0"}, "a width must be above 0"),
        ({"target": "ranking", "value": "0.9"}, "a level must be above 0 and below 0.5"),
        ({"wave_size": "3"}, "greater than or equal to 10"),
        ({"uniform_share": "0.1"}, "greater than or equal to 0.2"),
        ({"wave_size": str(2**31)}, "less than or equal to 2147483647"),
        ({"budget": "1" + 400 * "0"}, "less than or equal to 2147483647"),
        ({"rule": "random"}, "Select a valid choice"),
    ],
)
def test_faulty_rules_are_explained(
    study: Study, owner: Client, change: dict[str, str], message: str
) -> None:
    url = reverse("study-sampling", args=[study.slug])
    answer = owner.post(url, {**VALUES, **change, "scores": scores(study)})
    assert answer.status_code == 422
    assert message in readable(answer)
    assert not StageSampling.objects.exists()


def test_faulty_scores_are_explained(study: Study, owner: Client) -> None:
    url = reverse("study-sampling", args=[study.slug])
    answer = owner.post(url, {**VALUES, "scores": scores(study, leave_out=2)})
    assert answer.status_code == 422
    assert "2 of 80 candidates have no score" in readable(answer)
    broken = SimpleUploadedFile("scores.jsonl", b'{"id": "a"}')
    answer = owner.post(url, {**VALUES, "scores": broken})
    assert answer.status_code == 422 and "scores" in readable(answer)


def test_any_file_name_is_read(study: Study, owner: Client) -> None:
    url = reverse("study-sampling", args=[study.slug])
    file = scores(study)
    file.name = "scores." + 250 * "x"
    assert owner.post(url, {**VALUES, "scores": file}).status_code == 302


def test_the_page_follows_the_waves(rosa: User, owner: Client) -> None:
    study, worth = sampled_study(rosa, wave=30)
    url = reverse("study-sampling", args=[study.slug])
    stage = people.open_stage(study)
    assert "No wave is rated completely yet" in readable(owner.get(url))
    rate_everything(study, worth)
    continuing.continue_sampling(stage, at=now())
    design = StageSampling.objects.get(stage=stage)
    page = readable(owner.get(url))
    (look,) = design.looks
    for system, row in look["systems"].items():
        assert system in page and f"{row['mean']:.2f}" in page
    assert "<svg" in owner.get(url).content.decode()
    assert "Plain means of what was drawn would be biased" in page
    fragment = owner.get(url, headers={"HX-Request": "true"}).content.decode()
    assert "<h1" not in fragment
    assert owner.post(reverse("study-remove-sampling", args=[study.slug])).status_code == 302
    assert StageSampling.objects.exists(), "the first wave is drawn"


def test_the_next_wave_is_drawn_on_request(rosa: User, owner: Client) -> None:
    study, worth = sampled_study(rosa)
    url = reverse("study-continue-sampling", args=[study.slug])
    people.open_stage(study)
    assert "The last wave is not rated yet" in readable(owner.post(url, follow=True))
    rate_everything(study, worth)
    assert "The sampling went on" in readable(owner.post(url, follow=True))
    assert len(StageSampling.objects.get().looks) == 1


def test_a_stage_that_a_person_closed_is_not_collecting(rosa: User, owner: Client) -> None:
    study, _ = sampled_study(rosa)
    people.open_stage(study)
    owner.post(reverse("study-close-stage", args=[study.slug, "full"]))
    page = readable(owner.get(reverse("study-sampling", args=[study.slug])))
    assert "The stage was closed before the target" in page


def test_what_nobody_can_judge_is_shown_with_what_to_do(rosa: User, owner: Client) -> None:
    study, worth = sampled_study(rosa)
    url = reverse("study-sampling", args=[study.slug])
    people.open_stage(study)
    first = min(in_waves(study))
    rate_everything(study, {**worth, first: None})
    tasks.continue_sampling()
    assert "could not judge 1 of the drawn candidates" in readable(owner.get(url))
    for name in ("bob", "carl"):
        rate_everything(study, {**worth, first: None}, name)
        tasks.continue_sampling()
    page = readable(owner.get(url))
    assert "The sampling cannot go on" in page and "Set a value for each" in page
    assert first in page and "It is blank." in page
    settle = reverse("study-settle", args=[study.slug, study.candidates.get(key=first).pk])
    assert settle in owner.get(url).content.decode()
    owner.post(settle, {"value": "2"})
    tasks.continue_sampling()
    page = readable(owner.get(url))
    assert "cannot go on" not in page and "after 1 wave" in page


def test_a_value_can_be_set_as_soon_as_a_rater_could_not_judge(rosa: User, owner: Client) -> None:
    study, worth = sampled_study(rosa)
    url = reverse("study-sampling", args=[study.slug])
    people.open_stage(study)
    first = min(in_waves(study))
    people.join(study, "bob")
    rate_everything(study, {**worth, first: None})
    tasks.continue_sampling()
    settle = reverse("study-settle", args=[study.slug, study.candidates.get(key=first).pk])
    page = owner.get(url).content.decode()
    assert "cannot go on" not in page and settle in page
    rate_everything(study, {**worth, first: None}, "bob")
    tasks.continue_sampling()
    continue_now = reverse("study-continue-sampling", args=[study.slug])
    assert "No rater is left for 1" in readable(owner.post(continue_now, follow=True))
    owner.post(settle, {"value": "2"})
    assert "The sampling went on" in readable(owner.post(continue_now, follow=True))
    assert "after 1 wave" in readable(owner.get(url))
