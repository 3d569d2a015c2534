"""Loaded by pytest before Django's settings: tests have embedded servers and data of their own."""

import os
import pathlib
import signal

# A shell that starts pytest in the background has it ignore Ctrl-C, and so would every process
# that a test starts and then interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

HERE = pathlib.Path(__file__).resolve().parent
os.environ.setdefault("CONCORD_VAR", str(HERE.parent / "var" / "test"))
# Each of the processes that run tests side by side has servers and data of its own.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ["CONCORD_VAR"] += "-" + os.environ["PYTEST_XDIST_WORKER"]
    os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("SCORING_LEASE_SECONDS", "3")
# Playwright's loop runs in the main thread while tests use the database from it.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
