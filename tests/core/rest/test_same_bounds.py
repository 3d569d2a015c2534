"""Forms of pages and inputs of the API come from the same dataclasses."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from django import forms
from rest_framework import serializers

import annotation
import benchmarks
import core
from core.rest.serializers import Strict

APPS = (annotation, benchmarks, core)
FILES = (forms.FileField, serializers.FileField)
# Forms and inputs of the API that still declare the same fields, each on its own. Do not add to it.
APART: tuple[str, ...] = (
    "benchmarks.boards: AcrossQuery, BoardQuery",
    "benchmarks.boards: BoardQueryForm, BoardQuery",
)
# Forms and inputs with a field of the same name that means something else.
DIFFERENT = (
    # The budget of a publication, in cents, and that of a draft, in dollars.
    "annotation.crowds: CrowdBudgetForm, NewDraft",
    # The stage that a page shows, and a filter of a list.
    "annotation.stages: MonitorQuery, ListRatings",
    # The use of a file, and a filter of a list.
    "annotation.studies: UploadForm, ListStudyCandidates",
    # The order of words of a file that was looked at, and that of an import, which is optional.
    "benchmarks.imports: OrderForm, ImportSet",
)


def every_subclass(kind: type) -> Iterator[Any]:
    for one in kind.__subclasses__():
        yield one
        yield from every_subclass(one)


def feature_of(kind: type) -> str:
    """The app and the feature of a class, such as annotation.quality; core is one feature."""
    app, feature = kind.__module__.split(".")[:2]
    return app if app == "core" else f"{app}.{feature}"


def sources(kind: Any) -> dict[str, Any]:
    """The dataclass that each field of a form or an input comes from, or None; without files."""
    is_form = issubclass(kind, forms.BaseForm)
    fields = kind.base_fields if is_form else kind().fields
    origins = getattr(kind, "sources", {})
    return {
        name: origins.get(name) for name, field in fields.items() if not isinstance(field, FILES)
    }


def pairs() -> list[tuple[Any, Any, list[str]]]:
    """Each form and input of one feature with fields of the same names, and those names."""
    for app in APPS:
        for module in pkgutil.walk_packages(app.__path__, f"{app.__name__}."):
            if not {"migrations", "management"} & {*module.name.split(".")}:
                import_module(module.name)
    ours = tuple(f"{app.__name__}." for app in APPS)
    shown = [one for one in every_subclass(forms.BaseForm) if one.__module__.startswith(ours)]
    sent = [one for one in every_subclass(Strict) if hasattr(one(), "fields")]
    return [
        (form, body, names)
        for form in {*shown}
        for body in {*sent}
        if feature_of(form) == feature_of(body)
        if (names := sorted(sources(form).keys() & sources(body).keys()))
    ]


def written_apart() -> set[str]:
    return {
        f"{feature_of(form)}: {form.__name__}, {body.__name__}"
        for form, body, names in pairs()
        if any(None in (sources(form)[name], sources(body)[name]) for name in names)
    }


def test_no_more_forms_and_bodies_are_written_apart() -> None:
    assert written_apart() == {*APART, *DIFFERENT}
