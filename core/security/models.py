"""What the doors remember: who asked how often, for as long as that matters."""

from __future__ import annotations

from django.db import models


class Bucket(models.Model):
    """How far ahead of its rate somebody is (the generic cell rate algorithm, ITU-T I.371).

    `key` is a keyed hash of the rule and of who asked: no address or name can be read from it.
    `arrival` is when the requests so far would have come, had they come at the rate's pace; once it
    is past, the row says nothing and is deleted. The table is not logged: a crash of the database
    empties it, which no one is harmed by.
    """

    key = models.CharField(max_length=64, primary_key=True)
    arrival = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.key[:12]
