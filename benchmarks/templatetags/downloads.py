"""Choices of the forms of downloads."""

from __future__ import annotations

from django import template

from benchmarks.exports.services.dataset_card import LICENSES

register = template.Library()


@register.simple_tag
def dataset_licenses() -> list[tuple[str, str]]:
    """The licences that a dataset card can state: identifier and name."""
    return list(LICENSES.items())
