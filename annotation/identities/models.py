"""A column of sealed texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models

from annotation.identities.sealing import Sealed

if TYPE_CHECKING:
    _Text = models.TextField["Sealed | None", "Sealed | None"]
else:
    _Text = models.TextField


class SealedField(_Text):
    """Holds `Sealed` and nothing else: a plain text is refused rather than stored readable.

    No two sealings of one text are equal, so rows cannot be looked for by it, only by what
    `sealing.lookups` gives.
    """

    def from_db_value(self, value: str | None, *_: Any) -> Sealed | None:
        return None if value is None else Sealed(value)

    def get_prep_value(self, value: Any) -> str | None:
        if value is None:
            return None
        if not isinstance(value, Sealed):
            raise TypeError(f"{self.name} takes sealed texts: give Sealed.of(text).")
        return value.token

    def get_lookup(self, lookup_name: str) -> Any:
        return super().get_lookup(lookup_name) if lookup_name == "isnull" else None
