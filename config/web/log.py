"""The log of the web server, without IP addresses and secrets."""

from __future__ import annotations

import logging

from environs import FileAwareEnv
from gunicorn.glogging import Logger

from core.logs.lines import JsonFormatter, RecordFilter, TextFormatter
from core.logs.middleware import HEADER
from core.logs.privacy import without_secrets

_env = FileAwareEnv(strip_whitespace=True)
REQUEST_ID = f"{{{HEADER.lower()}}}o"  # as gunicorn names a header of the response


class PrivateLogger(Logger):  # type: ignore[misc]
    """Gunicorn's logger with redacted paths, in the format LOG_FORMAT."""

    def setup(self, cfg: object) -> None:
        super().setup(cfg)
        formatters: tuple[logging.Formatter, logging.Formatter] = (
            (JsonFormatter(), AccessJson())
            if _env.str("LOG_FORMAT", "text") == "json"
            else (TextFormatter(self.error_fmt, self.datefmt), TextFormatter(self.access_fmt))
        )
        for log, formatter in zip((self.error_log, self.access_log), formatters, strict=True):
            for handler in log.handlers:
                handler.addFilter(RecordFilter())
                handler.setFormatter(formatter)

    def atoms(
        self, resp: object, req: object, environ: object, request_time: object
    ) -> dict[str, str]:
        atoms: dict[str, str] = super().atoms(resp, req, environ, request_time)
        atoms["U"] = without_secrets(atoms.get("U") or "")
        return atoms


class AccessJson(JsonFormatter):
    """An access log line as JSON, with the fields of access_log_format."""

    def message(self, record: logging.LogRecord) -> dict[str, object]:
        atoms = record.args
        assert isinstance(atoms, dict)
        return {
            "request_id": atoms[REQUEST_ID],
            "method": atoms["m"],
            "path": atoms["U"],
            "status": int(atoms["s"]),
            "bytes": atoms["B"],
            "milliseconds": atoms["M"],
        }
