"""Formats of log lines, and a filter that adds fields to each record."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

from core.logs import context
from core.logs.privacy import without_secrets

# Loggers whose messages contain request paths.
_REQUEST_LOGGERS = ("django.", "gunicorn.")


_UNAVAILABLE = 503


class RecordFilter(logging.Filter):
    """Adds `request_id`, `job_id` and both as `ids`, and removes secrets from paths.

    A response 503 is logged in one line, with the error in place of its traceback.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        ids = {"request_id": context.request_id.get(), "job_id": context.job_id.get()}
        text = "".join(f"[{name} {value}] " for name, value in ids.items() if value)
        vars(record).update(ids, ids=text)
        if record.name.startswith(_REQUEST_LOGGERS) and isinstance(record.args, tuple):
            record.args = tuple(map(_redact, record.args))
        if record.exc_info and vars(record).get("status_code") == _UNAVAILABLE:
            error = " ".join(str(record.exc_info[1]).split())
            record.msg, record.args = f"{record.getMessage()}: {error}", ()
            record.exc_info = record.exc_text = None
        return True


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


def _redact(argument: object) -> object:
    is_path = isinstance(argument, str) and argument.startswith("/")
    return without_secrets(argument) if is_path else argument  # type: ignore[arg-type]
