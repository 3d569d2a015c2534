"""Parsing forms sent as multipart/form-data."""

from __future__ import annotations

from email.parser import BytesParser
from email.policy import HTTP

from mturk_sandbox.answers import Fields


def multipart_fields(content_type: str, body: bytes) -> Fields:
    """The text fields in order; a file is replaced by its name. Raises ValueError."""
    head = f"Content-Type: {content_type}\r\nMIME-Version: 1.0\r\n\r\n".encode()
    message = BytesParser(policy=HTTP).parsebytes(head + body)
    if not message.is_multipart():
        raise ValueError("not a multipart form")
    fields: Fields = []
    for part in message.iter_parts():
        name = part.get_param("name", header="content-disposition")
        if isinstance(name, str):
            payload = part.get_payload(decode=True)
            text = payload.decode("utf-8", "replace") if isinstance(payload, bytes) else ""
            fields.append((name, part.get_filename() or text))
    return fields
