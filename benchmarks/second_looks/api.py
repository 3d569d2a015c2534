"""REST API of second looks at a judge's disagreements."""

from __future__ import annotations

from django.urls import reverse
from django.utils.timezone import now
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.runs.finding import find_complete_run
from benchmarks.second_looks import services
from benchmarks.second_looks.inputs import NewSecondLook
from benchmarks.second_looks.models import SecondLook
from benchmarks.second_looks.services import LookedAgain
from benchmarks.sets.services import access
from concord.documents.conversion import fill
from concord.documents.model_judges import (
    ComparisonDocument,
    LookedAgainDocument,
    SecondLookDocument,
)
from concord.judges import SecondLookFinding as Comparison
from core.accounts.roles import Role
from core.accounts.views.shared import person
from core.pages.errors import MissingError
from core.rest.operations import operation
from core.rest.views import ApiView


def looked_again_document(row: LookedAgain) -> LookedAgainDocument:
    return fill(
        LookedAgainDocument, row, row.item, candidate=row.item.candidate.key, first=row.item.gold
    )


def comparison_document(comparison: Comparison) -> ComparisonDocument:
    return fill(ComparisonDocument, comparison, share=dict(comparison.share.to_json()))


def second_look_document(look: SecondLook, request: Request) -> SecondLookDocument:
    findings = services.findings_for(look, request.user)
    return fill(
        SecondLookDocument,
        look,
        run=look.run_id,
        study=look.stage.study.slug,
        stage=look.stage.kind,
        status=look.stage.status,
        comparison=findings and comparison_document(findings.comparison),
        candidates=findings and [looked_again_document(one) for one in findings.rows],
    )


class RunSecondLook(ApiView):
    @operation(
        "Read a second look",
        scope="sets:read",
        answer=second_look_document,
        tag="second looks",
    )
    def get(self, request: Request, ref: str, run: int) -> Response:
        """For editors of the set who are members of the study."""
        judgment_set = access.set_for(request.user, ref, Role.EDITOR)
        metric_run = find_complete_run(judgment_set, run)
        look = SecondLook.objects.filter(run=metric_run).select_related("stage__study").first()
        if look is None:
            raise MissingError(f"{metric_run.metric} has no second look.")
        return self.answer(look)

    @operation(
        "Ask raters for a second look",
        scope="studies:write",
        body=NewSecondLook,
        answer=second_look_document,
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
        body = self.input(NewSecondLook)
        look = services.request(
            judgment_set,
            metric_run,
            body.candidates,
            body.ratings,
            by=person(request),
            at=now(),
        )
        location = reverse("api-second-look", args=[ref, run])
        return self.answer(look, location=location)
