"""Access to trainings: only researchers train, and each sees their own trainings."""

from __future__ import annotations

from django.db.models import QuerySet

from benchmarks.sets.services.access import SetMissingError, SetRoleNeededError
from benchmarks.trainings.models import Training
from core.accounts.roles import SiteUser


def require_researcher(user: SiteUser) -> None:
    """Raises RoleNeededError if the user is not a researcher."""
    if not user.is_staff:
        raise SetRoleNeededError(
            "Only researchers train metrics. Ask an administrator for the role researcher."
        )


def trainings_of(user: SiteUser) -> QuerySet[Training]:
    """The user's trainings, latest first; for administrators all trainings."""
    trainings = Training.objects.select_related("checkpoint")
    return trainings if user.is_superuser else trainings.filter(by=user.pk)


def training_for(user: SiteUser, pk: int) -> Training:
    """A training that the user may see. Raises SetMissingError."""
    training = trainings_of(user).filter(pk=pk).first()
    if training is None:
        raise SetMissingError(f"You have no training {pk}.")
    return training
