"""Messages over a pipe: four bytes of length (big-endian), then that many bytes of UTF-8 JSON."""

from __future__ import annotations

import io
import json
import struct
from typing import Any

_LENGTH = struct.Struct(">I")
MAX_MESSAGE = 2**32 - 1


def encode(message: object) -> bytes:
    """The message as one frame. Strings must not contain lone surrogates."""
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
    if len(body) > MAX_MESSAGE:
        raise ValueError(f"a message of {len(body)} bytes is too long for one frame")
    return _LENGTH.pack(len(body)) + body


def write(pipe: io.RawIOBase, frame: bytes) -> None:
    """Write a complete frame; a raw pipe may accept it in parts."""
    view = memoryview(frame)
    while view:
        written = pipe.write(view)
        view = view[written or 0 :]


def read(pipe: io.RawIOBase) -> Any:
    """Read one message. Raises EOFError when the pipe ends before or within it."""
    (length,) = _LENGTH.unpack(_read_exactly(pipe, _LENGTH.size))
    return json.loads(_read_exactly(pipe, length))


def _read_exactly(pipe: io.RawIOBase, size: int) -> bytearray:
    buffer = bytearray(size)
    view = memoryview(buffer)
    while view:
        count = pipe.readinto(view)
        if not count:
            raise EOFError("the pipe was closed")
        view = view[count:]
    return buffer
