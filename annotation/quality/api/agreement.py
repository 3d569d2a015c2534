"""API of agreement."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.quality.services import agreement_reports, choices, criteria, halo, ledgers
from annotation.quality.services.rating_data import collect_gold_ratings
from annotation.studies.api.access import viewed
from concord.documents.conversion import fill
from concord.documents.quality import (
    AgreementDocument,
    AgreementRowDocument,
    CriterionAgreementDocument,
    HaloDocument,
    MarksAgreementDocument,
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


def agreement_row_document(row: agreement_reports.AgreementFigures) -> AgreementRowDocument:
    return fill(
        AgreementRowDocument,
        row,
        units=row.alpha.units,
        ci=row.interval.ci,
        icc=row.icc and row.icc.single,
    )


def criterion_agreement_document(row: criteria.CriterionAgreement) -> CriterionAgreementDocument:
    return fill(
        CriterionAgreementDocument,
        row,
        ci=row.interval.ci,
        after_ledger=row.after,
        after_ledger_ci=row.after_interval.ci,
    )


def halo_document(row: halo.QuestionPair) -> HaloDocument:
    return fill(HaloDocument, row.halo, first=row.first, second=row.second)


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
                "halo": [halo_document(row) for row in halo.halo_between_criteria(study)],
                "ranking": None if ranking is None else choices.ranking_document(study, ranking),
                "marks": None if marks is None else fill(MarksAgreementDocument, marks),
                "after_ledger": report.after,
                "after_ledger_ci": report.after_interval.ci,
            }
        )
