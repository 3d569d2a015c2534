"""Limits of request bodies: their length, and the bytes and lines of each file.

A request whose Content-Length is over the limit is refused before its body is read. A file is
counted while it is read, and refused as soon as it is over a limit, before it is held in memory.
Only MAX_CONCURRENT_UPLOADS threads of a process read large bodies at a time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.core.exceptions import (
    RequestDataTooBig,
    TooManyFieldsSent,
    TooManyFilesSent,
)
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.module_loading import import_string

from core.security.problem_documents import PROBLEM_JSON, problem_document

FORM_BYTES = 2 * 1024 * 1024
FORM_OVERHEAD = 64 * 1024  # of the parts' heads and the other fields, beside a file
SMALL_BODY = 64 * 1024  # any thread may read a body of this size at any time
ARCHIVES = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "a zip archive or an Office document",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstandard",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!": "a RAR archive",
}
TOO_LARGE = (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent)


class UploadRefusedError(RequestDataTooBig):
    """What is sent is too much, or not what is taken; the message is for who sends it."""


@dataclass(frozen=True)
class Limits:
    """The most that may be sent to an address: bytes in all; lines of a text and bytes of a line,
    None where it is no text. `archives`: packed files are taken, to be unpacked with care."""

    most_bytes: int = FORM_BYTES
    most_lines: int | None = None
    longest_line: int | None = None
    archives: bool = False


@dataclass(frozen=True)
class UploadTable:
    """Limits by the name of an address. All others take a form and no more."""

    by_name: Mapping[str, Callable[[], Limits]]
    otherwise: Limits = field(default_factory=Limits)

    def of(self, request: HttpRequest) -> Limits:
        found = request.resolver_match
        given = self.by_name.get(found.view_name) if found else None
        return given() if given else self.otherwise

    def max_body_bytes(self, limits: Limits) -> int:
        """The largest body under `limits`; one with a file may also hold other form fields."""
        return limits.most_bytes + (0 if limits is self.otherwise else FORM_OVERHEAD)


class UploadLimitMiddleware:
    """Refuses what is too long before it is read, and lets few large bodies in at a time."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        found = import_string(settings.UPLOAD_LIMITS)
        assert isinstance(found, UploadTable)
        self.table = found
        self.places = threading.BoundedSemaphore(settings.MAX_CONCURRENT_UPLOADS)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        try:
            return self.get_response(request)
        finally:
            if getattr(request, "has_upload_place", False):
                self.places.release()

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        limits = self.table.of(request)
        request.upload_limits = limits  # type: ignore[attr-defined]
        length = content_length(request)
        if length > self.table.max_body_bytes(limits):
            return refusal(request, UploadRefusedError(too_large(limits)))
        if length > SMALL_BODY or (length and "HTTP_EXPECT" in request.META):
            if not self.places.acquire(blocking=False):
                return _busy(request)
            request.has_upload_place = True  # type: ignore[attr-defined]
        return None

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if isinstance(error, (*TOO_LARGE, UnreadablePostError)):
            return refusal(request, error)
        return None


class CheckingUploadHandler(FileUploadHandler):
    """The first of the upload handlers: it looks at each piece of a file and hands it on.

    Raises UploadRefusedError as soon as a file is more than its address takes.
    """

    #: All pieces of all files of the request.
    received = 0

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self.lines = self.line = 0
        request = self.request
        assert request is not None
        self.limits: Limits = getattr(request, "upload_limits", Limits())

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        self.received += len(raw_data)
        if self.received > self.limits.most_bytes:
            raise UploadRefusedError(too_large(self.limits))
        if start == 0 and not self.limits.archives:
            _refuse_archive(raw_data)
        self._count_lines(raw_data)
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None

    def _count_lines(self, piece: bytes) -> None:
        most, longest = self.limits.most_lines, self.limits.longest_line
        breaks = piece.count(b"\n")
        self.lines += breaks
        if most is not None and self.lines > most:
            raise UploadRefusedError(
                f"The file has more than {most:,} lines, which is the most that is taken at once. "
                "Split it."
            )
        if longest is None:
            return
        parts = piece.split(b"\n") if breaks else [piece]
        lengths = [len(part) for part in parts]
        lengths[0] += self.line
        if max(lengths) > longest:
            raise UploadRefusedError(
                f"Line {self.lines - breaks + 1:,} or one soon after it has more than "
                f"{longest:,} bytes. Put each row on a line of its own."
            )
        self.line = lengths[-1]


def content_length(request: HttpRequest) -> int:
    """What the request says of its body's length. A body that does not say has none here: Django
    reads nothing of it."""
    try:
        return max(0, int(request.META.get("CONTENT_LENGTH") or 0))
    except ValueError:
        return 0


def too_large(limits: Limits) -> str:
    return (
        f"What was sent is larger than the {_size(limits.most_bytes)} that are taken here. Split "
        "it, or make it shorter."
    )


def refusal(request: HttpRequest, error: Exception) -> HttpResponse:
    """The answer to a body that is not taken: 413, or 408 where it came too slowly."""
    if isinstance(error, UnreadablePostError):
        return _told(request, 408, "That came too slowly", "The upload broke off. Send it again.")
    said = "What was sent is more than is taken at once. Split it, and send it in parts."
    if isinstance(error, UploadRefusedError):
        said = str(error)
    return _told(request, 413, "That is too much", f"{said} Nothing was changed.")


def _busy(request: HttpRequest) -> HttpResponse:
    said = "Others are uploading at the moment. Wait a little and send it again."
    response = _told(request, 503, "Try again in a moment", said)
    response["Retry-After"] = "10"
    return response


def _told(request: HttpRequest, status: int, title: str, said: str) -> HttpResponse:
    response: HttpResponse
    if request.path_info.startswith("/api/"):
        problem = problem_document(request, status, title, said)
        response = JsonResponse(problem, status=status, content_type=PROBLEM_JSON)
    elif request.content_type == "application/json":
        response = JsonResponse({"error": said}, status=status)
    else:
        shown = {"heading": title, "message": said}
        response = render(request, "upload_refused.html", shown, status=status)
    return response


def _refuse_archive(head: bytes) -> None:
    for magic, what in ARCHIVES.items():
        if head.startswith(magic):
            raise UploadRefusedError(f"The file is packed ({what}). Unpack it and send the text.")


def _size(number: int) -> str:
    return f"{number / 2**20:.0f} MB" if number >= 2**20 else f"{number:,} bytes"
