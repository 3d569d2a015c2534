"""AWS's JSON protocols: parsing requests and writing responses.

Signatures are not verified, because there are no secrets. Any well-formed Signature Version 4
header is accepted, and its access key ID is the account.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mturk_sandbox import queues, service_model
from mturk_sandbox.errors import TurkError

AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256\s+Credential=(?P<key>[\w-]{1,128})/\d{8}/[\w-]+/[\w-]+/aws4_request,\s*"
    r"SignedHeaders=[\w;-]+,\s*Signature=[0-9a-f]{64}"
)


@dataclass(frozen=True)
class Request:
    """A parsed call; the service is the target name of MTurk or SQS."""

    service: str
    operation: str
    account: str
    document: Any
    id: str = field(default_factory=lambda: str(uuid.uuid4()))


@dataclass(frozen=True)
class Response:
    """A response."""

    status: int
    content_type: str
    body: bytes
    error: str = ""
    request_id: str = field(default_factory=lambda: str(uuid.uuid4()))


def read_request(headers: Mapping[str, str], body: bytes) -> Request:
    """Parse the call in a POST. Raises a TurkError as AWS does."""
    service, _, operation = (headers.get("X-Amz-Target") or "").partition(".")
    if service not in (service_model.TARGET, queues.TARGET):
        raise TurkError("UnknownOperationException", "The X-Amz-Target names no known service.")
    account = access_key(headers)
    operations = (
        service_model.operations() if service == service_model.TARGET else queues.QUEUE_HANDLERS
    )
    if operation not in operations:
        raise TurkError("UnknownOperationException", f"There is no operation {operation!r}.")
    try:
        document = json.loads(body or b"{}")
    except ValueError as error:
        raise TurkError("SerializationException", "The request is not JSON.") from error
    return Request(service, operation, account, document)


def access_key(headers: Mapping[str, str]) -> str:
    """The access key ID of the Authorization header. Raises a TurkError."""
    header = headers.get("Authorization")
    if not header:
        raise TurkError("MissingAuthenticationTokenException", "Missing Authentication Token")
    match = AUTHORIZATION.fullmatch(header.strip())
    if match is None:
        raise TurkError(
            "IncompleteSignatureException",
            "The Authorization header is not a Signature Version 4 header with Credential, "
            "SignedHeaders and Signature.",
        )
    return match["key"]


def _content_type(service: str) -> str:
    return f"application/x-amz-json-1.{'0' if service == queues.TARGET else '1'}"


def success_response(request: Request, answer: dict[str, Any]) -> Response:
    """A success; MTurk's answers are serialised by the service model."""
    if request.service == service_model.TARGET:
        answer = service_model.write(request.operation, answer)
    body = json.dumps(answer).encode()
    return Response(200, _content_type(request.service), body, request_id=request.id)


def error_response(service: str, error: TurkError, now: float) -> Response:
    """An error, in the form that boto3 raises as ClientError."""
    body = json.dumps(error.body(now)).encode()
    return Response(error.status, _content_type(service), body, error=error.kind)
