"""Whose trainings they are, and who may train at all: researchers."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from benchmarks.sets.services.access import RoleNeededError, SetMissingError
from benchmarks.trainings.models import Training


def require_researcher(user: Any) -> None:
    """Raises RoleNeededError for everybody else."""
    if not user.is_staff:
        raise RoleNeededError(
            "Only researchers train metrics. Ask an administrator to make you one."
        )


def trainings_of(user: Any) -> QuerySet[Training]:
    """One's own trainings, latest first; administrators see everybody's."""
    every = Training.objects.select_related("checkpoint")
    return every if user.is_superuser else every.filter(by=user.pk)


def training_for(user: Any, pk: int) -> Training:
    """One of these. Raises SetMissingError where it is not theirs or is not there."""
    found = trainings_of(user).filter(pk=pk).first()
    if found is None:
        raise SetMissingError(f"You have no training {pk}.")
    return found
