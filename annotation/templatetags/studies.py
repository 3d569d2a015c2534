"""Template filters and tags of the pages of studies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.safestring import SafeString

from annotation.markdown import render
from annotation.quality.services.rating_data import Simulation
from annotation.quality.services.rating_data import simulation as simulation_of
from annotation.rating.views.task_display import duration
from annotation.setup import study_tabs
from annotation.setup.services import next_steps
from annotation.stages.services import set_up_costs
from annotation.studies.models import Study
from concord import findings
from core.pages.tabs import TabGroup

register = template.Library()

MINUS = "\N{MINUS SIGN}"
DASH = "\N{EN DASH}"


@register.filter
def alpha_meaning(row: Mapping[str, Any]) -> str:
    """What an alpha in JSON, which is not None, says of single ratings."""
    return findings.alpha_meaning(row["alpha"], row["ci"])


@register.filter
def dollars(cents: int | None) -> str:
    """Cents in dollars: `$1,234.50`."""
    return DASH if cents is None else f"${cents / 100:,.2f}"


@register.filter
def cents(value: int) -> str:
    """Cents as a form value in dollars: `1234.50`."""
    return f"{value // 100}.{value % 100:02d}"


@register.filter
def signed(value: float | None, places: int = 2) -> str:
    """A number with its sign and a true minus sign; zero has no sign."""
    if value is None:
        return DASH
    text = f"{value:+.{places}f}"
    return f"{0:.{places}f}" if float(text) == 0 else text.replace("-", MINUS)


@register.filter
def markdown(text: str) -> SafeString:
    """Markdown as sanitised HTML."""
    return render(text)


register.filter("duration", duration)


@register.filter
def written(value: object) -> str:
    """A protocol's value for people: yes and no, a dash for nothing, lists with commas."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value in (None, "", [], ()):
        return DASH
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, dict):
        parts = [f"{name} {written(one)}" for name, one in value.items() if one not in (None, "")]
        return ", ".join(parts)
    if isinstance(value, list | tuple):
        return "; ".join(written(one) for one in value)
    return str(value)


@register.filter
def get(mapping: Mapping[object, object] | None, key: object) -> object:
    """The value of a key that is known only at run time; None if it is missing."""
    return mapping.get(key) if mapping else None


@register.simple_tag
def simulation(study: Study) -> Simulation:
    """How many of the study's ratings are simulated."""
    return simulation_of(study)


@register.simple_tag
def tab_groups(study: Study, tab: str) -> list[TabGroup]:
    """The tabs of the study for someone on its page `tab`."""
    return study_tabs.tab_groups(study, tab)


@register.simple_tag
def set_up(study: Study, tab: str) -> next_steps.SetUp | None:
    """The step of the set-up on the study's page `tab`; None once a stage was opened."""
    return next_steps.set_up(study, f"study-{tab}")


@register.simple_tag
def set_up_cost(study: Study) -> set_up_costs.SetUpCost | None:
    """What the study costs while it is set up; None where it is not computed for a page."""
    return set_up_costs.set_up_cost(study)


@register.simple_tag
def next_step(study: Study, tab: str) -> next_steps.SetUpStep | None:
    """The next step for someone on the study's page `tab`."""
    return next_steps.next_step(study, f"study-{tab}")
