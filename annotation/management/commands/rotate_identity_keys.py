"""`rotate_identity_keys`: seal who workers are under the first of IDENTITY_KEYS."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.identities.sealing import SealError
from annotation.privacy.services.rotation import rotate_keys


class Command(BaseCommand):
    help = (
        "Seal everything anew under the first of IDENTITY_KEYS. Put a new key in front there, have "
        "every process started with it, run this, and take the old key out."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            done = rotate_keys()
        except SealError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"Sealed anew: {done.workers:,} workers, {done.answers:,} answers, "
            f"{done.invitations:,} invitations. The other keys may go."
        )
