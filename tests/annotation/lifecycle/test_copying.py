"""A copy has the protocol and the candidates, and nothing that raters made."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.lifecycle.services.copying import copy_study, free_slug
from annotation.rating.models import Assignment, Hit, Rating
from annotation.rating.services.languages import set_study_language
from annotation.studies.intake import Item
from annotation.studies.models import Study
from annotation.studies.services.candidates import add_items
from core.audit.models import AuditEvent
from core.refusals import RefusedError
from tests.annotation import people
from tests.annotation.people import Scene
from tests.html import readable

FIELDS = (
    *("key", "position", "text", "system", "use", "drop_reason", "expected", "pair"),
    *("pair_member", "phenomenon", "same_as__key", "instance__key", "instance__passage"),
    *("instance__references", "instance__split", "instance__constituent", "instance__passage_key"),
)


def contents(study: Study) -> list[tuple[object, ...]]:
    return list(study.candidates.order_by("position").values_list(*FIELDS))


def tasks(study: Study) -> list[list[str]]:
    hits = Hit.objects.filter(stage__study=study).order_by("index")
    return [
        list(hit.candidates.order_by("memberships__position").values_list("key", flat=True))
        for hit in hits
    ]


def test_a_copy_has_the_protocol_and_the_candidates_but_no_ratings(
    scene: Scene, rosa: User
) -> None:
    before = Rating.objects.count()
    set_study_language(scene.study, "de")
    scene.study.refresh_from_db()
    copy = copy_study(scene.study, "boats-2", "Boats again", owner=rosa, at=now())
    assert copy.rater_language == "de"
    assert contents(copy) == contents(scene.study)
    assert copy.current.protocol == scene.study.current.protocol
    assert not Assignment.objects.filter(hit__stage__study=copy).exists()
    assert copy.workers.count() == copy.ledger_steps.count() == 0
    assert Rating.objects.count() == before
    assert [member.user for member in copy.members.all()] == [rosa]
    people.open_stage(copy)
    assert tasks(copy) == tasks(scene.study), "the same seed packs the same HITs"
    assert AuditEvent.objects.of_study(copy).filter(action="study.created").exists()


def test_duplicates_of_a_copy_share_ratings_within_the_copy(rosa: User) -> None:
    rows = people.candidates(1)
    twin = Item.single("twin", rows[0].instance, rows[0].text, "another system")
    study = people.new_study(rosa, rows=[*rows, twin])
    copy = copy_study(study, "copy", "Copy", owner=rosa, at=now())
    assert contents(copy) == contents(study)
    duplicate = copy.candidates.get(key="twin")
    assert duplicate.same_as is not None and duplicate.same_as.study == copy
    add_items(copy, [Item.single("more", people.candidates(3)[-1].instance, "new")])


def test_a_copy_is_refused_for_a_used_name_and_for_who_may_not_create_studies(
    scene: Scene, rosa: User
) -> None:
    with pytest.raises(ValidationError, match="A study of this name exists"):
        copy_study(scene.study, "boats", "Boats", owner=rosa, at=now())
    vera = people.researcher("vera", staff=False)
    with pytest.raises(RefusedError, match="Only researchers"):
        copy_study(scene.study, "other", "Boats", owner=vera, at=now())
    assert Study.objects.count() == 1


def test_the_suggested_name_is_free(scene: Scene, rosa: User) -> None:
    for expected in ("boats-copy", "boats-copy-2", "boats-copy-3"):
        assert free_slug(scene.study, "copy") == expected
        copy_study(scene.study, expected, "Boats", owner=rosa, at=now())


def test_a_study_is_copied_on_its_settings_page(scene: Scene, owner: Client) -> None:
    page = readable(owner.get(reverse("study-settings", args=[scene.slug])))
    assert 'value="boats-copy"' in page
    url = reverse("study-copy", args=[scene.slug])
    refused = owner.post(url, {"title": "Boats", "slug": scene.slug})
    assert refused.status_code == 422 and "exists. Choose another name" in readable(refused)
    made = owner.post(url, {"title": "Boats", "slug": "boats-copy"}, follow=True)
    assert "a copy of boats" in readable(made)
