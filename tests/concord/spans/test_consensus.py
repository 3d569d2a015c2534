"""The characters that several raters marked."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.spans import RaterMarks, Span, consensus

RANGE = st.tuples(st.integers(0, 20), st.integers(1, 8)).map(lambda a: (a[0], a[0] + a[1]))


@given(st.lists(st.lists(RANGE, max_size=4), min_size=1, max_size=4), st.data())
def test_it_is_what_counting_each_character_gives(
    raters: list[list[tuple[int, int]]], data: st.DataObject
) -> None:
    marks = [
        RaterMarks(str(k), "a", "d", "1", tuple(Span(*one, "minor") for one in ranges))
        for k, ranges in enumerate(raters)
    ]
    at_least = data.draw(st.integers(1, len(raters)))
    expected = {
        position
        for position in range(40)
        if sum(any(a <= position < b for a, b in ranges) for ranges in raters) >= at_least
    }
    found = consensus(marks, at_least)
    assert {position for a, b in found for position in range(a, b)} == expected
    assert all(b < c for (_, b), (c, _) in pairwise(found))


def test_more_raters_than_there_are_is_refused() -> None:
    with pytest.raises(ValueError, match="there are 1 raters"):
        consensus([RaterMarks("r", "a", "d", "1", ())], 2)
