"""Gunicorn's settings, for `make run` and for production: `gunicorn -c python:config.web.server
config.wsgi`. WEB_WORKERS processes with WEB_THREADS threads each.

A thread serves one request at a time, and an open event stream holds one; what is slow to arrive
holds none (see `worker`). TLS is spoken by the proxy in front.
"""

from __future__ import annotations

from environs import Env

_env = Env()

wsgi_app = "config.wsgi"
workers = _env.int("WEB_WORKERS", 2, validate=lambda n: n >= 1)
threads = _env.int("WEB_THREADS", 16, validate=lambda n: n >= 4)
worker_class = "config.web.worker.PatientWorker"
worker_connections = 1000
timeout = 60  # of a process whose main loop gives no sign of life
graceful_timeout = 15
keepalive = 5
limit_request_line = 8190
limit_request_fields = 100
limit_request_field_size = 8190
logger_class = "config.web.log.PrivateLogger"
accesslog = "-"
access_log_format = "%(t)s %(m)s %(U)s %(s)s %(B)s %(M)sms"
control_socket_disable = True
