"""Formats of log lines, and a filter that adds fields to each record."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Any

from core.logs import context
from core.logs.privacy import without_secrets

# Loggers whose messages contain request paths.
_REQUEST_LOGGERS = ("django.", "gunicorn.")
_SERVER_FAULT = 500
_UNAVAILABLE = 503


class RecordFilter(logging.Filter):
    """Adds `request_id`, `job_id` and both as `ids`, and removes secrets from paths.

    Only faults have a traceback: a refused request is one line, and a response 503 ends with the
    error.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        ids = {"request_id": context.request_id.get(), "job_id": context.job_id.get()}
        text = "".join(f"[{name} {value}] " for name, value in ids.items() if value)
        vars(record).update(ids, ids=text)
        if record.name.startswith(_REQUEST_LOGGERS) and isinstance(record.args, tuple):
            record.args = tuple(map(_redact, record.args))
        status = vars(record).get("status_code", _SERVER_FAULT)
        if record.exc_info and (status < _SERVER_FAULT or status == _UNAVAILABLE):
            if status == _UNAVAILABLE:
                error = " ".join(str(record.exc_info[1]).split())
                record.msg, record.args = f"{record.getMessage()}: {error}", ()
            record.exc_info = record.exc_text = None
        return True


class TextFormatter(logging.Formatter):
    """A line for each record; lines of tracebacks are indented.

    Addresses and names contain what callers send: a line break in them would forge a line.
    """

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        return _printable(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: ANN401, N802 - as in logging
        lines = super().formatException(ei).splitlines()
        return "\n".join(f"  {_printable(line)}" for line in lines)


class JsonFormatter(logging.Formatter):
    """One JSON object per line, with a fixed set of fields.

    Other fields are left out: Django's records contain whole requests with their query strings.
    """

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname,
            "logger": record.name,
            **self.message(record),
        }
        line |= {name: value for name in ("request_id", "job_id") if (value := vars(record)[name])}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)

    def message(self, record: logging.LogRecord) -> dict[str, object]:
        """The fields of the message."""
        return {"message": record.getMessage()}


def _printable(text: str) -> str:
    """Characters that do not print, such as line breaks and terminals' commands, as escapes."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def _redact(argument: object) -> object:
    is_path = isinstance(argument, str) and argument.startswith("/")
    return without_secrets(argument) if is_path else argument  # type: ignore[arg-type]
