"""What a study stores about its workers and for how long; erasing a worker."""

from __future__ import annotations

from typing import Unpack

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.timezone import now
from django.views.decorators.http import require_http_methods

from annotation.privacy.services import erasing, retention
from annotation.privacy.services.erasing import Erasure
from annotation.privacy.services.retention import RetentionPeriod
from annotation.rating.models import Participation
from annotation.studies.models import Study
from annotation.studies.views.access import person, study_page, study_view
from core.accounts.roles import Role
from core.pages.derived import DataclassForm
from core.pages.options import FormOptions
from core.pages.views import add_refusal
from core.refusals import RefusedError


class RetentionForm(DataclassForm[RetentionPeriod]):
    """The retention period in days; empty for the site's."""

    help_texts = {"days": "Empty: the site's default."}


class EraseForm(DataclassForm[Erasure]):
    """What to erase, and the worker's name as confirmation."""

    only = ("ratings", "unpaid")
    help_texts = dict.fromkeys(only, "")

    name = forms.CharField(label="Type the worker's name to confirm", max_length=100)

    def __init__(
        self, worker: str, data: QueryDict | None = None, **options: Unpack[FormOptions]
    ) -> None:
        super().__init__(data, **options)
        self.worker = worker

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"].strip()
        if name != self.worker:
            raise forms.ValidationError(f"Type {self.worker} to confirm: erasing cannot be undone.")
        return name


@require_http_methods(["GET", "HEAD", "POST"])
@study_view(Role.VIEWER, to_change=Role.OWNER)
def privacy(request: HttpRequest, study: Study) -> HttpResponse:
    """GET shows what is stored. POST changes the retention period."""
    if request.method == "POST":
        form = RetentionForm(request.POST)
        if form.is_valid():
            retention.set_days(study, form.cleaned_data["days"], by=person(request))
            messages.success(request, "The retention period was changed.")
            return redirect("study-privacy", study.slug)
    else:
        form = RetentionForm(initial={"days": study.identity_days})
    workers = study.participations.select_related("worker")
    context: dict[str, object] = {
        "tab": "privacy",
        "form": form,
        "days": retention.days_of(study),
        "default_days": settings.IDENTITY_RETENTION_DAYS,
        "counts": {
            "with_id": workers.filter(worker__identity__isnull=False).count(),
            "id_removed": workers.filter(worker__released_at__isnull=False).count(),
            "erased": workers.filter(worker__erased_at__isnull=False).count(),
        },
        "consents": _consents(study),
        "consent": study.current.protocol.consent,
    }
    status = 422 if form.errors else 200
    return study_page(request, "annotation/privacy/privacy.html", study, context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@study_view(Role.OWNER)
def erase_worker(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    """GET shows what would be removed. POST removes it."""
    row = study.participations.select_related("worker", "study").filter(worker__name=name).first()
    if row is None:
        raise Http404("The study has no worker of this name.")
    form = EraseForm(name, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        try:
            result = erasing.erase(
                row,
                ratings=values["ratings"],
                unpaid=values["unpaid"],
                by=person(request),
                at=now(),
            )
        except RefusedError as error:
            add_refusal(form, error)
        else:
            messages.success(request, result.sentence)
            return redirect("study-privacy", study.slug)
    context = {
        "tab": "privacy",
        "participation": row,
        "form": form,
        "has_pending_payment": erasing.has_pending_payment(row),
    }
    status = 422 if form.errors else 200
    return study_page(
        request, "annotation/privacy/erase_worker.html", study, context, status=status
    )


def _consents(study: Study) -> list[tuple[int, int]]:
    """How many workers agreed to the consent text of each protocol version."""
    rows = Participation.objects.filter(study=study, consented_to__isnull=False)
    counts: dict[int, int] = {}
    for version in rows.values_list("consented_to__version", flat=True):
        counts[version] = counts.get(version, 0) + 1
    return sorted(counts.items())
