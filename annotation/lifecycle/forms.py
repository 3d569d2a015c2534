"""Forms of a study's settings: its raters' language, its copy, its deletion."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings

from annotation.studies.models import SLUG, SLUG_HELP, Study
from core.column_bounds import max_length


class LanguageForm(forms.Form):
    """The language of the raters' pages."""

    language = forms.ChoiceField(
        label="Language",
        choices=[("", "Each rater's browser decides"), *settings.LANGUAGES],
        required=False,
        help_text="A rater can choose another one. Your own texts are shown as you wrote them.",
    )


class CopyForm(forms.Form):
    """The copy's title and short name."""

    title = forms.CharField(label="Title", max_length=max_length(Study, "title"))
    slug = forms.RegexField(
        SLUG,
        label="Short name",
        max_length=max_length(Study, "slug"),
        help_text=SLUG_HELP,
        error_messages={"invalid": SLUG_HELP},
    )


class DeletionForm(forms.Form):
    """The study's short name as confirmation, and whether the raters who came by links are paid."""

    paid = forms.BooleanField(label="I have paid the raters who came by links", required=False)
    name = forms.CharField(label="Type the study's short name to confirm", max_length=100)

    def __init__(self, study: Study, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.slug = study.slug

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"].strip()
        if name != self.slug:
            raise forms.ValidationError(f"Type {self.slug} to confirm: deleting cannot be undone.")
        return name
