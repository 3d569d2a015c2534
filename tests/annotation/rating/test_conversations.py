"""Conversations on raters' pages: turns as turns, and what is rated apart from them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.crowds.services.pages import plain_texts
from annotation.studies.models import StudyCandidate
from concord.documents.conversation import Judged
from tests.annotation.rating.scenes import (
    TURNS,
    Scene,
    candidates,
    conversation,
    make_study,
    qualify,
    take,
)

pytestmark = pytest.mark.django_db


def scene(judged: Judged = "reply") -> Scene:
    answers = ("In the harbour.", "At sea.") if judged == "reply" else (TURNS[2]["content"],)
    made = make_study(rated=candidates(conversation("m1", judged), answers), qualification=None)
    qualify(made)
    return made


def turns_of(page: str) -> list[list[str]]:
    """The turns of each list of turns on a page, as "speaker: text"."""
    lists = re.findall(r'<ol class="turns">(.*?)</ol>', page, re.S)
    turn = re.compile(r'class="speaker">\s*(.*?)\s*</p>.*?<span>(.*?)</span>', re.S)
    return [[": ".join(found) for found in turn.findall(one)] for one in lists]


SHOWN = [
    "Instruction to the assistant: You know the harbour. Answer in one sentence.",
    "User: When did the river freeze?",
    "Assistant: That winter, until March.",
    "User: And where were the boats?",
]


def rating_page(made: Scene, client: Client) -> str:
    """The page on which a HIT is rated."""
    assignment = take(client, made.token)
    own: Any = client.get(reverse("rating-assignment", args=[made.token, assignment.pk]))
    return str(own.content.decode())


def test_turns_are_shown_once_above_the_replies(client: Client) -> None:
    page = rating_page(scene(), client)
    assert turns_of(page) == [SHOWN]
    assert page.count("Reply to rate") == 2 and "Answer to rate" not in page
    assert page.index("And where were the boats?") < page.index("In the harbour.")
    for heading in ("Question", "Correct answer", "Passage"):
        assert not re.search(rf">\s*{heading}s?\s*<", page)


def test_a_conversation_that_is_rated_as_a_whole_is_what_a_card_shows(client: Client) -> None:
    page = rating_page(scene("conversation"), client)
    assert turns_of(page) == [SHOWN]
    assert "Conversation to rate" in page
    assert "Reply to rate" not in page
    assert page.count("That winter, until March.") == 1


def test_pages_without_structure_show_who_speaks() -> None:
    scene()
    candidate = StudyCandidate.objects.earliest("position")
    assert plain_texts(candidate) == (
        "System: You know the harbour. Answer in one sentence.\n\nUser: When did the river freeze?"
        "\n\nAssistant: That winter, until March.\n\nUser: And where were the boats?",
        "In the harbour.",
    )
