"""Access to imports: for the account that requested one, and for administrators."""

from __future__ import annotations

from django.db.models import QuerySet

from benchmarks.imports.models import SetImport
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services.access import sets_for
from core.accounts.roles import SiteUser
from core.refusals import RefusedError


def imports_of(user: SiteUser, *, drafts: bool = False) -> QuerySet[SetImport]:
    """The imports that the user may see, latest first; with `drafts` also those that wait for the
    choice of columns."""
    imports = SetImport.objects.select_related("by").prefetch_related("judgment_set")
    if not drafts:
        imports = imports.exclude(status=SetImport.DRAFT)
    return imports if user.is_superuser else imports.filter(by=user.pk)


def import_for(user: SiteUser, pk: int, *, drafts: bool = False) -> SetImport:
    """An import that the user may see. Raises RefusedError."""
    set_import = imports_of(user, drafts=drafts).filter(pk=pk).first()
    if set_import is None:
        raise RefusedError(f"You have no import {pk}.", "not-found")
    return set_import


def visible_set(set_import: SetImport, user: SiteUser) -> JudgmentSet | None:
    """The version that the import made, if there is one and the user may see it."""
    if set_import.judgment_set_id is None:
        return None
    return sets_for(user).filter(pk=set_import.judgment_set_id).first()
