"""`rotate_identity_keys`: re-encrypt workers' identities under the first of IDENTITY_KEYS."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError

from annotation.identities.sealing import IdentitySealError
from annotation.privacy.services.rotation import rotate_keys
from concord.sentences import counted


class Command(BaseCommand):
    help = (
        "Re-encrypt all identities under the first of IDENTITY_KEYS. Add a new key in front, "
        "restart "
        "every process, run this command, then remove the old key."
    )

    def handle(self, **_: object) -> None:
        try:
            result = rotate_keys()
        except IdentitySealError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"Re-encrypted {counted(result.workers, 'worker')} and "
            f"{counted(result.answers, 'answer')}. The other keys can be removed."
        )
