"""Conditional requests with ETags.

An ETag is the hash of a document. A GET with `If-None-Match` is answered with 304 if the document
is unchanged. A change with `If-Match` is answered with 412 if the document has changed.
"""

from __future__ import annotations

import hashlib

from django.utils.http import parse_etags
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from core.refusals import RefusedError


def etag_of(data: object) -> str:
    """The strong ETag of a document."""
    return f'"{hashlib.sha256(JSONRenderer().render(data)).hexdigest()[:32]}"'


def add_etag(request: Request, response: Response) -> Response:
    """Add the ETag to a successful response; make it a 304 if the client has the document."""
    etag = etag_of(response.data)
    client_etags = [
        one.removeprefix("W/") for one in parse_etags(request.headers.get("If-None-Match", ""))
    ]
    if etag in client_etags or "*" in client_etags:
        response.status_code, response.data = 304, None
    response["ETag"] = etag
    return response


def require_match(request: Request, present: object) -> None:
    """Raise RefusedError if the request has an If-Match that does not match.

    present: the present document. Call it in the transaction of the change, which has
    the document's lock.
    """
    if "If-Match" not in request.headers:
        return
    expected = parse_etags(request.headers["If-Match"])
    if "*" not in expected and etag_of(present) not in expected:
        raise RefusedError(
            "It has changed since you read it. Read it again and check whether your change still "
            "applies.",
            "changed-meanwhile",
        )
