"""Freezing a study to a judgment set, and two versions of a set beside each other."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.timezone import now
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from annotation.quality.services.gold import DESCRIPTIONS
from annotation.quality.services.rating_data import gold_stages
from annotation.studies.models import Study
from annotation.studies.views.access import person, study_page, study_view
from benchmarks.boards.services import boards
from benchmarks.freezing import services as freezing
from benchmarks.freezing import tasks
from benchmarks.freezing.models import Freezing
from benchmarks.freezing.services import FreezeRefusedError, Preview, set_made
from benchmarks.sets.models import NAME_PATTERN, JudgmentSet
from benchmarks.sets.services import access, hidden, reports, versions
from benchmarks.sets.views.access import find_set, set_page
from concord.plots import Panel, histogram_panels
from concord.protocols.protocol import AGGREGATIONS
from core.accounts.roles import Role
from core.column_bounds import max_length
from core.pages.errors import MissingError
from core.pages.polling import wants_fragment
from core.pages.sending import send

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
    """GET previews the gold scores of the choices in the address, of a small study; POST asks for
    the freezing, or with `preview` for the preview of a large one."""
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
    status, problem, preview = 200, "", None
    is_small = freezing.is_small(study)
    if form.is_valid():
        values = form.cleaned_data
        chosen = values["stages"] or gold_stages(study)
        try:
            if request.method == "POST":
                return _ask(request, study, values | {"stages": chosen})
            if is_small:
                preview = freezing.preview(study, values["aggregation"], chosen)
        except FreezeRefusedError as error:
            problem = str(error)
            status = 422 if request.method == "POST" else 200
    else:
        status = 422
    made = access.sets_for(request.user).filter(report__study__slug=study.slug)
    context = {
        "tab": "freeze",
        "form": form,
        "problem": problem,
        "preview": preview,
        "panels": _panels(preview),
        "is_large": form.is_valid() and not is_small and not problem,
        "active": study.freezings.filter(status__in=Freezing.ACTIVE),
        "versions": made.order_by("-created_at"),
        "in_progress": study.stages.filter(status="open").exists(),
    }
    return study_page(request, "benchmarks/freezing/freeze.html", study, context, status=status)


@require_safe
@study_view(Role.VIEWER)
def study_freezing(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """How far a freezing is; a page that followed it goes on to the set once there is one."""
    found = get_object_or_404(study.freezings, pk=pk)
    made = set_made(found, request.user)
    if made and wants_fragment(request):
        messages.success(request, f"{made} is frozen. Score metrics on it to see a board.")
        return HttpResponseClientRedirect(made.get_absolute_url())
    preview = Preview(**found.preview) if found.preview else None
    context = {
        "tab": "freeze",
        "freezing": found,
        "gold_score": DESCRIPTIONS[found.aggregation],
        "made": made,
        "preview": preview,
        "panels": _panels(preview),
    }
    return study_page(
        request,
        "benchmarks/freezing/freezing.html",
        study,
        context,
        fragment="benchmarks/freezing/_freezing.html",
    )


@require_POST
@study_view(Role.EDITOR)
def stop_freezing(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    found = get_object_or_404(study.freezings, pk=pk)
    if not found.cancel(at=now()):
        messages.info(request, f"It is {found.status}: there is nothing to stop.")
    return redirect(found)


def _ask(request: HttpRequest, study: Study, values: dict[str, Any]) -> HttpResponse:
    """The job, and its task sent once that is committed. Raises FreezeRefusedError."""
    with transaction.atomic():
        asked = freezing.request(
            study,
            values["aggregation"],
            name=values["name"],
            stages=values["stages"],
            is_preview="preview" in request.POST,
            by=person(request),
            at=now(),
        )
        send(request, lambda: tasks.freeze_study.delay(asked.pk))
    return redirect(asked)


def _panels(preview: Preview | None) -> list[Panel]:
    """Gold scores by the nearest point of the scale."""
    return histogram_panels(preview.points, {"Gold scores": preview.counts}) if preview else []


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
            "ranking": boards.ranking_changes(first, second),
            "studies": [
                (one, reports.study_of(one), hidden.content_hash(one)) for one in (first, second)
            ],
        }
    return set_page(request, "benchmarks/freezing/compare_versions.html", second, context)
