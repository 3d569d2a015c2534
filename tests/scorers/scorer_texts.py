"""Texts for the tests of metrics, and Hypothesis strategies that generate more."""

import csv
from pathlib import Path

from hypothesis import strategies as st

from scorers import Item

ITEMS = [
    Item("The mill burned down in 1871.", ("In 1871 the mill burned down.", "A fire, in 1871.")),
    Item("She can't swim, so she stayed ashore.", ("She stayed ashore because she can't swim.",)),
    Item("He lives in the U.S.", ("He lives in the U.S.", "in America", "The United States.")),
    Item("about 1 1/2 cups of flour", ("1 1/2 cups", "a cup and a half of flour")),
    Item('"Yes," he said -- (quietly) ...', ("He quietly said yes.",)),
    Item("the the the the the the the", ("the cat is on the mat", "there is a cat on the mat")),
    Item("no", ("No.", "no way", "not at all, never")),
    Item("a very long walk along the river to the old stone bridge", ("a walk",)),
    Item("café naïve 日本 😀 שלום", ("cafe naive 日本 😀", "שלום")),
    Item("two  spaces and a\ttab\nand a line break", ("two spaces and a tab and a line break",)),
    Item("", ("something", "something else")),
    Item("something", ("",)),
    Item("", ("",)),
    Item("???", ("...", "!")),
    Item("a the an", ("the",)),
    Item("left ||| right", ("left ||| right", "left right")),
    Item("&amp; <b>bold</b> http://a.org/x?y=1 50% $3.99", ("& bold a.org 50 % $ 3.99",)),
    Item("Mr. O'Neill's dogs weren't fed at 5 p.m.", ("At 5 p.m. O'Neill fed no dogs.",)),
    Item("broken \ud83d surrogate", ("broken surrogate", "broken \ude00")),
    Item("nul \x00 byte", ("nul byte",)),
]

_WORDS = (
    "the a cat dog sat ran on mat in U.S. can't won't 3.5 1/2 e.g. Mr. don't - -- ... ; ' \" ( ) "
    "``q'' $5 50% http://a.org & < > @user #tag o'clock rock-n-roll I'm U.N. etc. p.m. 2 cups ? . !"
)
_words = st.sampled_from(_WORDS.split())
# Any code points, lone surrogates too.
_odd = st.text(st.characters(codec=None, exclude_characters="|"), max_size=12)
texts = st.one_of(
    st.lists(_words, max_size=12).map(" ".join),
    st.lists(st.one_of(_words, _odd), max_size=8).map(" ".join),
    _odd,
)
items = st.builds(Item, texts, st.lists(texts, min_size=1, max_size=4).map(tuple))
item_lists = st.lists(items, min_size=1, max_size=8)


def kpqa(folder: Path, name: str, references: int) -> tuple[list[Item], list[float]]:
    """The items of a KPQA file with its first references, and their human scores."""
    items, scores = [], []
    with (folder / "kpqa" / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            texts = tuple(row[f"reference{k}"] for k in range(1, references + 1))
            items.append(Item(row["answer"], texts, question=row["question"]))
            scores.append(float(row["scores"]))
    return items, scores
