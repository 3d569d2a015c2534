"""Hidden labels of judgment sets."""

from __future__ import annotations

import secrets

from django.db import models


class HiddenLabels(models.Model):
    """A split whose labels are hidden in every version of a set; an empty name means all splits.

    Only the set's editors see the gold scores, ratings and figures of single items of the split.
    `pair_key` decides in which order the two members of a hidden pair are shown to submitters.
    """

    set_name = models.CharField(max_length=80)
    split = models.CharField(max_length=500, blank=True)
    pair_key = models.CharField(max_length=64, default=secrets.token_hex)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["set_name", "split"]
        verbose_name_plural = "hidden labels"
        constraints = [
            models.UniqueConstraint(fields=["set_name", "split"], name="labels_are_hidden_once"),
        ]

    def __str__(self) -> str:
        return f"{self.set_name}: {self.split or 'every split'}"
