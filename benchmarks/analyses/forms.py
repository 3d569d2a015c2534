"""Query parameters of the pages of analyses."""

from __future__ import annotations

from typing import Any

from django import forms

from benchmarks.analyses.services import KINDS
from benchmarks.analyses.services.plan import MAX_UNITS
from concord.meta import inference as meta
from concord.meta.board import GROUPINGS
from core.pages.queries import QueryForm, choice, text

JUDGES, PLANE, REPLAY, PLAN = (KINDS[name] for name in ("judges", "plane", "replay", "plan"))
TESTS = ("adjusted", "perm-both", "paired-bootstrap", "williams")


class ComparisonQuery(QueryForm):
    """The agreement with people, the part of the set and the test of pairs."""

    coefficient = choice(*meta.COEFFICIENTS, default="pearson")
    average = choice(*meta.GROUPINGS, default="none")
    resample = choice(*meta.RESAMPLES, default="instances")
    unit = choice("candidate", "instance", "passage", default="candidate")
    test = choice(*TESTS, default="adjusted")
    part = text()
    by = choice("", *GROUPINGS, default="")
    group = text()
    criterion = text()

    def clean(self) -> dict[str, Any]:
        """Split `part`, such as "system:gpt2", into `by` and `group`: one select sends both."""
        values = super().clean() or {}
        by, colon, group = values.get("part", "").partition(":")
        if colon:
            if by not in GROUPINGS:
                raise forms.ValidationError(f"There is no grouping “{by}”.")
            values["by"], values["group"] = by, group
        return values

    @classmethod
    def parameters(cls, values: dict[str, str]) -> dict[str, str]:
        """The parameters of the analysis that the query names."""
        names = ("coefficient", "average", "resample", "unit", "by", "group")
        return {name: values[name] for name in names}


class JudgesQuery(QueryForm):
    """The raters whom a metric may replace, and what its lower cost is worth."""

    raters = text()
    epsilon = choice(*JUDGES.allowed["epsilon"], default="0.1")


class JudgeQuery(JudgesQuery):
    """The same of one metric; family: systems of its own family."""

    family = text()


class RunQuery(QueryForm):
    """The metric run that helps to estimate; 0 is the one that agrees best with people."""

    run = forms.IntegerField(required=False, min_value=0, max_value=2**63 - 1, initial=0)


class ReplayQuery(RunQuery):
    """The metric run, and samples of fixed sizes or a rule that collects until a target."""

    rule = choice(*REPLAY.allowed["rule"], default="samples")
    target = choice(*REPLAY.allowed["target"], default="ranking")


class PlanQuery(RunQuery):
    """The metric run and the target; the planned study's instances, ratings of an answer and price,
    or the study itself."""

    target = choice(*PLAN.allowed["target"], default=PLAN.defaults["target"])
    study = text()
    units = forms.IntegerField(
        label="Instances", required=False, min_value=0, max_value=MAX_UNITS, initial=0
    )
    ratings_each = forms.IntegerField(
        label="Ratings of an answer", required=False, min_value=0, max_value=100, initial=0
    )
    cents = forms.IntegerField(
        label="Cents a rating", required=False, min_value=0, max_value=1_000_000, initial=0
    )


class CoefficientQuery(QueryForm):
    """The coefficient of agreement with people."""

    coefficient = choice(*meta.COEFFICIENTS, default="pearson")


class EstimateQuery(RunQuery):
    """The metric run, and what is estimated: this set, or new passages of the same kind."""

    target = choice("set", "new", default="set")


class PlaneQuery(QueryForm):
    """How the evaluation plane's grid is computed, and the position that people choose."""

    stems = choice(*PLANE.allowed["stems"], default="porter")
    stops = choice(*PLANE.allowed["stops"], default="none")
    level = choice(*PLANE.allowed["level"], default="set")
    penalty = choice(*PLANE.allowed["penalty"], default="intended")
    wordiness = choice(*PLANE.allowed["wordiness"], default="2")
    guideline = choice(*PLANE.allowed["guideline"], default="")
    application = choice(*PLANE.allowed["application"], default="")
    flooded = choice(*PLANE.allowed["flooded"], default="no")
