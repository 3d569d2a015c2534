"""Choices of the forms of downloads."""

from __future__ import annotations

from django import template

from benchmarks.boards.services import report
from benchmarks.exports.services import preferences
from benchmarks.exports.services.dataset_card import LICENSES
from benchmarks.sets.models import JudgmentSet

register = template.Library()


@register.simple_tag
def dataset_licenses() -> list[tuple[str, str]]:
    """The licences that a dataset card can state: identifier and name."""
    return list(LICENSES.items())


@register.simple_tag
def preference_sources(judgment_set: JudgmentSet) -> list[tuple[str, str]]:
    """The sources of preference pairs that the set has: value and label."""
    return [(name, preferences.LABELS[name]) for name in preferences.available(judgment_set)]


@register.simple_tag
def report_refusal(judgment_set: JudgmentSet) -> str:
    """Why the set has no report for its viewer; "" where it has one."""
    return report.why_refused(judgment_set)
