"""`drop_identities`: remove the ids of workers whose retention period has ended.

The background workers do so every hour.
"""

from __future__ import annotations

from django.core.management.base import BaseCommand
from django.utils.timezone import now

from annotation.privacy.services.retention import release_due
from concord.sentences import counted


class Command(BaseCommand):
    help = "Remove the ids of workers whose retention period has ended."

    def handle(self, **_: object) -> None:
        self.stdout.write(f"Removed the ids of {counted(release_due(at=now()), 'worker')}.")
