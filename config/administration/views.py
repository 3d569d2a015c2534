"""Views of administrators' pages: the site's state and its jobs."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.timezone import now
from django.views.decorators.http import require_POST, require_safe

from config.administration import jobs, site
from core.accounts.views.shared import administrators_only, person
from core.jobs.models import BaseJob
from core.pages.polling import render_page
from core.pages.queries import QueryForm, choice
from core.pages.sending import send
from core.pages.views import refusals_to


class JobsQuery(QueryForm):
    show = choice(*jobs.SHOWN, default="active")


@require_safe
@administrators_only
def state(request: HttpRequest) -> HttpResponse:
    """Servers, queues, workers, jobs by status, storage and settings."""
    context = {
        "tab": "site",
        "servers": site.server_states(),
        "queues": site.queues(),
        "workers": site.workers(),
        "storage": site.storage(),
        "job_counts": jobs.counts(),
        "settings": site.shown_settings(),
    }
    return render(request, "administration/site.html", context)


@require_safe
@administrators_only
def job_list(request: HttpRequest) -> HttpResponse:
    show = JobsQuery.read(request.GET)["show"]
    context = {
        "tab": "jobs",
        "show": show,
        "jobs": jobs.listed(show),
        "is_polled": show == "active",
        "max_rows": jobs.MAX_ROWS,
        "failed_calls": jobs.failed_calls() if show == "failed" else [],
        "poll_url": f"{reverse('administration-jobs')}?show={show}",
    }
    return render_page(
        request, "administration/jobs.html", context, fragment="administration/_jobs.html"
    )


@require_POST
@administrators_only
@refusals_to("administration-jobs")
def stop_job(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    job = _job(kind, pk)
    jobs.stop(job, by=person(request), at=now())
    messages.success(request, f"{capfirst(str(job))} is stopped.")
    return redirect("administration-jobs")


@require_POST
@administrators_only
@refusals_to("administration-jobs")
def retry_job(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    job = _job(kind, pk)
    send(request, jobs.retry(job, by=person(request), at=now()))
    messages.success(request, f"{capfirst(str(job))} is queued again.")
    return redirect("administration-jobs")


def _job(kind: str, pk: int) -> BaseJob:
    model = jobs.models().get(kind)
    if model is None:
        raise Http404("There is no such kind of job.")
    return get_object_or_404(model, pk=pk)
