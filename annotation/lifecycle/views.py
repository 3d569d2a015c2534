"""A study's settings: language, copy, archive, delete."""

from __future__ import annotations

from typing import Unpack

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.timezone import now
from django.views.decorators.http import require_POST, require_safe

from annotation.lifecycle.inputs import Deletion, Language, NewCopy
from annotation.lifecycle.services import archiving, copying, deletion, unfinished
from annotation.rating.services import languages
from annotation.studies.inputs import SLUG_TEXT
from annotation.studies.models import Study
from annotation.studies.services import access
from annotation.studies.views.access import person, study_page, study_view
from core.accounts.roles import Role
from core.pages.derived import DataclassForm
from core.pages.options import FormOptions
from core.pages.views import add_refusal, refusals_to
from core.refusals import RefusedError


class LanguageForm(DataclassForm[Language]):
    """The language of the raters' pages."""

    help_texts = {
        "language": "A rater can choose another one. Your own texts are shown as you wrote them."
    }


class CopyForm(DataclassForm[NewCopy]):
    """The copy's title and short name."""

    help_texts = {"slug": SLUG_TEXT.pattern_help}
    field_order = ("title", "slug")


class DeletionForm(DataclassForm[Deletion]):
    """The study's short name as confirmation, and whether the raters who came by links are paid."""

    only = ("paid",)
    help_texts = {"paid": ""}

    name = forms.CharField(label="Type the study's short name to confirm", max_length=100)

    def __init__(
        self, study: Study, data: QueryDict | None = None, **options: Unpack[FormOptions]
    ) -> None:
        super().__init__(data, **options)
        self.slug = study.slug

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"].strip()
        if name != self.slug:
            raise forms.ValidationError(f"Type {self.slug} to confirm: deleting cannot be undone.")
        return name


@require_safe
@study_view(Role.VIEWER)
def settings(request: HttpRequest, study: Study) -> HttpResponse:
    return _page(request, study)


@require_POST
@study_view(Role.EDITOR)
def language(request: HttpRequest, study: Study) -> HttpResponse:
    """Set the language of the raters' pages."""
    form = LanguageForm(request.POST)
    if not form.is_valid():
        return _page(request, study, language_form=form)
    languages.set_study_language(study, form.cleaned_data["language"])
    messages.success(request, "The language of the raters' pages was saved.")
    return redirect("study-settings", study.slug)


@require_POST
@study_view(Role.VIEWER)
def copy(request: HttpRequest, study: Study) -> HttpResponse:
    """Copy the study without its ratings, for researchers."""
    if not access.may_create_studies(person(request)):
        raise PermissionDenied(access.RESEARCHERS_ONLY)
    form = CopyForm(request.POST)
    if not form.is_valid():
        return _page(request, study, copy_form=form)
    values = form.cleaned_data
    try:
        made = copying.copy_study(
            study, values["slug"], values["title"], owner=person(request), at=now()
        )
    except ValidationError as error:
        form.add_error(None, error)
        return _page(request, study, copy_form=form)
    messages.success(request, f"{made.title} has the protocol and candidates of {study.slug}.")
    return redirect(made)


@require_POST
@refusals_to("study-settings", "slug")
@study_view(Role.OWNER)
def archive(request: HttpRequest, study: Study) -> HttpResponse:
    """Archive the study, or restore it with `do=restore`."""
    if request.POST.get("do") == "restore":
        archiving.restore(study)
        messages.success(request, "The study was restored. Its stages can be opened.")
        return redirect("study-settings", study.slug)
    archiving.archive(study, at=now())
    messages.success(request, "The study was archived. Everything stays readable.")
    return redirect("study-settings", study.slug)


@require_POST
@study_view(Role.OWNER)
def delete(request: HttpRequest, study: Study) -> HttpResponse:
    form = DeletionForm(study, request.POST)
    if not form.is_valid():
        return _page(request, study, deletion_form=form)
    try:
        deletion.delete_study(study, paid=form.cleaned_data["paid"], by=person(request), at=now())
    except RefusedError as error:
        add_refusal(form, error)
        return _page(request, study, deletion_form=form)
    messages.success(request, f"{study.title} was deleted.")
    return redirect("studies")


def _page(
    request: HttpRequest,
    study: Study,
    *,
    language_form: LanguageForm | None = None,
    copy_form: CopyForm | None = None,
    deletion_form: DeletionForm | None = None,
) -> HttpResponse:
    suggested = {"title": f"Copy of {study.title}"[:200], "slug": copying.free_slug(study, "copy")}
    at = now()
    context = {
        "tab": "settings",
        "language_form": language_form or LanguageForm(initial={"language": study.rater_language}),
        "copy_form": copy_form or CopyForm(initial=suggested),
        "deletion_form": deletion_form or DeletionForm(study),
        "may_copy": access.may_create_studies(person(request)),
        "open_work": unfinished.open_work(study, at=at),
        "refusals": deletion.refusals(study, at=at),
        "earned_by_links": unfinished.earned_by_links(study),
    }
    has_errors = any(form is not None for form in (language_form, copy_form, deletion_form))
    return study_page(
        request,
        "annotation/lifecycle/settings.html",
        study,
        context,
        status=422 if has_errors else 200,
    )
