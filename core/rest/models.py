"""Stored answers to requests with an Idempotency-Key."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class IdempotencyKey(models.Model):
    """The answer to a request, under the client's key.

    It is written in the transaction of the request. `fingerprint` is the SHA-256 of method, URL and
    body. Rows are deleted after `idempotency.RETENTION`. The answer of `status` REMOVED was removed
    before, and is not sent again.
    """

    REMOVED = 410

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    key = models.CharField(max_length=255)
    path = models.TextField(default="")
    fingerprint = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    headers = models.JSONField(default=dict)
    body = models.JSONField(null=True)
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="one_answer_per_key"),
        ]

    def __str__(self) -> str:
        return f"{self.key} of {self.user_id}"
