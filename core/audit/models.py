"""One table that only grows."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models


class AuditEventQuerySet(models.QuerySet["AuditEvent"]):
    def of_study(self, study: Any) -> AuditEventQuerySet:
        return self.filter(study_id=study.pk)

    def of_set(self, name: str) -> AuditEventQuerySet:
        """Of all versions of a judgment set: what is done to a set is done to its name."""
        return self.filter(judgment_set=name)

    def matching(
        self,
        *,
        actor: str = "",
        action: str = "",
        since: date | None = None,
        until: date | None = None,
    ) -> AuditEventQuerySet:
        """Those of an actor's name, of one action, between two days (both included)."""
        found = self
        if actor:
            found = found.filter(actor_name=actor)
        if action:
            found = found.filter(action=action)
        if since:
            found = found.filter(at__date__gte=since)
        if until:
            found = found.filter(at__date__lte=until)
        return found

    def page_before(self, before: int | None, size: int) -> list[AuditEvent]:
        """The latest `size` events older than the event numbered `before`, and one more where
        there is one; by number, since the book never changes behind it."""
        found = self if before is None else self.filter(pk__lt=before)
        return list(found.order_by("-pk")[: size + 1])


class AuditEvent(models.Model):
    """Something that was done. The database refuses to change or remove it (migration 0002).

    Nothing points to other tables: an event outlives its study, and a key that is set to null
    would be a change. Names are as they were then. Not chained by hashes: a chain would have all
    that is recorded wait for each other, and whoever may rewrite the table may rewrite the chain;
    a copy kept elsewhere (the export) shows what was changed all the same.
    """

    at = models.DateTimeField()
    actor_kind = models.CharField(max_length=10)
    actor_name = models.CharField(max_length=300)
    actor_id = models.BigIntegerField(null=True, help_text="Of the account.")
    token_id = models.BigIntegerField(null=True, help_text="Of the API token, where one was used.")
    action = models.CharField(max_length=60)
    target_kind = models.CharField(max_length=60)
    target_id = models.CharField(max_length=80, blank=True)
    target_name = models.CharField(max_length=300, blank=True)
    before = models.JSONField(null=True, encoder=DjangoJSONEncoder)
    after = models.JSONField(null=True, encoder=DjangoJSONEncoder)
    study_id = models.BigIntegerField(null=True)
    judgment_set = models.CharField(max_length=80, blank=True)

    objects = AuditEventQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(
                fields=["study_id", "id"],
                condition=models.Q(study_id__isnull=False),
                name="a_studys_events",
            ),
            models.Index(
                fields=["judgment_set", "id"],
                condition=~models.Q(judgment_set=""),
                name="a_sets_events",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.actor} {self.action} {self.target}"

    @property
    def actor(self) -> str:
        """Who, as people read it."""
        match self.actor_kind:
            case "token":
                return f"{self.actor_name} (API token)"
            case "command":
                return f"manage.py {self.actor_name}"
            case "system":
                return "the system"
            case "visitor":
                return "a visitor"
        return self.actor_name

    @property
    def target(self) -> str:
        return f"{self.target_kind} {self.target_name or self.target_id}".strip()

    @property
    def details(self) -> list[tuple[str, Any, Any]]:
        """What changed: (name, before, after), None where it was not there."""
        before, after = (_as_dict(one) for one in (self.before, self.after))
        return [
            (name, before.get(name), after.get(name))
            for name in dict.fromkeys([*before, *after])
            if before.get(name) != after.get(name)
        ]


def _as_dict(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    return value if isinstance(value, dict) else {"": value}
