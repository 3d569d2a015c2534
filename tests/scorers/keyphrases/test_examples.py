"""Training examples from questions: sentences, labels, split and generated questions."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.datasets.questions import QuestionAnswer, read
from scorers.keyphrases.examples import (
    KeyphraseExample,
    build_examples,
    generate_questions,
    sentence_spans,
    split_by_group,
)

FILES = Path(__file__).parents[1] / "datasets" / "files"


def sentences(text: str) -> list[str]:
    return [text[a:b] for a, b in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Tor met J. Lind. He left.", ["Dr. Tor met J. Lind.", "He left."]),
        ("It costs 3.50 today. Fine.", ["It costs 3.50 today.", "Fine."]),
        ('"Stop!" he said. "Now."', ['"Stop!" he said.', '"Now."']),
        ("No end here", ["No end here"]),
        ("Heading\n\nText goes on.", ["Heading", "Text goes on."]),
        ("Wait... what? Yes.", ["Wait... what?", "Yes."]),
        ("", []),
    ],
)
def test_sentences_are_split_as_by_a_reader(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(alphabet="aB.!? \n\"'1", max_size=60))
def test_every_character_is_in_exactly_one_sentence(text: str) -> None:
    covered = [i for a, b in sentence_spans(text) for i in range(a, b)]
    assert len(covered) == len(set(covered))
    assert {i for i, c in enumerate(text) if not c.isspace()} <= set(covered)


def test_single_hop_takes_the_sentence_that_holds_the_span() -> None:
    questions, _ = read(FILES / "squad.json", "squad")
    first, second = build_examples(questions)
    assert first.text == "The old bridge was built in 1831."
    assert [(first.text[a:b], w) for a, b, w in first.weights] == [("in ", 0.5), ("1831", 1.0)]
    assert second.text == "Dr. Ilva Tor drew it."


def test_multi_hop_takes_all_supporting_sentences() -> None:
    questions, _ = read(FILES / "hotpotqa.json", "hotpotqa")
    (example,) = build_examples(questions)
    assert example.text == "Orra Feld painted the Grey Mill. It stands in Lonnet."
    assert [example.text[a:b] for a, b, _ in example.weights] == ["Lonnet"]


def test_a_span_across_a_sentences_end_takes_both() -> None:
    passage = "It was Tor. Lind came. More."
    (example,) = build_examples([QuestionAnswer("Who?", passage, (((7, 16),),), "g")])
    assert example.text == "It was Tor. Lind came."


def test_labels_by_all_by_most_or_by_the_first_annotator() -> None:
    answers = (((0, 3),), ((0, 3), (4, 7)), ((0, 3), (4, 7)))
    question = QuestionAnswer("Who?", "abc def ghi", answers, "g")
    by = {kind: build_examples([question], kind)[0].weights for kind in ("mean", "first")}
    assert by["mean"] == ((0, 3, 1.0), (4, 7, pytest.approx(2 / 3)))
    assert by["first"] == ((0, 3, 1.0),)
    assert build_examples([question], "majority")[0].weights == ((0, 3, 1.0), (4, 7, 1.0))


def test_exact_duplicates_are_one_example() -> None:
    question = QuestionAnswer("Who?", "Tor came.", (((0, 3),),), "g")
    assert len(build_examples([question, question])) == 1


@given(st.integers(0, 5), st.permutations(range(40)))
def test_the_split_goes_by_group_and_not_by_order(seed: int, order: list[int]) -> None:
    examples = [KeyphraseExample(str(i), "t", ((0, 1, 1.0),), str(i // 4)) for i in range(40)]
    train, dev = split_by_group([examples[i] for i in order], 0.3, seed)
    again = split_by_group(examples, 0.3, seed)
    assert set(train) == set(again[0])
    assert not {e.group for e in train} & {e.group for e in dev}
    assert len(train) + len(dev) == 40


def test_made_questions_ask_for_a_keyphrase_and_mark_yes_and_no() -> None:
    examples = [
        KeyphraseExample("Who came?", f"Tor{i} came.", ((0, 4, 1.0),), str(i)) for i in range(10)
    ]
    questions = generate_questions(examples * 10, 1.0, np.random.default_rng(0))
    assert len(questions) == 100
    words = {e.text[a:b] for e in questions for a, b, _ in e.weights}
    assert {"yes", "no"} <= words
    assert words - {"yes", "no"} == {f"Tor{i}" for i in range(10)}
    for example in questions:
        if " or " in example.question:
            assert example.text[:4] in example.question
        else:
            assert example.text.startswith(("yes", "no"))
            assert (example.text[-10:-6] in example.question) or example.text.startswith("no")
    assert questions == generate_questions(examples * 10, 1.0, np.random.default_rng(0))
    assert generate_questions(examples[:1], 1.0, np.random.default_rng(0)) == []
