"""Whose imports they are: who asked for one sees it and stops it, and so do administrators."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from benchmarks.imports.models import SetImport
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services.access import SetMissingError, sets_for


def imports_of(user: Any) -> QuerySet[SetImport]:
    """One's own imports, latest first; administrators see everybody's."""
    every = SetImport.objects.select_related("by").prefetch_related("judgment_set")
    return every if user.is_superuser else every.filter(by=user.pk)


def import_for(user: Any, pk: int) -> SetImport:
    """One of these. Raises SetMissingError where it is not theirs or is not there."""
    found = imports_of(user).filter(pk=pk).first()
    if found is None:
        raise SetMissingError(f"You have no import {pk}.")
    return found


def set_made(set_import: SetImport, user: Any) -> JudgmentSet | None:
    """The version that came of it, where there is one that the person may see."""
    if set_import.judgment_set_id is None:
        return None
    return sets_for(user).filter(pk=set_import.judgment_set_id).first()
