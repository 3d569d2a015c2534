"""Update and compile the catalogues of the raters' pages."""

from __future__ import annotations

from django.core.management.base import BaseCommand

from config import translations


class Command(BaseCommand):
    help = "Update the .po files from the raters' pages, and compile them; for development."
    requires_system_checks: list[str] = []

    def handle(self, **_: object) -> None:
        for language in translations.languages():
            missing = translations.update(language)
            self.stdout.write(f"{language}: {len(missing)} messages without a translation")
            for message in missing:
                self.stdout.write(f"  {message}")
