"""`drop_identities`: drop the ids of workers whose term is over; the workers do so every hour."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.utils.timezone import now

from annotation.privacy.services.retention import release_due


class Command(BaseCommand):
    help = "Drop the ids of workers whose term is over in all their studies."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"The ids of {release_due(at=now()):,} workers are dropped.")
