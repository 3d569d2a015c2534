"""Template filters that format numbers and texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from concord import sentences
from concord.documents.conversion import to_json
from concord.formats import records
from concord.metrics.signature import model_variant
from concord.tables.html import html_table, paragraph
from concord.tables.result import Result

register = template.Library()

MISSING = "\N{EN DASH}"
LONG_WORDS = 90
LONG_CHARACTERS = 700


@register.filter
def decimals(value: float | str | None, places: int = 3) -> str:
    """A number with `places` decimals, thousands separators and a real minus sign."""
    if value is None or value == "":  # the value of a missing template variable
        return MISSING
    text = f"{value:,.{places}f}"
    if float(text.replace(",", "")) == 0:
        return text.lstrip("-")
    return text.replace("-", "\N{MINUS SIGN}")


@register.filter
def count(value: float | str | None) -> str:
    """An integer with thousands separators."""
    return MISSING if value is None or value == "" else f"{value:,.0f}"


@register.filter
def percent(value: float | None) -> str:
    """A share in [0, 1] as a whole percentage."""
    return MISSING if value is None else f"{100 * value:.0f}%"


@register.filter
def scale_text(scale: tuple[float, float]) -> str:
    """`1 to 5`, or the words of a scale."""
    return records.scale_text(scale)


@register.filter
def interval(ends: Sequence[float] | None, places: int = 2) -> str:
    """`0.41 to 0.58`; empty without ends."""
    return " to ".join(decimals(end, places) for end in ends or ())


@register.filter
def no_intervals(document: object) -> str:
    """The sentences that say why figures of a result have no interval; empty where all have.

    document: a result, or JSON, in which such a figure has the key "no_interval".
    """
    reasons = dict.fromkeys(_reasons(to_json(document)))
    return " ".join(f"No interval: {reason}." for reason in reasons)


@register.filter
def interval_note(figure: object) -> str:
    """What the interval of a figure, or of its JSON, is made of, and about which raters it is."""
    return " ".join(sentences.interval_notes(to_json(figure)))


def _reasons(document: object) -> Iterator[str]:
    if isinstance(document, dict):
        if document.get("no_interval"):
            yield document["no_interval"]
        for value in document.values():
            yield from _reasons(value)
    elif isinstance(document, list):
        for value in document:
            yield from _reasons(value)


@register.filter
def interval_percent(ends: Sequence[float] | None) -> str:
    """`41 to 58%`; empty without ends."""
    return " to ".join(f"{100 * end:.0f}" for end in ends) + "%" if ends else ""


@register.filter
def share_of(pixel: float, width: float) -> str:
    """A pixel as a percentage of the width, for plots that a stylesheet makes narrower."""
    return f"{100 * pixel / width:.2f}%"


@register.filter
def p_value(p: float | None) -> str:
    """`p < 0.001` or `p = 0.012`; empty without a p-value."""
    if p is None:
        return ""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


@register.filter
def is_long(text: str) -> bool:
    """Whether a text is long enough to be collapsed."""
    return len(text) > LONG_CHARACTERS or len(text.split(None, LONG_WORDS)) > LONG_WORDS


@register.filter
def beginning(text: str) -> str:
    """The first words of a long text."""
    return " ".join(text[:LONG_CHARACTERS].split()[: LONG_WORDS // 2]) + " \N{HORIZONTAL ELLIPSIS}"


@register.filter
def words(text: str) -> int:
    return len(text.split())


@register.filter
def item(mapping: Mapping[object, object], key: object) -> object:
    """The value of a key that is a template variable."""
    return mapping[key]


@register.simple_tag
def result_tables(result: Result) -> SafeString:
    """The tables and sentences of a result, as its command and `concord report` show them."""
    tables = map(html_table, result.tables())
    notes = (paragraph(line, "quiet prose") for line in result.sentences())
    return SafeString("".join([*tables, *notes]))


@register.simple_tag
def metric_marks(signature: str, multi_ref: str = "") -> str:
    """The marks after the name of a metric, each with a space before it: that its model is not the
    published one, and that it combines several references in its own way."""
    marks: list[tuple[str, str]] = []
    if variant := model_variant(signature):
        title = (
            "Not the published model: a combination of other metrics' scores. See its model card."
        )
        marks.append((format_html(' title="{}"', title), variant))
    if multi_ref == "joint":
        marks.append(("", "joint"))
    return format_html_join("", ' <span class="mark-word"{}>{}</span>', marks)
