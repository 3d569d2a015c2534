"""Points of a scale as requesters write them: a value, a colon and a label."""

import pytest

from annotation.setup.criteria_form import point_of
from concord.protocols import ScalePoint


@pytest.mark.parametrize("value", ["-2", "\N{MINUS SIGN}2", "\N{EN DASH}2", " -2 ", "-2.0"])
def test_a_point_below_zero_is_read_as_written(value: str) -> None:
    assert point_of(f"{value}: awful: worst") == ScalePoint(-2, "awful: worst")


@pytest.mark.parametrize("line", ["good", "1", "1.5: half", "1,000: many", "- 2: awful", ": bad"])
def test_another_line_is_no_point(line: str) -> None:
    assert point_of(line) is None
