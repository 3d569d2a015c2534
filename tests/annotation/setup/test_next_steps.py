"""The progress of a study, and the next step that its pages name."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.setup.services import next_steps
from annotation.stages.models import StageSampling
from annotation.stages.services import opening
from annotation.studies.intake import Item
from annotation.studies.services.candidate_counts import count_candidates
from benchmarks.freezing import services as freezing
from concord.formats import InstanceRecord
from concord.protocols import HitRules, Qualification
from tests.annotation import people
from tests.annotation.people import Scene
from tests.html import readable


def next_page(study: object, page: str) -> str | None:
    step = next_steps.next_step(study, page)  # type: ignore[arg-type]
    return step and step.page


def test_before_any_upload_every_page_leads_to_the_candidates(rosa: User) -> None:
    tested = people.protocol(qualification=Qualification(candidates=4, tries=2))
    study = people.new_study(rosa, tested)
    for page in ("study-candidates", "study-protocol", "study-members"):
        assert next_page(study, page) == "study-candidates"


def test_no_page_leads_backwards(scene: Scene) -> None:
    assert next_page(scene.study, "study-candidates") == "study-stages"
    assert next_page(scene.study, "study-stages") == "study-stages"
    assert next_page(scene.study, "study-quality") is None, "the stage is still open"
    assert next_page(scene.study, "study-freeze") is None
    opening.close_stage(scene.stage, at=now())
    assert next_page(scene.study, "study-stages") == "study-quality"
    assert next_page(scene.study, "study-quality") == "study-freeze"
    assert next_page(scene.study, "study-freeze") == "study-freeze"


def test_after_freezing_the_overview_links_the_set(scene: Scene, owner: Client) -> None:
    opening.close_stage(scene.stage, at=now())
    freezing.freeze(scene.study, "mean", by=scene.study.owner, at=now())
    *done, scoring, pairs = next_steps.steps(scene.study)
    assert {step.state for step in done} == {"done"} and scoring.state == "now"
    assert (pairs.page, pairs.state) == ("study-pairs", "later")
    page = readable(owner.get(reverse("study", args=[scene.slug])))
    assert 'href="/sets/boats@1/"' in page and "Frozen as boats@1" in page
    for tab in ("study-freeze", "study-quality"):
        assert 'href="/sets/boats@1/"' in readable(owner.get(reverse(tab, args=[scene.slug])))


def test_small_hits_are_warned_of(rosa: User, owner: Client) -> None:
    study = people.new_study(rosa, rows=people.candidates(6, each=1))
    for page in ("study-cost", "study-stages"):
        text = readable(owner.get(reverse(page, args=[study.slug])))
        assert "The full stage has 6 HITs for 6 candidates" in text
        assert "6 of them have a single candidate" in text
        assert "allow several passages in a HIT" in text
    people.new_study(rosa, rows=people.candidates(3, each=4), slug="full")
    assert "single candidate" not in readable(owner.get(reverse("study-cost", args=["full"])))


def test_a_hit_of_one_candidate_is_written_in_the_singular(rosa: User, owner: Client) -> None:
    one = people.protocol(hit=HitRules(max_candidates=1))
    study = people.new_study(rosa, one, people.candidates(2))
    page = readable(owner.get(reverse("study-cost", args=[study.slug])))
    assert "HITs have up to 1 candidate." in page


def test_shares_of_splits_must_add_up_to_100_percent(rosa: User, owner: Client) -> None:
    study = people.new_study(rosa)
    url = reverse("study-protocol", args=[study.slug])
    fields = owner.get(url).context["form"]
    data = {name: fields[name].value() for name in fields.fields}
    data = {name: value for name, value in data.items() if value not in (None, False)}
    answer = owner.post(url, data | {"share_0_percent": "40"})
    text = readable(answer)
    assert answer.status_code == 422
    assert "The percentages must add up to 100." in text and "add up to 1." not in text


def test_ratings_per_candidate_count_every_rating(rosa: User, owner: Client) -> None:
    study = people.new_study(rosa, rows=people.candidates(2, each=2))
    stage = people.open_stage(study)
    people.rate(stage, people.join(study, "a"))
    second = people.join(study, "b")
    people.rate(stage, second, limit=1)
    text = readable(owner.get(reverse("study-quality", args=[study.slug])))
    assert "Ratings per candidate" in text
    assert re.search(r'<td class="num">\s*1\.5\s*</td>', text), "6 ratings of 4 candidates"


@pytest.mark.parametrize("simulated", [True, False])
def test_a_set_of_simulated_ratings_is_not_called_made_up(
    simulated: bool, rosa: User, owner: Client
) -> None:
    scene = people.full_scene(rosa, simulated=simulated)
    made = freezing.freeze(scene.study, "mean", by=rosa, at=now())
    text = readable(owner.get(made.get_absolute_url()))
    assert "show how Concord works" not in text
    assert ("simulated ratings: not the judgments of people" in text) is simulated


def test_a_stage_with_all_its_ratings_is_to_be_closed(rosa: User) -> None:
    stage = people.open_stage(people.new_study(rosa, rows=people.candidates(1)))

    def text() -> str:
        return next(one.text for one in next_steps.steps(stage.study) if one.state == "now")

    assert text() == "The full stage is open. Close it when it has enough ratings."
    for name in ("ann", "bob", "cy", "dan"):
        people.rate(stage, people.join(stage.study, name))
    assert text() == "The full stage has all its ratings. Close it."


def test_a_sampled_stage_waits_for_its_next_wave(rosa: User) -> None:
    stage = people.open_stage(people.new_study(rosa, rows=people.candidates(1)))
    StageSampling.objects.create(
        stage=stage,
        rule={},
        stopping={},
        wave_size=1,
        seed=1,
        metrics=[],
        made_by=rosa,
        created_at=now(),
    )
    for name in ("ann", "bob", "cy", "dan"):
        people.rate(stage, people.join(stage.study, name))
    step = next(one for one in next_steps.steps(stage.study) if one.state == "now")
    assert step.text == "The full stage is open. Close it when it has enough ratings."


def test_instances_without_a_passage_are_on_none(rosa: User) -> None:
    rows = [Item.single(f"c{at}", InstanceRecord(f"i{at}", ("a boat",)), "a ship") for at in (1, 2)]
    study = people.new_study(rosa, rows=[*rows, *people.candidates(1, each=1)])
    counts = count_candidates(study)
    assert (counts.instances, counts.passages) == (3, 1)
