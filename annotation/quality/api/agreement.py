"""API of agreement."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.quality.services import agreement_reports, choices, criteria, halo, ledgers
from annotation.quality.services.rating_data import collect_gold_ratings
from annotation.studies.api.access import viewed
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


class ResamplesDocument(serializers.Serializer[Any]):
    """How an interval by resampling was made, or why there is none."""

    clusters = serializers.IntegerField(help_text="Passages that were resampled.")
    draws = serializers.IntegerField(help_text="Number of resamples.")
    undefined = serializers.IntegerField(help_text="Resamples without the figure, left out.")
    reason = serializers.CharField(
        allow_blank=True, help_text="Why there is no interval; empty if there is one."
    )


class AgreementFigureDocument(serializers.Serializer[Any]):
    """A number, or the reason why there is none."""

    value = serializers.FloatField(allow_null=True)
    reason = serializers.CharField(allow_null=True)


class AgreementRowDocument(serializers.Serializer[Any]):
    """The agreement figures of some ratings."""

    kind = serializers.CharField(help_text="all, stage or constituent.")
    name = serializers.CharField()
    ratings = serializers.IntegerField()
    raters = serializers.IntegerField()
    units = serializers.IntegerField(
        source="alpha.units", help_text="Candidates with two or more ratings."
    )
    alpha = AgreementFigureDocument(help_text="Krippendorff's alpha.")
    ci = serializers.ListField(
        child=serializers.FloatField(),
        source="interval.ends",
        allow_null=True,
        help_text="95% interval.",
    )
    interval = ResamplesDocument(help_text="What the interval is made of.")
    percent = AgreementFigureDocument()
    icc = AgreementFigureDocument(
        source="icc.single", allow_null=True, help_text="ICC(1); null at the nominal level."
    )
    kappa = AgreementFigureDocument(
        help_text="Mean over pairs of raters; quadratic weights, none at the nominal level."
    )
    ac2 = AgreementFigureDocument(
        allow_null=True,
        help_text="Gwet's AC2 with ordinal weights; null at the nominal level.",
    )


class CriterionAgreementDocument(serializers.Serializer[Any]):
    """The agreement on one criterion, before and after the ledger."""

    name = serializers.CharField()
    level = serializers.CharField(help_text="Level of measurement.")
    ratings = serializers.IntegerField()
    raters = serializers.IntegerField()
    alpha = AgreementFigureDocument(help_text="Krippendorff's alpha.")
    ci = serializers.ListField(
        child=serializers.FloatField(),
        source="interval.ends",
        allow_null=True,
        help_text="95% interval.",
    )
    interval = ResamplesDocument(help_text="What the interval is made of.")
    percent = AgreementFigureDocument()
    icc = AgreementFigureDocument(
        allow_null=True, help_text="ICC(1); null where the answers have no order."
    )
    kappa = AgreementFigureDocument(
        help_text="Mean over pairs of raters; quadratic weights, none where answers have no order."
    )
    ac2 = AgreementFigureDocument(
        allow_null=True, help_text="Null where the answers have no order."
    )
    after_ledger = AgreementFigureDocument(source="after")
    after_ledger_ci = serializers.ListField(
        child=serializers.FloatField(), source="after_interval.ends", allow_null=True
    )
    kept = serializers.IntegerField(help_text="Answers that the ledger keeps.")


class IntervalFigureDocument(AgreementFigureDocument):
    """A number with its 95% interval, or the reason why there is none."""

    ci = serializers.ListField(child=serializers.FloatField(), allow_null=True)


class HaloDocument(serializers.Serializer[Any]):
    """Two criteria: the correlation of their answers within raters and between raters; intervals
    resample passages."""

    first = serializers.CharField(help_text="Empty for the main question.")
    second = serializers.CharField()
    within = IntervalFigureDocument(source="halo.within")
    between = IntervalFigureDocument(source="halo.between")
    excess = IntervalFigureDocument(source="halo.excess", help_text="Within minus between.")
    ratings = serializers.IntegerField(source="halo.ratings")
    units = serializers.IntegerField(source="halo.units")


class MarksAgreementDocument(serializers.Serializer[Any]):
    """The agreement on marked parts, after the ledger; intervals leave out raters."""

    answers = serializers.IntegerField(help_text="Candidates that several raters marked.")
    raters = serializers.IntegerField()
    pairs = serializers.IntegerField(help_text="Pairs of raters of one candidate.")
    f1 = IntervalFigureDocument(help_text="Of marked characters.")
    severity_f1 = IntervalFigureDocument(help_text="Of characters with equal severity.")
    alpha = IntervalFigureDocument(help_text="Krippendorff's alpha for unitising.")


class AgreementDocument(serializers.Serializer[Any]):
    """Agreement before the ledger (overall, by stage, by constituent) and after it."""

    level = serializers.CharField()
    rows = AgreementRowDocument(many=True)
    criteria = CriterionAgreementDocument(
        many=True, help_text="By criterion of the protocol beside the main question."
    )
    halo = HaloDocument(
        many=True, help_text="Every two of the questions whose answers have an order."
    )
    marks = MarksAgreementDocument(
        allow_null=True, help_text="Null if the protocol asks for no marked parts."
    )
    ranking = serializers.DictField(
        allow_null=True,
        help_text="Systems by win probability, as `concord ranking`; null without comparisons. "
        "Where `is_adaptive`, the pairs were chosen by earlier choices: shares of wins are biased.",
    )
    after_ledger = AgreementFigureDocument()
    after_ledger_ci = serializers.ListField(child=serializers.FloatField(), allow_null=True)


class Agreement(ApiView):
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
        return self.answer(
            {
                "level": level,
                "rows": agreement_reports.agreement_table(study, ratings, level),
                "criteria": criteria.criteria_agreement(study, chosen or "ordinal"),
                "halo": halo.halo_between_criteria(study),
                "ranking": None if ranking is None else choices.ranking_document(study, ranking),
                "marks": criteria.marks_agreement(study),
                "after_ledger": report.after,
                "after_ledger_ci": report.after_interval.ends,
            }
        )
