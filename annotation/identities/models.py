"""A model field for sealed texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models

from annotation.identities.sealing import Sealed

if TYPE_CHECKING:
    _Text = models.TextField["Sealed | None", "Sealed | None"]
else:
    _Text = models.TextField


class SealedField(_Text):
    """Stores `Sealed` values only: a plain text is refused.

    Two sealings of the same text differ, so rows are found by `sealing.lookups`, not by this field.
    """

    def from_db_value(self, value: str | None, *_: object) -> Sealed | None:
        return None if value is None else Sealed(value)

    def get_prep_value(self, value: object) -> str | None:
        if value is None:
            return None
        if not isinstance(value, Sealed):
            raise TypeError(f"{self.name} accepts sealed texts only: pass Sealed.of(text).")
        return value.token

    def get_lookup(self, lookup_name: str) -> type[models.Lookup[Sealed]] | None:
        return super().get_lookup(lookup_name) if lookup_name == "isnull" else None
