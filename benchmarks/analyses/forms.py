"""What may be asked of comparisons and of the evaluation plane."""

from __future__ import annotations

from typing import Any

from django import forms

from benchmarks.analyses.services import KINDS
from concord.meta import inference as meta
from concord.meta.board import GROUPINGS
from core.pages.queries import QueryForm, choice, text

PLANE = KINDS["plane"]
TESTS = ("adjusted", "perm-both", "paired-bootstrap", "williams")


class ComparisonQuery(QueryForm):
    """Which agreement with people, on which part of the set, and by which test of pairs."""

    coefficient = choice(*meta.COEFFICIENTS, default="pearson")
    average = choice(*meta.GROUPINGS, default="none")
    resample = choice(*meta.RESAMPLES, default="instances")
    unit = choice("candidate", "instance", "passage", default="candidate")
    test = choice(*TESTS, default="adjusted")
    part = text()
    by = choice("", *GROUPINGS, default="")
    group = text()

    def clean(self) -> dict[str, Any]:
        """`part`, as in "system:gpt2", is how one select names a grouping and its group."""
        values = super().clean() or {}
        by, colon, group = values.get("part", "").partition(":")
        if colon:
            if by not in GROUPINGS:
                raise forms.ValidationError(f"there is no grouping “{by}”.")
            values["by"], values["group"] = by, group
        return values

    @classmethod
    def asked(cls, values: dict[str, str]) -> dict[str, str]:
        """What of the query an analysis is asked for with."""
        names = ("coefficient", "average", "resample", "unit", "by", "group")
        return {name: values[name] for name in names}


class PlaneQuery(QueryForm):
    """How the evaluation plane's grid is made, and where people say that it lies."""

    stems = choice(*PLANE.allowed["stems"], default="porter")
    stops = choice(*PLANE.allowed["stops"], default="none")
    level = choice(*PLANE.allowed["level"], default="set")
    penalty = choice(*PLANE.allowed["penalty"], default="intended")
    wordiness = choice(*PLANE.allowed["wordiness"], default="2")
    guideline = choice(*PLANE.allowed["guideline"], default="")
    application = choice(*PLANE.allowed["application"], default="")
    flooded = choice(*PLANE.allowed["flooded"], default="no")
