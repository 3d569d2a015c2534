"""The raters' pages in other languages: which one is shown, and what it changes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from annotation.rating.models import Participation, Rating, Worker
from annotation.rating.services import participation
from annotation.rating.services.languages import set_study_language
from annotation.rating.views.task_display import dollars, duration
from core.audit.models import AuditEvent
from tests.annotation.rating.scenes import Scene, consent, form, take

GERMAN, FRENCH = {"HTTP_ACCEPT_LANGUAGE": "de-AT,de;q=0.9"}, {"HTTP_ACCEPT_LANGUAGE": "fr"}


def home(scene: Scene) -> str:
    return reverse("rating-home", args=[scene.token])


def language_of(client: Client, address: str, **headers: Any) -> str:
    response = client.get(address, **headers)
    page = " ".join(response.content.decode().split())
    language = response["Content-Language"]
    direction = "rtl" if language == "ar" else "ltr"
    assert f'<html lang="{language}" dir="{direction}"' in page
    return language


def test_the_browsers_language_is_shown_and_english_if_it_is_not_offered(
    scene: Scene, rater: Client
) -> None:
    assert language_of(rater, home(scene)) == "en"
    assert language_of(rater, home(scene), **GERMAN) == "de"
    assert language_of(rater, home(scene), HTTP_ACCEPT_LANGUAGE="zh-CN") == "zh-hans"
    assert language_of(rater, home(scene), HTTP_ACCEPT_LANGUAGE="pt,ru") == "en"
    assert translation.get_language() == "en", "other pages stay English"


def test_the_studys_language_counts_more_than_the_browsers(scene: Scene, rater: Client) -> None:
    set_study_language(scene.study, "ar")
    for address in (home(scene), reverse("rating-join", args=["kettle"])):
        assert language_of(rater, address, **GERMAN) == "ar"


def test_a_raters_choice_counts_most_and_is_stored_without_a_cookie(
    scene: Scene, rater: Client
) -> None:
    set_study_language(scene.study, "ar")
    answer = rater.post(home(scene), {"action": "language", "language": "fr"})
    assert (answer.status_code, answer["Location"]) == (303, home(scene))
    assert not answer.cookies
    assert language_of(rater, home(scene), **GERMAN) == "fr"
    scene.worker.refresh_from_db()
    assert scene.worker.consented_at is None, "the form agrees to nothing"
    rater.post(home(scene), {"action": "language", "language": "tlh"})
    assert language_of(rater, home(scene)) == "fr"


def test_choosing_a_language_on_a_task_saves_its_form(qualified: Scene, rater: Client) -> None:
    assignment = take(rater, qualified.token)
    address = reverse("rating-assignment", args=[qualified.token, assignment.pk])
    answer = rater.post(address, form(assignment, 3) | {"language": "de"})
    assert "Alle Antworten sind bewertet: Sie können absenden." in answer.content.decode()
    assert set(Rating.objects.values_list("value", flat=True)) == {3}


def test_a_language_chosen_before_joining_is_stored_by_joining(scene: Scene, rater: Client) -> None:
    address = reverse("rating-join", args=["kettle"]) + "?language=es"
    assert language_of(rater, address) == "es"
    answer = rater.post(address, {"worker": "paco"})
    assert language_of(rater, answer["Location"]) == "es"
    [worker] = Worker.objects.known_as("link", "paco")
    assert Participation.objects.get(worker=worker).language == "es"


def test_an_invitation_survives_the_choice_of_a_language(scene: Scene, rater: Client) -> None:
    page = rater.get(reverse("rating-join", args=["kettle"]) + "?from=flyer").content.decode()
    assert 'name="from"' in page and 'value="flyer"' in page


@pytest.mark.parametrize(
    ("address", "status", "text"),
    [
        ("/rate/nothing/", 403, "Dieser Link ist ungültig"),
        ("/rate/join/nowhere/", 404, "Studie nicht gefunden"),
        ("/rate/a/b/c/d/e/", 404, "Seite nicht gefunden"),
    ],
)
def test_errors_are_in_the_raters_language(
    db: None, rater: Client, address: str, status: int, text: str
) -> None:
    answer = rater.get(address, **GERMAN)
    assert answer.status_code == status and text in answer.content.decode()


def test_a_refused_request_is_explained_in_the_raters_language(
    scene: Scene, rater: Client, settings: Any
) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "rating": "1/h"}
    assert rater.post(home(scene), **GERMAN).status_code == 303
    answer = rater.post(home(scene), **GERMAN)
    assert answer.status_code == 429 and answer["Retry-After"]
    assert "Zu viele Anfragen" in answer.content.decode()


def test_texts_on_consent_and_pay_are_marked_until_a_person_has_read_them(
    scene: Scene, rater: Client, settings: Any
) -> None:
    consent(scene)
    mark, original = "Ungeprüfte Übersetzung", "What you submitted stays paid."
    page = rater.get(home(scene), **GERMAN).content.decode()
    assert mark in page and "Was Sie abgesendet haben, bleibt bezahlt." in page
    assert '<div lang="en" dir="ltr">' in page and original in page
    assert "A task of 3 answers pays\n" not in page and "A task of 3 answers pays $0.40." in page
    settings.REVIEWED_TRANSLATIONS = ["de"]
    page = rater.get(home(scene), **GERMAN).content.decode()
    assert mark not in page and original not in page
    assert "Traduction non relue" in rater.get(home(scene), **FRENCH).content.decode()
    assert "Unreviewed" not in rater.get(home(scene)).content.decode()


@pytest.mark.parametrize(
    ("language", "money", "time"),
    [
        ("en", "$1,234.50", "1 d 1 h 5 min"),
        ("de", "1.234,50 $", "1 T. 1 Std. 5 Min."),
        ("fr", "1\N{NO-BREAK SPACE}234,50 $US", "1 j 1 h 5 min"),
        ("zh-hans", "1234.50 美元", "1 天 1 小时 5 分钟"),
    ],
)
def test_money_and_durations_are_written_as_the_language_does(
    language: str, money: str, time: str
) -> None:
    with translation.override(language):
        assert dollars(123_450).replace("\N{NARROW NO-BREAK SPACE}", "\N{NO-BREAK SPACE}") == money
        assert duration(25 * 3600 + 5 * 60) == time


def test_dates_are_written_as_the_language_does(scene: Scene, rater: Client) -> None:
    participation.write(scene.worker, "Hello", at=datetime(2026, 3, 5, 9, 30, tzinfo=UTC))
    address = reverse("rating-message", args=[scene.token])
    assert "5 March 2026, 09:30" in rater.get(address).content.decode()
    assert "5. März 2026, 09:30" in rater.get(address, **GERMAN).content.decode()
    chinese = rater.get(address, HTTP_ACCEPT_LANGUAGE="zh-CN").content.decode()
    assert "2026年3月5日 09:30" in chinese


@pytest.mark.parametrize(
    ("count", "text"),
    [(1, "إجابة واحدة"), (2, "إجابتان"), (3, "3 إجابات"), (11, "11 إجابة"), (100, "100 إجابة")],
)
def test_arabic_has_its_plural_forms(count: int, text: str) -> None:
    with translation.override("ar"):
        one, many = "%(counter)s answer to rate", "%(counter)s answers to rate"
        shown = translation.ngettext(one, many, count) % {"counter": count}
    assert shown.startswith(text)


def test_the_owner_sets_the_language_and_it_is_recorded(
    scene: Scene, client: Client, rater: Client
) -> None:
    client.force_login(scene.owner)
    address = reverse("study-language", args=["kettle"])
    answer = client.post(address, {"language": "fr"})
    assert answer.status_code == 302
    assert language_of(rater, home(scene)) == "fr"
    assert AuditEvent.objects.filter(action="study.language changed").count() == 1
    refused = client.post(address, {"language": "tlh"})
    assert refused.status_code == 422 and "tlh" in refused.content.decode()
    assert language_of(rater, home(scene)) == "fr"
    client.post(address, {"language": ""})
    assert language_of(rater, home(scene)) == "en"
