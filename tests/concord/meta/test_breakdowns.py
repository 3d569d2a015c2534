"""Derived labels: stated rules, and what they say of plain cases."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.meta.breakdowns import (
    TYPES,
    answer_length,
    natural_key,
    question_type,
    reference_count,
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many boats are there?", "numeric"),
        ("What year did it open?", "numeric"),
        ("when was the bridge built", "numeric"),
        ("average cost of a garden shed", "numeric"),
        ("Who painted it?", "person"),
        ("Where does the river end?", "location"),
        ("in what county is the lake", "location"),
        ("Why is it red?", "description"),
        ("how do they cross?", "description"),
        ("what is a weir?", "description"),
        ("what colour is the house?", "entity"),
        ("Is it tall?", "yes/no"),
        ("isn't it tall?", "yes/no"),
        ("ok, so is it tall?", "yes/no"),
        ("is it a boat or a house?", "either/or"),
        ("anything else?", "other"),
        ("", ""),
        ("   ", ""),
    ],
)
def test_a_question_has_the_type_its_wording_says(question, expected):
    assert question_type(question) == expected


def test_a_category_that_names_a_type_decides():
    assert question_type("what is it?", "NUMERIC") == "numeric"
    assert question_type("what is it?", "sports") == "description"


@given(st.text())
def test_every_question_has_one_of_the_types(question):
    assert question_type(question) in (*TYPES, "")


def test_answers_fall_into_bins_that_sort_by_number():
    lengths = [answer_length("word " * count) for count in (0, 1, 2, 3, 4, 7, 8, 16, 63, 64, 500)]
    assert lengths[0] == "no words" and lengths[1] == "1 word"
    assert lengths[2] == lengths[3] == "2 to 3 words" and lengths[-1] == "64 words or more"
    distinct = list(dict.fromkeys(lengths))
    assert sorted(distinct, key=natural_key) == distinct
    assert sorted(["other", "10 references", "2 references"], key=natural_key)[0] == "2 references"
    assert [reference_count(n) for n in (1, 5)] == ["1 reference", "5 references"]
