"""The completion code that shows a panel that a worker took part."""

from __future__ import annotations

import base64
import hashlib
import hmac

from django.conf import settings

from annotation.rating.models import Participation

CODE_CHARS = 10


def completion_code(participation: Participation) -> str:
    """Ten letters and digits, always the same for a participation. The code cannot be guessed."""
    key = f"concord completion code {settings.SECRET_KEY}".encode()
    digest = hmac.new(key, str(participation.pk).encode(), hashlib.sha256).digest()
    return base64.b32encode(digest).decode()[:CODE_CHARS]
