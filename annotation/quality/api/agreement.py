"""API of agreement."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.quality.services import agreement_reports, choices, criteria, ledgers
from annotation.quality.services.agreement_reports import AgreementFigures, RatingsFigures
from annotation.quality.services.rating_data import collect_gold_ratings
from annotation.studies.api.access import viewed
from concord.documents.agreement import RatingsAlpha
from concord.documents.conversion import fill
from concord.documents.figures import FigureRow
from concord.documents.quality import (
    AgreementDocument,
    AgreementRowDocument,
    CriterionAgreementDocument,
)
from concord.reliability import LEVELS
from core.rest.operations import operation
from core.rest.serializers import Strict
from core.rest.views import ApiView


class LevelQuery(Strict):
    level = serializers.ChoiceField(
        LEVELS,
        required=False,
        help_text="Level of measurement; by default ordinal, of comparisons nominal.",
    )


def alpha_document(row: RatingsAlpha) -> FigureRow:
    """Alpha as the other figures are written."""
    if row["alpha"] is None:
        return {"value": None, "reason": row.get("reason", "")}
    return {"value": row["alpha"], "ci": row["ci"]}


def figures(row: RatingsFigures) -> dict[str, Any]:
    """What the documents of a row say of its ratings."""
    alpha = row.alpha
    return {
        "units": alpha["units"],
        "alpha": alpha_document(alpha),
        "ci": alpha["ci"],
        "interval": {
            "clusters": alpha.get("clusters", 0),
            "draws": alpha.get("draws", 0),
            "undefined": alpha.get("undefined", 0),
            "reason": alpha.get("reason", ""),
        },
        **row.beside.to_json(alpha["alpha"]),
    }


def agreement_row_document(row: AgreementFigures) -> AgreementRowDocument:
    return fill(AgreementRowDocument, row, **figures(row))


def criterion_agreement_document(row: criteria.CriterionAgreement) -> CriterionAgreementDocument:
    return fill(
        CriterionAgreementDocument,
        row,
        after_ledger=alpha_document(row.after),
        after_ledger_ci=row.after["ci"],
        **figures(row),
    )


class AgreementView(ApiView):
    @operation(
        "Read agreement",
        scope="studies:read",
        query=LevelQuery,
        answer=AgreementDocument,
        tag="quality",
    )
    def get(self, request: Request, slug: str) -> Response:
        """Intervals are computed by resampling passages with the study's seed."""
        study, chosen = viewed(request, slug), self.query().get("level")
        level = chosen or study.current.protocol.level
        ratings = collect_gold_ratings(study)
        report = ledgers.ledger_report(study, ratings, level)
        ranking = choices.ranking(study)
        marks = criteria.marks_agreement(study)
        return self.answer(
            {
                "level": level,
                "rows": [
                    agreement_row_document(row)
                    for row in agreement_reports.agreement_table(study, ratings, level)
                ],
                "criteria": [
                    criterion_agreement_document(row)
                    for row in criteria.criteria_agreement(study, chosen or "ordinal")
                ],
                "ranking": None if ranking is None else choices.ranking_document(study, ranking),
                "marks": None if marks is None else marks.to_json(),
                "after_ledger": alpha_document(report.after),
                "after_ledger_ci": report.after["ci"],
            }
        )
