"""Template filters of the raters' pages."""

from __future__ import annotations

import typing
from collections.abc import Sequence

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from annotation.rating.services.rating_checks import explained_choices
from concord.protocols import Protocol

register = template.Library()

#: More choices, or longer labels, stand below one another on every screen.
MAX_ACROSS, MAX_LABEL = 7, 24


class Labelled(typing.Protocol):
    """A choice of a scale or a criterion."""

    @property
    def label(self) -> str: ...


@register.filter
def are_short(choices: Sequence[Labelled]) -> bool:
    """Whether the choices fit in one row of a wide screen."""
    return len(choices) <= MAX_ACROSS and all(len(one.label) <= MAX_LABEL for one in choices)


@register.filter
def explained(protocol: Protocol) -> list[str]:
    """The values of the main field that need a comment."""
    return explained_choices(protocol)


@register.filter
def exact_text(text: str) -> SafeString:
    """A text of which the page keeps every character, so that places in it can be counted.

    A browser reads a carriage return as a line feed unless it is written as a reference.
    """
    return mark_safe(escape(text).replace("\r", "&#13;"))
