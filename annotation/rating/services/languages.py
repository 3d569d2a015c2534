"""The language of the raters' pages: of a study, and of one rater."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction

from annotation.rating.models import Participation
from annotation.studies.models import Study
from core import audit


def is_offered(language: str) -> bool:
    """Whether the raters' pages have this language."""
    return language in dict(settings.LANGUAGES)


def set_study_language(study: Study, language: str) -> None:
    """Set the language of the study's raters' pages; empty for that of each rater's browser.

    Raters who chose another one keep it. Raises ValueError for a language that is not offered.
    """
    if language and not is_offered(language):
        raise ValueError(f"The raters' pages are not available in {language}.")
    with transaction.atomic():
        row = Study.objects.select_for_update().get(pk=study.pk)
        if row.rater_language != language:
            row.rater_language = language
            row.save(update_fields=["rater_language"])
            changed = {"rater_language": language}
            audit.record(None, "study.language changed", row, after=changed, study=row)


def set_rater_language(participation: Participation, language: str) -> None:
    """Store the rater's own choice. A language that is not offered changes nothing."""
    if is_offered(language) and participation.language != language:
        Participation.objects.filter(pk=participation.pk).update(language=language)
        participation.language = language
