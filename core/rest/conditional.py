"""ETags: not sending what the reader has, not changing what somebody else changed meanwhile.

An ETag is the hash of a document as it is sent. `If-None-Match` on reading gives 304; `If-Match` on
changing gives 412 unless the document is still the one that was read.
"""

from __future__ import annotations

import hashlib
from typing import Any

from django.db import connection
from django.utils.http import parse_etags
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from core.rest.problems import PreconditionFailedError


def etag_of(data: Any) -> str:
    """The strong ETag of a document."""
    return f'"{hashlib.sha256(JSONRenderer().render(data)).hexdigest()[:32]}"'


def answer(request: Request, response: Response) -> Response:
    """A successful answer with its ETag; 304 without a body where the reader has it already."""
    etag = etag_of(response.data)
    known = [
        one.removeprefix("W/") for one in parse_etags(request.headers.get("If-None-Match", ""))
    ]
    if etag in known or "*" in known:
        response.status_code, response.data = 304, None
    response["ETag"] = etag
    return response


def require_match(request: Request, present: Any) -> None:
    """Raise PreconditionFailedError unless If-Match, where it is given, names the document as it is
    now. Call it in the transaction of the change, behind `lock`."""
    if "If-Match" not in request.headers:
        return
    wanted = parse_etags(request.headers["If-Match"])
    if "*" not in wanted and etag_of(present) not in wanted:
        raise PreconditionFailedError


def lock(address: str) -> None:
    """Hold other changes by If-Match to this document off until the transaction ends."""
    number = int.from_bytes(hashlib.sha256(f"if-match:{address}".encode()).digest()[:8], "big")
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [number - 2**63])
