"""Numbers with their nouns."""

from __future__ import annotations

import re
from pathlib import Path

from concord.sentences import counted, decimal, to_sentence

ROOT = Path(__file__).parents[2]
# A number of a template, and the plural noun that is written after it whatever the number is.
ALWAYS_PLURAL = re.compile(
    r"\{\{ [\w.]+(?:\|length)?\|(?:count|length) \}\}\s+(?:judged |minimal |good |reported )?"
    r"(?:candidates|passages|answers|pairs|ratings|raters|systems|questions|instances|choices)\b"
)


def test_a_number_has_the_right_noun() -> None:
    assert [counted(n, "passage") for n in (0, 1, 2, 1234)] == [
        "0 passages", "1 passage", "2 passages", "1,234 passages",
    ]  # fmt: skip
    assert counted(1, "item is", "items are") == "1 item is"
    assert counted(2, "item is", "items are") == "2 items are"
    assert to_sentence(counted(1, "try", "tries")) == "1 try."


def test_zero_has_no_minus() -> None:
    assert [decimal(x, 2) for x in (-0.001, -0.0, 0.0, -0.5)] == ["0.00", "0.00", "0.00", "-0.50"]
    assert [decimal(x, 2, "+") for x in (-0.001, 0.3, -0.5)] == ["+0.00", "+0.30", "-0.50"]


def test_no_page_writes_a_plural_after_any_number() -> None:
    faults = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in (ROOT / "templates").rglob("*.html")
        for match in ALWAYS_PLURAL.finditer(path.read_text())
    ]
    assert faults == []
