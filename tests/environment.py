"""Environment of the tests, loaded before Django's settings: separate embedded servers and data."""

import gc
import os
import pathlib
import signal

# A shell that starts pytest in the background makes it ignore SIGINT, which child processes would
# inherit.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Garbage need not be collected as often as in a process that must stay small: the imports and the
# collection of the tests make millions of objects that stay.
gc.set_threshold(20_000, 20, 50)

HERE = pathlib.Path(__file__).resolve().parent
os.environ.setdefault("CONCORD_VAR", str(HERE.parent / "var" / "test"))
# Each parallel test process has its own servers and data.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ["CONCORD_VAR"] += "-" + os.environ["PYTEST_XDIST_WORKER"]
    os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("SCORING_LEASE_SECONDS", "3")
# Playwright's event loop runs in the main thread, in which tests also use the database.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
