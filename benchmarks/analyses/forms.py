"""Query parameters of the pages of analyses."""

from __future__ import annotations

from typing import Any

from django import forms

from benchmarks.analyses.kinds.agreement.computation import AgreementParameters
from benchmarks.analyses.kinds.agreement.rows import TESTS
from benchmarks.analyses.kinds.estimate import EstimateParameters
from benchmarks.analyses.kinds.judge.people import JudgeParameters
from benchmarks.analyses.kinds.judges.computation import JudgesParameters
from benchmarks.analyses.kinds.plan.computation import PlanParameters
from benchmarks.analyses.kinds.plane.computation import PlaneParameters
from benchmarks.analyses.kinds.replay import ReplayParameters
from benchmarks.analyses.parameters import CoefficientParameters
from benchmarks.analyses.queries import OMITTED, AnalysisQuery, query_of
from concord.meta.board import GROUPINGS
from core.pages.queries import choice, text

JudgesQuery = query_of(JudgesParameters)
ReplayQuery = query_of(ReplayParameters)
CoefficientQuery = query_of(CoefficientParameters)
EstimateQuery = query_of(EstimateParameters)
PlaneQuery = query_of(PlaneParameters)


class ComparisonQuery(AnalysisQuery):
    """The agreement with people, the part of the set and the test of pairs."""

    parameters = AgreementParameters
    test = choice(*TESTS, default="adjusted")
    part = text()
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


class JudgeQuery(AnalysisQuery):
    """The parameters of a judge; its run is in the address."""

    parameters = JudgeParameters
    omitted = (*OMITTED, "run")


class PlanQuery(AnalysisQuery):
    """The parameters of a plan; the ratings of an answer and their price, or the study itself."""

    parameters = PlanParameters
    study = text()
    ratings_each = forms.IntegerField(required=False, min_value=0, max_value=100, initial=0)
    cents = forms.IntegerField(required=False, min_value=0, max_value=1_000_000, initial=0)
