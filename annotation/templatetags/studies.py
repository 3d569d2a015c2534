"""What the pages of studies share: money, signed figures, Markdown, and the head of each page."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.safestring import SafeString

from annotation.markdown import render
from annotation.quality.services.collected import Simulation
from annotation.quality.services.collected import simulation as simulation_of
from annotation.rating.services import correspondence
from annotation.setup.services import next_steps
from annotation.studies.models import Study

register = template.Library()

MINUS = "\N{MINUS SIGN}"
NOTHING = "\N{EN DASH}"


@register.filter
def dollars(cents: int | None) -> str:
    """Cents as dollars: `$1,234.50`."""
    return NOTHING if cents is None else f"${cents / 100:,.2f}"


@register.filter
def cents(value: int) -> str:
    """Cents as a form takes dollars: `1234.50`."""
    return f"{value // 100}.{value % 100:02d}"


@register.filter
def signed(value: float | None, places: int = 2) -> str:
    """A number with its sign, a true minus; zero has none."""
    if value is None:
        return NOTHING
    text = f"{value:+.{places}f}"
    return f"{0:.{places}f}" if float(text) == 0 else text.replace("-", MINUS)


@register.filter
def markdown(text: str) -> SafeString:
    """Markdown as sanitised HTML."""
    return render(text)


@register.filter
def written(value: Any) -> str:
    """A protocol's value for people: yes and no, nothing as a dash, lists with commas."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value in (None, "", [], ()):
        return NOTHING
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, dict):
        parts = [f"{name} {written(one)}" for name, one in value.items() if one not in (None, "")]
        return ", ".join(parts)
    if isinstance(value, list | tuple):
        return "; ".join(written(one) for one in value)
    return str(value)


@register.filter
def get(mapping: Any, key: Any) -> Any:
    """What a mapping holds under a key known only at run time; None where nothing."""
    return mapping.get(key) if mapping else None


@register.simple_tag
def simulation(study: Study) -> Simulation:
    """How many of the study's ratings are simulated."""
    return simulation_of(study)


@register.simple_tag
def waiting_messages(study: Study) -> int:
    """How many messages of workers wait for an answer."""
    return correspondence.waiting_messages(study)


@register.simple_tag
def next_step(study: Study, tab: str) -> next_steps.SetUpStep:
    """What comes next for someone who is on the study's page `tab`."""
    return next_steps.next_step(study, f"study-{tab}")
