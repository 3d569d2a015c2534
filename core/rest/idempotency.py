"""Idempotent requests with the header `Idempotency-Key`.

A request that is sent again with the same key and body gets the first answer again, with
`Idempotency-Replayed: true`. With another body it gets 422, and 409 while the first request is
still running.

The answer is stored in the transaction of the work, so a process that dies leaves neither. Only
successful answers are stored: a refused request can be sent again with its key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import timedelta

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import Q
from django.http.response import HttpResponseBase
from django.utils.datastructures import MultiValueDict
from django.utils.timezone import now
from rest_framework.exceptions import ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from core.accounts.views.shared import person
from core.postgresql.locks import try_lock
from core.refusals import RefusedError
from core.rest.models import IdempotencyKey

RETENTION = timedelta(hours=24)
HEADER = "Idempotency-Key"
MAX_KEY_CHARS = 255
STORED_HEADERS = ("Location", "ETag")


def run_once(request: Request, work: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """The answer of `work`, which runs in a transaction, once per user and key.

    Without a key, `work` always runs. Raises RefusedError for a key that is in use or was used
    for another request, and ValidationError for an invalid key.
    """
    key = request.headers.get(HEADER, "")
    if HEADER not in request.headers:
        return work()
    if not 1 <= len(key) <= MAX_KEY_CHARS or not key.isascii() or not key.isprintable():
        raise ValidationError(
            {HEADER: [f"The key must be 1 to {MAX_KEY_CHARS} printable ASCII characters."]}
        )
    at = now()
    IdempotencyKey.objects.filter(created_at__lt=at - RETENTION).delete()
    user, fingerprint = person(request), _fingerprint(request)
    with transaction.atomic():
        if not try_lock(f"idempotency:{user.pk}:{key}"):
            raise RefusedError(
                f"A request with this {HEADER} is still running. Try again in a moment.",
                "still-at-work",
            )
        stored = IdempotencyKey.objects.filter(user=user, key=key).first()
        if stored is not None:
            if stored.fingerprint != fingerprint:
                raise RefusedError(
                    f"This {HEADER} was used for a different request in the last 24 hours. Use a "
                    "new key for each request.",
                    "key-used",
                )
            if stored.status == IdempotencyKey.REMOVED:
                raise RefusedError(
                    "The request was successful and is not repeated. Its answer was removed since, "
                    "because a person was erased.",
                    "answer-removed",
                )
            return _replay(stored)
        response = work()
        assert isinstance(response, Response)
        IdempotencyKey.objects.create(
            user=user,
            key=key,
            path=request.path,
            fingerprint=fingerprint,
            status=response.status_code,
            headers={name: response[name] for name in STORED_HEADERS if name in response},
            body=json.loads(JSONRenderer().render(response.data) or b"null"),
            created_at=at,
        )
    return response


def remove_answers(below: str) -> None:
    """Remove the stored answers of the URL `below` and of the URLs below it. The keys are kept, so
    that no request is repeated."""
    answers = IdempotencyKey.objects.filter(Q(path=below) | Q(path__startswith=f"{below}/"))
    answers.update(status=IdempotencyKey.REMOVED, headers={}, body=None)


def _replay(stored: IdempotencyKey) -> Response:
    headers = {**stored.headers, "Idempotency-Replayed": "true"}
    return Response(stored.body, status=stored.status, headers=headers)


def _fingerprint(request: Request) -> str:
    """SHA-256 of the method, URL and content.

    The content of a multipart form is its fields, since its boundaries differ each time.
    """
    digest = hashlib.sha256(f"{request.method} {request.get_full_path()}\n".encode())
    data = request.data
    if not isinstance(data, MultiValueDict):
        digest.update(json.dumps(data, sort_keys=True).encode())
        return digest.hexdigest()
    for name, values in sorted(data.lists()):
        for value in values:
            digest.update(json.dumps([name, getattr(value, "name", value)]).encode())
            if isinstance(value, UploadedFile):
                for chunk in value.chunks():
                    digest.update(chunk)
                value.seek(0)
    return digest.hexdigest()
