"""Tags of the pages of a judgment set."""

from __future__ import annotations

from collections.abc import Callable

from django import template

from benchmarks.sets import set_tabs
from core.pages.tabs import TabGroup

register = template.Library()

# What a set may have, from the context of `set_page`.
CONTENTS: dict[str, Callable[[template.Context], bool]] = {
    set_tabs.CRITERIA: lambda context: bool(context["criteria"]),
    set_tabs.PAIRS: lambda context: bool(context["judgment_set"].n_pairs or context["has_choices"]),
}


@register.simple_tag(takes_context=True)
def tab_groups(context: template.Context) -> list[TabGroup]:
    """The tabs of the set, from the context of `set_page`."""
    return set_tabs.tab_groups(
        context["judgment_set"],
        context.get("tab") or "",
        criterion=context["criterion"],
        contents=[name for name, has in CONTENTS.items() if has(context)],
    )
