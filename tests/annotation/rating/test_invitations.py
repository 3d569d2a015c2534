"""Signed links, completion codes, and the last change to a rating."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation
from django.utils.timezone import now

from annotation.rating.models import Rating, RatingChange
from annotation.rating.services import invitations
from annotation.rating.services.handing_out import Answer, hand_out
from annotation.rating.services.invitations import (
    InvitedWorker,
    check_preview,
    read_invitation,
    signed_invitation,
    signed_preview,
)
from core.refusals import RefusedError
from tests.annotation import factories
from tests.annotation.rating.scenes import make_study, qualify

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "invitation", [InvitedWorker("panel", "é 9"), InvitedWorker("x", "y", True)]
)
def test_a_signed_invitation_can_be_read_back(invitation: InvitedWorker) -> None:
    study = make_study().study
    assert read_invitation(study, signed_invitation(study, invitation)) == invitation


def test_links_are_for_one_study_one_purpose_and_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    study, other = make_study().study, make_study("other").study
    invite, preview = signed_invitation(study, InvitedWorker("a", "b")), signed_preview(study)
    check_preview(study, preview)
    for signed in (invite + "x", preview, "", "nonsense"):
        with pytest.raises(RefusedError):
            read_invitation(study, signed)
    with pytest.raises(RefusedError, match="another study"):
        read_invitation(other, invite)
    with pytest.raises(RefusedError, match="another study"):
        check_preview(other, preview)
    with pytest.raises(RefusedError):
        check_preview(study, invite)
    monkeypatch.setattr(invitations, "VALID_SECONDS", -1)
    with pytest.raises(RefusedError, match="too old"):
        read_invitation(study, invite)


def test_a_wrong_preview_link_is_refused_in_the_language_of_the_page() -> None:
    study, other = make_study().study, make_study("other").study
    with translation.override("de"):
        with pytest.raises(RefusedError, match="andere Studie"):
            check_preview(other, signed_preview(study))
        page = Client(headers={"Accept-Language": "de"}).get(
            reverse("rating-preview", args=[study.slug])
        )
    assert page.status_code == 403 or page.status_code == 404
    assert "Vorschau" in page.content.decode()


def test_completion_codes_differ() -> None:
    scene = make_study()
    workers = [scene.worker, *(scene.another(f"worker {at}") for at in range(20))]
    codes = [worker.completion_code for worker in workers]
    assert len(set(codes)) == len(codes)
    assert all(len(code) == 10 and code.isalnum() for code in codes)


def test_the_later_of_two_changes_counts() -> None:
    scene = make_study()
    qualify(scene)
    start = now() - timedelta(minutes=10)
    assignment = hand_out(scene.worker.worker, scene.stage("full"), at=start)
    assert assignment is not None
    pk = assignment.hit.candidates.values_list("pk", flat=True)[0]
    for minutes, value in ((3, 4), (1, 2), (5, 5), (4, 1), (-20, 1)):
        made_at = start + timedelta(minutes=minutes)
        factories.save_change(assignment, pk, Answer(value), made_at=made_at, at=now())
    rating = Rating.objects.get()
    assert (rating.value, rating.updated_at) == (5, start + timedelta(minutes=5))
    assert [change.value for change in RatingChange.objects.all()] == [4]
