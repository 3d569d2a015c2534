"""The tag of the sections of a page."""

from __future__ import annotations

from django import template

from benchmarks.analyses.views import pages

register = template.Library()


@register.simple_tag(takes_context=True)
def sections_of(context: template.Context, host: str) -> str:
    """The analyses that the page with this name shows in sections."""
    return pages.sections(context["request"], context["judgment_set"], host)
