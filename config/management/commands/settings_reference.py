"""`settings_reference`: docs/reference/settings.md, from where the settings are read."""

from __future__ import annotations

from django.core.management.base import BaseCommand

from config.settings_reference import reference


class Command(BaseCommand):
    help = "Print the reference of all settings, as docs/reference/settings.md holds it."

    def handle(self, **_: object) -> None:
        self.stdout.write(reference(), ending="")
