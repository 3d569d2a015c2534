"""Flooding good answers (Soricut and Brill, Section 4.3)."""

import copy

import numpy as np
import pytest

from scorers import Item, Session
from scorers.aev.counts import item_counts
from scorers.aev.preparation import TextPreparation
from scorers.plane.flooding import FloodedSet, Flooding, flood, split_sentences
from scorers.plane.grid import compute_grid
from scorers.plane.statistics import PlaneError, PlaneSample
from tests.scorers.plane.plane_sets import MadeUp, made_up

SCALE = Flooding.on_scale(1, 5)


def flooded(answers: MadeUp, flooding: Flooding = SCALE, seed: int = 0) -> FloodedSet:
    return flood(
        answers.items,
        answers.gold,
        systems=answers.systems,
        clusters=answers.passages,
        flooding=flooding,
        rng=np.random.default_rng(seed),
    )


def test_the_scales_upper_third_is_good_and_falls_to_its_middle() -> None:
    assert (SCALE.good, SCALE.lowered) == (pytest.approx(5 - 4 / 3), 3.0)


def test_two_thirds_of_the_good_answers_of_four_systems_are_flooded(answers: MadeUp) -> None:
    before = copy.deepcopy(answers)
    result = flooded(answers)
    # Gold rises with the number: ranks 1, 2, 3 and 6 of seven.
    assert result.systems == ("system 6", "system 5", "system 4", "system 1")
    good = {
        name: sum(
            of == name and gold >= SCALE.good
            for of, gold in zip(answers.systems, answers.gold, strict=True)
        )
        for name in result.systems
    }
    assert result.good == sum(good.values())
    for name, count in good.items():
        assert sum(record.system == name for record in result.records) == round(count * 2 / 3)
    assert answers.items == before.items and answers.gold.tolist() == before.gold.tolist()


def test_flooded_answers_are_recorded(answers: MadeUp) -> None:
    result = flooded(answers)
    touched = {record.candidate: record for record in result.records}
    assert len(touched) == len(result.records) > 5
    for i, item in enumerate(result.items):
        if i not in touched:
            assert item == answers.items[i] and result.gold[i] == answers.gold[i]
            continue
        record = touched[i]
        assert item.candidate == " ".join([answers.items[i].candidate, *record.sentences])
        assert item.references == answers.items[i].references
        assert result.gold[i] == record.gold_after == 3.0
        assert record.gold_before == answers.gold[i] >= SCALE.good
        assert len(set(record.sentences)) == 2
        for sentence, source in zip(record.sentences, record.sources, strict=True):
            assert sentence in split_sentences(answers.items[source].candidate)
            assert answers.passages[source] != answers.passages[i]


def test_the_added_sentences_are_long(answers: MadeUp) -> None:
    every = {s for item in answers.items for s in split_sentences(item.candidate)}
    middle = np.median([len(sentence.split()) for sentence in every])
    for record in flooded(answers).records:
        assert all(len(sentence.split()) >= middle for sentence in record.sentences)


def test_the_result_depends_on_the_seed_only(answers: MadeUp) -> None:
    assert flooded(answers).records == flooded(answers).records
    assert flooded(answers).records != flooded(answers, seed=1).records


def test_flooding_asks_for_more_precision(session: Session) -> None:
    answers = made_up(systems=8, passages=30)
    result = flooded(answers)

    def best_alpha(items: list[Item], gold: np.ndarray) -> float:
        sample = PlaneSample.of(
            item_counts(items, TextPreparation(), session),
            gold,
            systems=answers.systems,
            clusters=answers.passages,
        )
        best = compute_grid(sample).best
        assert best is not None
        return best.alpha

    assert best_alpha(result.items, result.gold) > best_alpha(answers.items, answers.gold)


def test_unjudged_answers_provide_sentences_but_are_not_flooded() -> None:
    items = [Item("One two three four.", ("x",)), Item("Five six seven eight.", ("x",))]
    one = Flooding(good=3, lowered=2, share=1, sentences=1)
    result = flood(
        items,
        np.array([4.0, np.nan]),
        systems=["a", "b"],
        clusters=["p", "q"],
        flooding=one,
        rng=np.random.default_rng(0),
    )
    assert [item.candidate for item in result.items] == [
        "One two three four. Five six seven eight.",
        "Five six seven eight.",
    ]
    assert result.gold[0] == 2.0 and np.isnan(result.gold[1])


def test_a_sentence_of_the_same_passage_is_not_out_of_context() -> None:
    items = [Item("I do not know.", ("x",)), Item("I do not know.", ("x",))]
    with pytest.raises(PlaneError, match="needs 1 sentences from other passages, not 0"):
        flood(
            items,
            np.array([4.0, 1.0]),
            systems=["a", "b"],
            clusters=["p", "q"],
            flooding=Flooding(good=3, lowered=2, sentences=1),
            rng=np.random.default_rng(0),
        )


def test_ranks_without_a_system_are_skipped() -> None:
    answers = made_up(systems=2)
    assert flooded(answers).systems == ("system 1", "system 0")
    far = Flooding(good=3, lowered=2, ranks=(6,))
    with pytest.raises(PlaneError, match="no system has a rank of 6"):
        flooded(answers, far)


@pytest.mark.parametrize(
    "wrong",
    [
        {"share": 0.0},
        {"share": 1.5},
        {"sentences": 0},
        {"lowered": 4.0},
        {"ranks": ()},
        {"ranks": (0, 1)},
    ],
)
def test_invalid_options_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(PlaneError):
        Flooding(**{"good": 4.0, "lowered": 3.0, **wrong})
    with pytest.raises(PlaneError, match="the scale must end above its start"):
        Flooding.on_scale(1, 1)


def test_arrays_of_different_lengths_are_refused(answers: MadeUp) -> None:
    with pytest.raises(PlaneError, match="must match"):
        flood(
            answers.items,
            answers.gold[1:],
            systems=answers.systems,
            clusters=answers.passages,
            flooding=SCALE,
            rng=np.random.default_rng(0),
        )


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        ("no end", ["no end"]),
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("He paid 3.50 for it. Then he left.", ["He paid 3.50 for it.", "Then he left."]),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences
