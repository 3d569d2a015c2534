"""Tags of the pages of a judgment set."""

from __future__ import annotations

from django import template

from benchmarks.sets import set_tabs
from core.pages.tabs import TabGroup

register = template.Library()

# What a set may have, and the variable of `set_page` that says whether it does.
CONTENTS = {
    set_tabs.CRITERIA: "criteria",
    set_tabs.CHOICES: "has_choices",
    set_tabs.SPANS: "has_spans",
}


@register.simple_tag(takes_context=True)
def tab_groups(context: template.Context) -> list[TabGroup]:
    """The tabs of the set, from the context of `set_page`."""
    return set_tabs.tab_groups(
        context["judgment_set"],
        context.get("tab") or "",
        criterion=context["criterion"],
        contents=[name for name, key in CONTENTS.items() if context[key]],
    )
