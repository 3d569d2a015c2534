"""REST API of second looks at a judge's disagreements."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.stages.services.second_looks import RATINGS
from benchmarks.runs.finding import find_complete_run
from benchmarks.second_looks import services
from benchmarks.second_looks.models import SecondLook
from benchmarks.second_looks.services import MAX_CANDIDATES, LookedAgain
from benchmarks.sets.services import access
from concord.judges import SecondLook as Comparison
from core.accounts.roles import Role
from core.pages.errors import MissingError
from core.rest.operations import operation
from core.rest.serializers import Strict
from core.rest.views import ApiView


class LookedAgainDocument(serializers.Serializer[LookedAgain]):
    """A candidate of the second look; `again` is null before the stage is closed."""

    candidate = serializers.CharField(source="item.candidate.key")
    grade = serializers.FloatField(source="item.grade", help_text="The judge's.")
    first = serializers.FloatField(source="item.gold", help_text="People's score before.")
    again = serializers.FloatField(allow_null=True, help_text="The mean of the new ratings.")
    ratings = serializers.IntegerField(help_text="New ratings so far used.")


class ComparisonDocument(serializers.Serializer[Comparison]):
    """Who was nearer to the new ratings."""

    n = serializers.IntegerField()
    share = serializers.SerializerMethodField(
        help_text="The share of the distance from people's first scores to the judge's grades that "
        "the new ratings cover: 0, people were right; 1, the judge was."
    )
    judge = serializers.IntegerField(help_text="Candidates on which the judge was nearer.")
    people = serializers.IntegerField()
    ties = serializers.IntegerField()
    nearer = serializers.ChoiceField(("judge", "people", "neither"))

    def get_share(self, comparison: Comparison) -> dict[str, Any]:
        return dict(comparison.share.to_json())


class SecondLookDocument(serializers.Serializer[SecondLook]):
    """A second look; `comparison` and `candidates` are null until its stage is closed."""

    run = serializers.IntegerField(source="run_id")
    study = serializers.CharField(source="stage.study.slug")
    stage = serializers.CharField(source="stage.kind")
    status = serializers.CharField(source="stage.status")
    ratings = serializers.IntegerField()
    signature = serializers.CharField(help_text="The judge's, fixed before people looked.")
    created_at = serializers.DateTimeField()
    comparison = ComparisonDocument(allow_null=True)
    candidates = LookedAgainDocument(many=True, allow_null=True)


class NewSecondLook(Strict):
    candidates = serializers.ListField(
        child=serializers.CharField(max_length=1000, trim_whitespace=False),
        min_length=1,
        max_length=MAX_CANDIDATES,
        help_text="Keys of the candidates.",
    )
    ratings = serializers.IntegerField(
        min_value=int(RATINGS.minimum), max_value=int(RATINGS.maximum), default=3
    )


class RunSecondLook(ApiView):
    @operation(
        "Read a second look",
        scope="sets:read",
        answer=SecondLookDocument,
        tag="second looks",
    )
    def get(self, request: Request, ref: str, run: int) -> Response:
        """For editors of the set who are members of the study."""
        judgment_set = access.set_for(request.user, ref, Role.EDITOR)
        metric_run = find_complete_run(judgment_set, run)
        look = SecondLook.objects.filter(run=metric_run).select_related("stage__study").first()
        if look is None:
            raise MissingError(f"{metric_run.metric} has no second look.")
        return self.answer(_with_findings(look, request.user))

    @operation(
        "Ask raters for a second look",
        scope="studies:write",
        body=NewSecondLook,
        answer=SecondLookDocument,
        status=201,
        creates=True,
        tag="second looks",
        also={
            409: "The study is archived, or its second look was closed; see `detail`.",
            422: "The set is not of a study, or the judge has a second look; see `detail`.",
        },
        example={"candidates": ["c1", "c7"], "ratings": 3},
    )
    def post(self, request: Request, ref: str, run: int) -> Response:
        """A stage `second-look` of the set's study, which a person opens. Raters see neither the
        judge's grade nor the first ratings. For editors of the set and of the study."""
        judgment_set = access.set_for(request.user, ref, Role.EDITOR)
        metric_run = find_complete_run(judgment_set, run)
        body = self.body()
        look = services.request(
            judgment_set,
            metric_run,
            body["candidates"],
            body["ratings"],
            by=request.user,
            at=now(),
        )
        location = reverse("api-second-look", args=[ref, run])
        return self.answer(_with_findings(look, request.user), location=location)


def _with_findings(look: SecondLook, user: Any) -> dict[str, Any]:
    findings = services.findings_for(look, user)
    return {
        **{name: getattr(look, name) for name in ("run_id", "stage", "ratings", "signature")},
        "created_at": look.created_at,
        "comparison": None if findings is None else findings.comparison,
        "candidates": None if findings is None else findings.rows,
    }
