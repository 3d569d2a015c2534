"""A form and a body of the API that come from one dataclass take the same values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from django.http import QueryDict

from concord.bounds import (
    REQUIRED,
    Text,
    choice,
    choice_of,
    flag,
    items,
    number,
    text,
)
from core.pages.derived import DataclassForm
from core.rest.derived import serializer_of, value_of


@dataclass(frozen=True)
class Order:
    """Something that is ordered."""

    item: str = field(metadata=text(5, required="name the item", label="Item", help="Its name."))
    note: str = field(default="", metadata=text(20, multiline=True))
    code: str = field(default="", metadata=text(9, exact=True))
    address: str = field(default="", metadata=text(99, format="url"))
    pieces: int = field(default=1, metadata=number(1, 9))
    weight: float | None = field(default=None, metadata=number(0, 1))
    cents: int = field(default=100, metadata=number(0, 1000, unit="cents"))
    discount: float = field(default=0.25, metadata=number(0, 1, unit="share"))
    price: str = field(default="0", metadata=number(0, 200))
    colour: Literal["red", "blue"] = field(
        default="red", metadata=choice({"red": "R", "blue": "B"})
    )
    sizes: tuple[str, ...] = field(default=(), metadata=items(2, each=choice_of(("s", "m", "l"))))
    names: tuple[str, ...] = field(default=(), metadata=items(2, each=Text(4, REQUIRED)))
    counts: tuple[int, ...] = field(
        default=(), metadata=items(3, each=number(1, 9)["bound"], separator=",")
    )
    is_gift: bool = field(default=False, metadata=flag("It is a gift."))


class OrderForm(DataclassForm[Order]):
    optional = ("pieces", "colour", "cents", "discount", "price")
    help_texts = {"item": "What you want."}
    heights = {"note": 7}


class ItemForm(DataclassForm[Order]):
    only = ("item", "names", "pieces")
    chosen = ("item", "pieces")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.set_choices("item", [("tea", "Tea")])
        self.set_choices("pieces", [("2", "two")])


Body = serializer_of(Order)
FULL = Order(
    *("tea", "a\nb", " x ", "https://a.example/", 9, 0.5, 250, 0.07, "12.50", "blue"),
    *(("s", "l"), ("ann", "bea"), (1, 2), True),
)
SHOWN = {
    "item": " tea ",
    "note": "a\r\nb",
    "code": " x ",
    "address": "a.example/",
    "pieces": "9",
    "weight": "0.5",
    "cents": "2.50",
    "discount": "7",
    "price": "12.50",
    "colour": "blue",
    "sizes": ["s", "l"],
    "names": "ann\n\n bea ",
    "counts": "1, 2",
    "is_gift": "on",
}
SENT = {
    "item": " tea ",
    "note": "a\r\nb",
    "code": " x ",
    "address": "https://a.example/",
    "pieces": 9,
    "weight": 0.5,
    "cents": 250,
    "discount": 0.07,
    "price": "12.50",
    "colour": "blue",
    "sizes": ["s", "l"],
    "names": ["ann", "bea"],
    "counts": [1, 2],
    "is_gift": True,
}


def posted(values: dict[str, Any]) -> QueryDict:
    query = QueryDict(mutable=True)
    for name, value in values.items():
        query.setlist(name, value if isinstance(value, list) else [value])
    return query


def from_form(values: dict[str, Any]) -> Order:
    form = OrderForm(posted(values))
    assert form.is_valid(), form.errors
    return form.value()


def from_body(values: dict[str, Any]) -> Order:
    body = Body(data=values)
    body.is_valid(raise_exception=True)
    return value_of(Order, body.validated_data)


def test_a_form_and_a_body_make_the_same_object() -> None:
    made = from_body(SENT)
    assert from_form(SHOWN) == made
    assert {**vars(made), "note": "a\nb"} == vars(FULL)
    assert from_form({"item": "tea"}) == from_body({"item": "tea"}) == Order("tea")


@pytest.mark.parametrize(
    ("name", "shown", "sent"),
    [
        ("item", "", ""),
        ("item", "coffee", "coffee"),
        ("note", "n" * 21, "n" * 21),
        ("pieces", "10", 10),
        ("pieces", "1.5", 1.5),
        ("weight", "1.5", 1.5),
        ("cents", "10.01", 1001),
        ("discount", "101", 1.01),
        ("price", "200.01", "200.01"),
        ("price", "1.005", "1.005"),
        ("colour", "green", "green"),
        ("sizes", ["x"], ["x"]),
        ("names", "a\nb\nc", ["a", "b", "c"]),
        ("names", "anna-lena", ["anna-lena"]),
        ("counts", "0, 1", [0, 1]),
        ("counts", "one", ["one"]),
    ],
)
def test_a_form_and_a_body_refuse_the_same_values(name: str, shown: Any, sent: Any) -> None:
    form, body = OrderForm(posted(SHOWN | {name: shown})), Body(data=SENT | {name: sent})
    assert not form.is_valid()
    assert not body.is_valid()
    assert [*form.errors] == [*body.errors] == [name]


def test_pages_may_have_other_texts_and_names() -> None:
    item = OrderForm().fields["item"]
    assert (item.label, item.help_text) == ("Item", "What you want.")
    assert Body().fields["item"].help_text == "Its name."
    assert OrderForm({}).errors["item"] == ["Name the item."]
    assert 'rows="7"' in str(OrderForm()["note"])
    assert 'value="12.50"' not in str(OrderForm()) and "ann\nbea" in str(
        OrderForm(initial={"names": ["ann", "bea"]})["names"]
    )
    form = ItemForm(posted({"item": "tea", "names": "", "pieces": "2"}))
    assert form.is_valid()
    assert form.value(weight=1.0) == Order("tea", pieces=2, weight=1.0)
    assert not ItemForm(posted({"item": "milk", "pieces": "2"})).is_valid()


def test_a_query_has_no_null_and_a_body_has() -> None:
    assert Body(data={"item": "tea", "weight": None}).is_valid()
    query = serializer_of(Order, is_query=True)
    assert not query(data={"item": "tea", "weight": None}).is_valid()
    left_out = serializer_of(Order, optional=("pieces",))(data={"item": "tea"})
    assert left_out.is_valid()
    assert "pieces" not in left_out.validated_data
