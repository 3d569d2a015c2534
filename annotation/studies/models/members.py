"""Members of a study."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from annotation.studies.models.studies import Study
from core.accounts.roles import Role


class StudyMember(models.Model):
    """An account's role on a study."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="members")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="study_memberships"
    )
    role = models.CharField(max_length=10, choices=Role)
    since = models.DateTimeField()

    class Meta:
        ordering = ["since", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["study", "user"], name="one_role_each_on_a_study"),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.role} of {self.study}"
