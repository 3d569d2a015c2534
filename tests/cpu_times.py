"""A plugin for pytest that prints the CPU time of each file of tests: `pytest -p tests.cpu_times`.

All processes that descend from the tests' are counted: PostgreSQL, Java, workers, browsers. Other
work on the machine makes the figures larger. It needs a run without `-n`.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator
from contextlib import suppress

import psutil
import pytest

LINES = 40
_seconds: Counter[str] = Counter()


def _spent() -> float:
    """The CPU seconds so far of this process and of all that descend from it."""
    spent = sum(os.times()[:4])
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            times = process.cpu_times()
            spent += times.user + times.system + times.children_user + times.children_system
    return spent


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    before = _spent()
    result = yield
    _seconds[item.path.relative_to(item.config.rootpath).as_posix()] += _spent() - before
    return result


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.section("CPU seconds by file")
    for file, seconds in _seconds.most_common(LINES):
        terminalreporter.line(f"{seconds:8.1f}  {file}")
