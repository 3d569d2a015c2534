"""The scale's keys, the order of cards, and figures as people say them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotation.rating.views.task_display import choices, dollars, duration, sections
from annotation.studies.models import StudyCandidate, StudyInstance
from concord.protocols import ScalePoint, preset

PROTOCOL = preset("blank")


@pytest.mark.parametrize(
    ("values", "keys"),
    [
        (range(1, 6), "12345"),
        (range(1, 11), "1234567890"),
        (range(10), "0123456789"),
        (range(11), "1234567890-"),
        (range(-2, 3), "12345"),
        (range(1, 12), "1234567890-"),
        (range(0, 2), "01"),
    ],
)
def test_every_point_of_every_scale_has_a_key_of_its_own(values: range, keys: str) -> None:
    scale = tuple(ScalePoint(value, f"point {value}") for value in values)
    options = choices(replace(preset("blank"), scale=scale))
    assert "".join(choice.key for choice in options) == keys
    assert [choice.value for choice in options] == list(values)


def candidate(pk: int, passage: str) -> StudyCandidate:
    return StudyCandidate(
        pk=pk, text=f"answer {pk}", instance=StudyInstance(passage=passage, passage_key=passage)
    )


def test_cards_are_shuffled_by_the_seed_and_stay_with_their_passage() -> None:
    candidates = [candidate(pk, "ab"[pk % 2]) for pk in range(10)]
    orders = set()
    for seed in range(20):
        parts = sections(PROTOCOL, candidates, seed, {})
        assert [card.number for part in parts for card in part.cards] == list(range(1, 11))
        for part in parts:
            assert {card.instance.passage for card in part.cards} == {part.passage}
        orders.add(tuple(card.candidate.pk for part in parts for card in part.cards))
        assert sorted(next(iter(orders))) == list(range(10))
    assert len(orders) > 15
    again = [
        tuple(c.candidate.pk for p in sections(PROTOCOL, candidates, 3, {}) for c in p.cards)
    ] * 2
    assert again[0] == again[1]


def test_only_a_long_text_is_cut_and_says_so() -> None:
    short, long = candidate(1, "p"), candidate(2, "p")
    short.text, long.text = "x" * 1200, "y" * 1201
    cards = {c.candidate.pk: c for c in sections(PROTOCOL, [short, long], 0, {})[0].cards}
    assert cards[1].excerpt == "" and cards[2].excerpt == "y" * 700


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "less than a minute"),
        (59.9, "less than a minute"),
        (60, "1 min"),
        (3599, "59 min"),
        (3600, "1 h"),
        (4800, "1 h 20 min"),
        (90_000, "1 d 1 h"),
    ],
)
def test_durations_are_rounded_down(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_money_is_shown_in_dollars() -> None:
    assert [dollars(cents) for cents in (0, 3, 140, 123_456)] == [
        "$0.00",
        "$0.03",
        "$1.40",
        "$1,234.56",
    ]
