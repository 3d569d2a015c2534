"""Freezing a study to a judgment set, and two versions of a set beside each other."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.timezone import now
from django.views.decorators.http import require_http_methods, require_safe

from annotation.quality.services.collected import gold_stages
from annotation.quality.services.gold import DESCRIPTIONS
from annotation.studies.models import Study
from annotation.studies.views.access import person, study_page, study_view
from benchmarks.boards.services import standings
from benchmarks.freezing import services as freezing
from benchmarks.freezing.services import FreezeRefusedError, Frozen
from benchmarks.sets.models import NAME_PATTERN, JudgmentSet
from benchmarks.sets.services import access, hidden, reports, versions
from benchmarks.sets.views.access import find_set, set_page
from concord.plots import Panel, panels
from concord.protocols.protocol import AGGREGATIONS
from core.accounts.roles import Role
from core.column_bounds import max_length
from core.pages.errors import MissingError

CHANGES_SHOWN = 200


class FreezeForm(forms.Form):
    """How the gold is made, from which stages, and under what name."""

    aggregation = forms.ChoiceField(
        label="Gold score", choices=[(name, DESCRIPTIONS[name]) for name in AGGREGATIONS]
    )
    stages = forms.MultipleChoiceField(
        label="Ratings of", required=False, widget=forms.CheckboxSelectMultiple
    )
    name = forms.RegexField(
        NAME_PATTERN,
        label="Name of the set",
        max_length=max_length(JudgmentSet, "name"),
        required=False,
        help_text="Lower case, no spaces.",
    )

    def __init__(self, *args: Any, kinds: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["stages"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(kind, kind) for kind in kinds]


@require_http_methods(["GET", "HEAD", "POST"])
@study_view(Role.VIEWER, to_change=Role.EDITOR)
def freeze_study(request: HttpRequest, study: Study) -> HttpResponse:
    """GET previews the gold scores of the choices in the address; POST freezes."""
    kinds = list(
        study.stages.exclude(kind="qualification").order_by("number").values_list("kind", flat=True)
    )
    initial = {
        "aggregation": study.current.protocol.aggregation,
        "stages": gold_stages(study),
        "name": study.slug,
    }
    given = request.POST if request.method == "POST" else request.GET
    form = FreezeForm(given if "aggregation" in given else initial, kinds=kinds)
    status, problem, frozen = 200, "", None
    if form.is_valid():
        values = form.cleaned_data
        chosen = values["stages"] or gold_stages(study)
        try:
            if request.method == "POST":
                made = freezing.freeze(
                    study,
                    values["aggregation"],
                    name=values["name"],
                    stages=chosen,
                    by=person(request),
                    at=now(),
                )
                messages.success(request, f"{made} is frozen. Score metrics on it to see a board.")
                return redirect("judgment-set", str(made))
            frozen = freezing.prepare(study, values["aggregation"], chosen)
        except FreezeRefusedError as error:
            problem = str(error)
            status = 422 if request.method == "POST" else 200
    else:
        status = 422
    found = access.sets_for(request.user).filter(report__study__slug=study.slug)
    context = {
        "tab": "freeze",
        "form": form,
        "problem": problem,
        "frozen": frozen,
        "panels": _panels(study, frozen),
        "first": frozen.candidates[:12] if frozen else [],
        "versions": found.order_by("-created_at"),
        "in_progress": study.stages.filter(status="open").exists(),
    }
    return study_page(request, "benchmarks/freezing/freeze.html", study, context, status=status)


def _panels(study: Study, frozen: Frozen | None) -> list[Panel]:
    """Gold scores by the nearest point of the scale."""
    if frozen is None:
        return []
    protocol = study.current.protocol
    counts = [0] * (protocol.high - protocol.low + 1)
    for candidate in frozen.candidates:
        if candidate.score is not None:
            counts[min(len(counts) - 1, int(candidate.score - protocol.low + 0.5))] += 1
    points = [str(protocol.low + at) for at in range(len(counts))]
    return panels(points, {"Gold scores": counts})


@require_safe
def compare_versions(request: HttpRequest, ref: str) -> HttpResponse:
    """The set `ref` against the version named by ?with=, by default the one before it."""
    second = find_set(ref, request.user)
    every = versions.versions_of(second.name, second.viewer)
    others = [one for one in every if one.version != second.version]
    asked = request.GET.get("with", "")
    earlier = [one for one in others if one.version < second.version]
    first = next(iter(earlier or others), None)
    if asked:
        first = next((one for one in others if str(one.version) == asked), None)
        if first is None:
            raise MissingError(f"{second.name} has no other version “{asked[:20]}”.")
    context: dict[str, Any] = {"tab": "overview", "versions": others}
    if first is not None:
        found = versions.compare(first, second)
        context |= {
            "comparison": found,
            "changes": found.changes[:CHANGES_SHOWN],
            "ranking": standings.ranking_changes(first, second),
            "studies": [
                (one, reports.study_of(one), hidden.content_hash(one)) for one in (first, second)
            ],
        }
    return set_page(request, "benchmarks/freezing/compare_versions.html", second, context)
