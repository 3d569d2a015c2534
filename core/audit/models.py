"""The table of the audit log."""

from __future__ import annotations

from datetime import date

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models


class AuditEventQuerySet(models.QuerySet["AuditEvent"]):
    def of_study(self, study: models.Model) -> AuditEventQuerySet:
        return self.filter(study_id=study.pk)

    def of_set(self, name: str) -> AuditEventQuerySet:
        """The events of a judgment set, in all its versions."""
        return self.filter(judgment_set=name)

    def matching(
        self,
        *,
        actor: str = "",
        action: str = "",
        since: date | None = None,
        until: date | None = None,
    ) -> AuditEventQuerySet:
        """The events of one actor and one action from day `since` to day `until`, inclusive."""
        events = self
        if actor:
            events = events.filter(actor_name=actor)
        if action:
            events = events.filter(action=action)
        if since:
            events = events.filter(at__date__gte=since)
        if until:
            events = events.filter(at__date__lte=until)
        return events

    def page_before(self, before: int | None, size: int) -> list[AuditEvent]:
        """The latest `size` + 1 events whose number is below `before`.

        The additional event shows whether there is another page.
        """
        events = self if before is None else self.filter(pk__lt=before)
        return list(events.order_by("-pk")[: size + 1])


class AuditEvent(models.Model):
    """An entry of the audit log. A database trigger prevents changes (migration 0002).

    It has no foreign keys: an event outlives its study, and setting a key to null would be a
    change. Names are stored as they were at the time.

    Events are not linked by hashes. All transactions would wait for one another, and whoever can
    rewrite the table could rewrite the hashes; a copy of the export reveals changes too.
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
        """The actor's name on pages."""
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
        name = self.target_name or self.target_id
        has_kind = name.startswith(f"{self.target_kind} ")  # "step 2 of the study"
        return name if has_kind else f"{self.target_kind} {name}".strip()

    @property
    def details(self) -> list[tuple[str, object, object]]:
        """The changed fields as (name, before, after); None where a field is missing."""
        before, after = (_as_dict(one) for one in (self.before, self.after))
        return [
            (name, before.get(name), after.get(name))
            for name in dict.fromkeys([*before, *after])
            if before.get(name) != after.get(name)
        ]


def _as_dict(value: object) -> dict[str, object]:
    if value is None:
        return {}
    return value if isinstance(value, dict) else {"": value}
