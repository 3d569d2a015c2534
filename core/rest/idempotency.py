"""A request that creates something works once, however often it is sent.

A sender marks it with `Idempotency-Key`. Sent again with the same key and the same body, it gets
the first answer again (`Idempotency-Replayed: true`); with another body, 422; while the first is
still at work, 409. The answer is written in the transaction of the work itself, so that a process
that dies leaves neither, and only answers of success are kept: what was refused may be tried again
with its key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any, cast

from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db import connection, transaction
from django.utils.timezone import now
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from core.rest.models import IdempotencyKey
from core.rest.problems import register

KEPT = timedelta(hours=24)
HEADER = "Idempotency-Key"
LONGEST = 255
KEPT_HEADERS = ("Location", "ETag")


class StillAtWorkError(APIException):
    """Another request with this key has not been answered yet."""

    status_code = 409
    default_detail = "A request with this Idempotency-Key is still at work: ask again in a moment."
    wait = 1


class KeyUsedError(APIException):
    """The key belongs to a request of another content."""

    status_code = 422
    default_detail = (
        f"This {HEADER} came with another request in the last 24 hours: take a new key for a new "
        "request."
    )


register(StillAtWorkError, "still-at-work", 409, "Still at work")
register(KeyUsedError, "key-used", 422, "The key was used for something else")


def once(request: Request, work: Callable[[], Response]) -> Response:
    """The answer of `work`, which is done in a transaction, once for each key and user.

    Without a key it is simply done. Raises StillAtWorkError, KeyUsedError, and ValidationError for
    what is no key.
    """
    key = request.headers.get(HEADER, "")
    if HEADER not in request.headers:
        return work()
    if not 1 <= len(key) <= LONGEST or not key.isascii() or not key.isprintable():
        raise ValidationError({HEADER: [f"A key is 1 to {LONGEST} printable ASCII characters."]})
    at = now()
    IdempotencyKey.objects.filter(created_at__lt=at - KEPT).delete()
    user, fingerprint = cast(User, request.user), _fingerprint(request)
    with transaction.atomic():
        if not _alone(f"{user.pk}:{key}"):
            raise StillAtWorkError
        known = IdempotencyKey.objects.filter(user=user, key=key).first()
        if known is not None:
            if known.fingerprint != fingerprint:
                raise KeyUsedError
            return _again(known)
        response = work()
        IdempotencyKey.objects.create(
            user=user,
            key=key,
            fingerprint=fingerprint,
            status=response.status_code,
            headers={name: response[name] for name in KEPT_HEADERS if name in response},
            body=json.loads(JSONRenderer().render(response.data) or b"null"),
            created_at=at,
        )
    return response


def _again(known: IdempotencyKey) -> Response:
    headers = {**known.headers, "Idempotency-Replayed": "true"}
    return Response(known.body, status=known.status, headers=headers)


def _alone(name: str) -> bool:
    """Whether no other transaction holds this name; then ours does until it ends."""
    number = int.from_bytes(hashlib.sha256(f"idempotency:{name}".encode()).digest()[:8], "big")
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [number - 2**63])
        return bool(cursor.fetchone()[0])


def _fingerprint(request: Request) -> str:
    """SHA-256 over method, address and content; of a form by its fields, since each sending draws
    its boundaries anew."""
    digest = hashlib.sha256(f"{request.method} {request.get_full_path()}\n".encode())
    data: Any = request.data
    if not hasattr(data, "lists"):
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
