"""Limits of request bodies: total size, and bytes and lines of each file.

A request with too large a Content-Length is refused before its body is read. Files are counted
while they are read and refused as soon as they exceed a limit. At most MAX_CONCURRENT_UPLOADS
threads of a process read large bodies, or bodies for views that take files, at a time: a small file
can take long to read.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import (
    RequestDataTooBig,
    TooManyFieldsSent,
    TooManyFilesSent,
)
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.http.response import HttpResponseBase

from core.security.declarations import UploadLimits, cost_of
from core.security.problem_documents import respond

FORM_BYTES = 2 * 1024 * 1024
FORM_OVERHEAD = 64 * 1024  # part headers and other fields of a form with a file
MAX_SMALL_BODY = 64 * 1024  # plain forms up to this size are not limited in number
ZIP = b"PK\x03\x04"
ARCHIVES = {
    b"\x1f\x8b": "gzip",
    ZIP: "a zip archive or an Office document",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstandard",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!": "a RAR archive",
}
# Files of these beginnings have no lines, where compressed files are accepted.
BINARY = (*ARCHIVES, b"PAR1")
TOO_LARGE = (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent)


class UploadRefusedError(RequestDataTooBig):
    """The upload is too large or of the wrong kind; the message is for the sender."""


# The limits of a plain form, without files.
FORM_LIMITS = UploadLimits(FORM_BYTES)


def limits_of(view: Callable[..., object]) -> UploadLimits:
    """The limits of the files that a view takes, else of a plain form."""
    files = cost_of(view).files
    return files() if files else FORM_LIMITS


def max_body_bytes(limits: UploadLimits) -> int:
    """The maximum size of a body, which may have other form fields beside a file."""
    return limits.max_bytes + (0 if limits is FORM_LIMITS else FORM_OVERHEAD)


class UploadLimitMiddleware:
    """Refuses too large bodies before they are read, and limits the number of large ones."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self.slots = threading.BoundedSemaphore(settings.MAX_CONCURRENT_UPLOADS)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        try:
            return self.get_response(request)
        finally:
            if getattr(request, "has_upload_slot", False):
                self.slots.release()

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponseBase],
        args: object,
        kwargs: object,
    ) -> HttpResponseBase | None:
        limits = limits_of(view)
        request.upload_limits = limits  # type: ignore[attr-defined]
        length = content_length(request)
        if length > max_body_bytes(limits):
            return refuse(request, UploadRefusedError(too_large(limits)))
        takes_files = limits is not FORM_LIMITS
        if length > MAX_SMALL_BODY or (length and (takes_files or "HTTP_EXPECT" in request.META)):
            if not self.slots.acquire(blocking=False):
                return _busy(request)
            request.has_upload_slot = True  # type: ignore[attr-defined]
        return None

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if isinstance(error, (*TOO_LARGE, UnreadablePostError)):
            return refuse(request, error)
        return None


class CheckingUploadHandler(FileUploadHandler):
    """The first upload handler: checks each chunk of a file and passes it on.

    Raises UploadRefusedError as soon as a file exceeds the limits of its view.
    """

    #: Bytes of all files of the request so far.
    received = 0

    def new_file(
        self,
        field_name: str,
        file_name: str,
        content_type: str,
        content_length: int | None,
        charset: str | None = None,
        content_type_extra: dict[str, bytes] | None = None,
    ) -> None:
        super().new_file(
            field_name, file_name, content_type, content_length, charset, content_type_extra
        )
        self.lines = self.line = 0
        self.has_lines = True
        request = self.request
        assert request is not None
        self.limits: UploadLimits = getattr(request, "upload_limits", FORM_LIMITS)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        self.received += len(raw_data)
        if self.received > self.limits.max_bytes:
            raise UploadRefusedError(too_large(self.limits))
        if start == 0:
            is_binary = raw_data.startswith(BINARY)
            self.has_lines = not (is_binary and (self.limits.archives or self.limits.zip))
            if not self.limits.archives:
                _check_archive(raw_data, self.limits.zip)
        if self.has_lines:
            self._check_lines(raw_data)
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None

    def _check_lines(self, chunk: bytes) -> None:
        max_lines, max_line_bytes = self.limits.max_lines, self.limits.max_line_bytes
        breaks = chunk.count(b"\n")
        self.lines += breaks
        if max_lines is not None and self.lines > max_lines:
            raise UploadRefusedError(
                f"The file has more than {max_lines:,} lines, which is the limit. Split it."
            )
        if max_line_bytes is None:
            return
        parts = chunk.split(b"\n") if breaks else [chunk]
        lengths = [len(part) for part in parts]
        lengths[0] += self.line
        if max(lengths) > max_line_bytes:
            raise UploadRefusedError(
                f"Line {self.lines - breaks + 1:,} or one of the next lines has more than "
                f"{max_line_bytes:,} bytes. Put each row on its own line."
            )
        self.line = lengths[-1]


def content_length(request: HttpRequest) -> int:
    """The Content-Length of a request; 0 if it has none, because Django then reads no body."""
    try:
        return max(0, int(request.META.get("CONTENT_LENGTH") or 0))
    except ValueError:
        return 0


def too_large(limits: UploadLimits) -> str:
    return (
        f"The upload is larger than the limit of {_size(limits.max_bytes)}. Split it, or make it "
        "shorter."
    )


def refuse(request: HttpRequest, error: Exception) -> HttpResponse:
    """The response to a refused body: 413, or 408 if it was sent too slowly."""
    if isinstance(error, UnreadablePostError):
        return _respond(
            request, 408, "The upload timed out", "The upload was interrupted. Send it again."
        )
    message = "The request is too large. Split it and send it in parts."
    if isinstance(error, UploadRefusedError):
        message = str(error)
    return _respond(request, 413, "The request is too large", f"{message} Nothing was changed.")


def _busy(request: HttpRequest) -> HttpResponse:
    message = "The server is busy with other uploads. Wait a moment and send it again."
    response = _respond(request, 503, "Try again in a moment", message)
    response["Retry-After"] = "10"
    return response


def _respond(request: HttpRequest, status: int, title: str, message: str) -> HttpResponse:
    context = {"heading": title, "message": message}
    return respond(request, status, title, message, "upload_refused.html", context)


def _check_archive(head: bytes, zip: bool) -> None:
    for magic, what in ARCHIVES.items():
        if head.startswith(magic) and not (zip and magic == ZIP):
            raise UploadRefusedError(
                f"The file is compressed ({what}). Decompress it and upload the text."
            )


def _size(number: int) -> str:
    return f"{number / 2**20:.0f} MB" if number >= 2**20 else f"{number:,} bytes"
