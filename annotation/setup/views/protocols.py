"""The protocol of a study: the pages of its two parts, and its versions."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.timezone import now
from django.views.decorators.http import require_http_methods, require_safe

from annotation import markdown
from annotation.rating.models import Assignment
from annotation.setup.declared_fields import facts
from annotation.setup.forms import RulesForm, TaskForm
from annotation.setup.protocol_form import ProtocolForm
from annotation.setup.services import next_steps
from annotation.setup.services.study_creation import change_protocol, cost_with
from annotation.setup.views import rater_preview
from annotation.stages.services.set_up_costs import SetUpCost
from annotation.studies.models import ProtocolVersion, Study
from annotation.studies.views.access import study_page, study_view
from concord.protocols import ProtocolError
from concord.sentences import to_sentence
from core.accounts.roles import Role


@require_http_methods(["GET", "HEAD", "POST"])
@study_view(Role.VIEWER, to_change=Role.EDITOR)
def task(request: HttpRequest, study: Study) -> HttpResponse:
    """What raters are asked, with a preview of their page. `preview` shows it and saves nothing."""
    data = request.POST if request.method == "POST" else None
    form = TaskForm(data, base=study.current.protocol, preset=study.preset_protocol())
    if rater_preview.is_requested(request):
        form.is_valid()
        return _page(request, study, form, "protocol")
    return _save(request, study, form, "protocol")


@require_http_methods(["GET", "HEAD", "POST"])
@study_view(Role.VIEWER, to_change=Role.EDITOR)
def rules(request: HttpRequest, study: Study) -> HttpResponse:
    """The rules for raters, pay and quality. `preview` shows what they cost and saves nothing."""
    data = request.POST if request.method == "POST" else None
    form = RulesForm(data, base=study.current.protocol, preset=study.preset_protocol())
    if rater_preview.is_requested(request):
        context = {"tab": "protocol-rules", "cost": _cost(study, form)}
        return study_page(request, "annotation/setup/_cost.html", study, context)
    return _save(request, study, form, "protocol-rules")


def _cost(study: Study, form: ProtocolForm) -> SetUpCost | None:
    """What the study costs with the protocol of a form."""
    if not form.is_valid() or form.protocol is None:
        return SetUpCost(problem="Correct the fields first.")
    try:
        return cost_with(study, form.protocol, at=now())
    except ProtocolError as error:
        return SetUpCost(problem=to_sentence(next(iter(error.problems.values()))))


@require_safe
@study_view(Role.VIEWER)
def protocol_version(request: HttpRequest, study: Study, version: int) -> HttpResponse:
    version_row = study.protocol_versions.filter(version=version).first()
    if version_row is None:
        raise Http404("The study has no such version of its protocol.")
    protocol = version_row.protocol
    texts = {
        name: markdown.render(getattr(protocol, name))
        for name in ("instructions", "examples", "consent")
    }
    of_other_units = {"pairs", "sets"} - {f"{protocol.unit}s"}
    context = {
        "tab": "protocol",
        "version_row": version_row,
        "protocol": protocol,
        "texts": texts,
        "facts": facts(protocol, of_other_units),
    }
    return study_page(request, "annotation/setup/protocol_version.html", study, context)


def _save(request: HttpRequest, study: Study, form: ProtocolForm, tab: str) -> HttpResponse:
    """Store a valid form and redirect to the next step of the set-up, or show the page."""
    if request.method == "POST" and form.is_valid() and form.protocol:
        current = study.current
        try:
            version = change_protocol(study, form.protocol, at=now())
        except ProtocolError as error:
            for problem in error.problems.values():
                form.add_error(None, to_sentence(problem))
        else:
            messages.success(request, _report(current, version))
            place = next_steps.set_up(study, f"study-{tab}")
            if "continue" in request.POST and place and place.following:
                return redirect(place.following.url)
            return redirect(f"study-{tab}", study.slug)
    return _page(request, study, form, tab, status=422 if form.errors else 200)


def _report(current: ProtocolVersion, version: ProtocolVersion) -> str:
    if version.version == current.version:
        return f"Version {version.version} was saved."
    return (
        f"Saved as version {version.version}. Version {current.version} is in use and stays "
        "unchanged."
    )


def _page(
    request: HttpRequest, study: Study, form: ProtocolForm, tab: str, status: int = 200
) -> HttpResponse:
    current = study.current
    context: dict[str, object] = {
        "tab": tab,
        "form": form,
        "open": form.open_sections(),
        "current": current,
        "in_use": Assignment.objects.filter(protocol_version=current).exists(),
        "versions": study.protocol_versions.order_by("-version"),
        "preset_title": study.preset_title,
        "preset_changes": study.preset_changes(),
        "deviations": study.deviations(),
    }
    fragment = None
    if isinstance(form, TaskForm):
        context |= rater_preview.context(form.draft, study)
        fragment = "annotation/setup/_rater_preview.html"
    template = f"annotation/setup/{tab.replace('-', '_')}.html"
    return study_page(request, template, study, context, fragment=fragment, status=status)
