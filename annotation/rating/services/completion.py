"""The code a worker takes back to their panel to show that they took part."""

from __future__ import annotations

import base64
import hashlib
import hmac

from django.conf import settings

from annotation.rating.models import Participation

CODE_CHARS = 10


def completion_code(participation: Participation) -> str:
    """Ten letters and digits, the same at every look, which only this installation can make."""
    key = f"concord completion code {settings.SECRET_KEY}".encode()
    digest = hmac.new(key, str(participation.pk).encode(), hashlib.sha256).digest()
    return base64.b32encode(digest).decode()[:CODE_CHARS]
