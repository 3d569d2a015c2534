"""The table of the rate limits."""

from __future__ import annotations

from django.db import models


class Bucket(models.Model):
    """The state of one rate limit of one caller (generic cell rate algorithm, ITU-T I.371).

    `key` is a keyed hash of rule and caller, which reveals no address or name. `arrival` is the
    theoretical arrival time: when the requests so far would have arrived at the allowed rate. A row
    whose `arrival` is in the past has no effect and is deleted. The table is unlogged: a crash of
    the database empties it, which does no harm.
    """

    key = models.CharField(max_length=64, primary_key=True)
    arrival = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.key[:12]
