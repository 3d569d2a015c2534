"""The documentation's table of scores in other scripts is what the metrics give."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scorers import Item, Session, parse_metrics

TEXTS = {
    "English": (
        "the old kettle stood behind the stove",
        "the old kettle stood behind the door",
        "she sold tea at the market",
    ),
    "Chinese": ("旧水壶放在炉子后面", "旧水壶放在门后面", "她在市场上卖茶"),
    "Arabic": (
        "كان الإبريق القديم خلف الموقد",
        "كان الإبريق القديم خلف الباب",
        "باعت الشاي في السوق",
    ),
}
PAGE = Path("docs/reference/metrics/other-scripts.md").read_text()
ROWS = dict(re.findall(r"^\| `(.+?)` \| (.+) \|$", PAGE, re.MULTILINE))
# Those that need neither Java nor a model.
QUICK = ("exact-match", "token-f1", "google-rouge-1", "sacrebleu", "chrf", "chrf++", "ter", "aev")


@pytest.mark.parametrize("name", QUICK)
def test_the_documented_scores_are_computed(name: str) -> None:
    items = [
        Item(candidate=text, references=(texts[0],)) for texts in TEXTS.values() for text in texts
    ]
    [metric] = parse_metrics(name)
    with Session() as session:
        scores = session.score(metric, items)
    assert [f"{score:.2f}" for score in scores] == ROWS[name].split(" | ")
