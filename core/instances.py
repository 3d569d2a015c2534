"""What studies and judgment sets store of an instance."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models


class StoredInstance(models.Model):
    """A passage (may be empty), a question and its references; or a `Conversation` in place of
    passage and question. `passage_key` is a hash of the passage, or of the instance without one:
    instances with the same one are a cluster. `key` is unique in the study or set."""

    key = models.CharField(max_length=1000)
    passage = models.TextField(blank=True)
    passage_key = models.CharField(max_length=32)
    question = models.TextField(blank=True)
    references = ArrayField(models.TextField())
    short_answer = models.TextField(blank=True)
    constituent = models.CharField(max_length=500, blank=True)
    split = models.CharField(max_length=500, blank=True)
    category = models.CharField(max_length=500, blank=True)
    conversation = models.JSONField(null=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.key
