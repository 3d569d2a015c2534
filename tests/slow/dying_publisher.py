"""A publishing process that is killed at its k-th request to the platform.

    python -m tests.slow.dying_publisher PUBLICATION K before|after

`before`: the request never leaves; `after`: the platform has done it, and nobody heard. K 0: it
lives. Whatever a killed one held counts as lapsed at once, so that no test waits for leases.
"""

from __future__ import annotations

import os
import signal
import sys
from datetime import timedelta
from typing import Any

import django

django.setup()

from annotation.crowds.models import Publication  # noqa: E402
from annotation.crowds.providers.mturk.client import MTurkClient  # noqa: E402
from annotation.crowds.services import outbox, scheduling  # noqa: E402
from tests.annotation.crowds import scenes  # noqa: E402


def main(publication: int, k: int, when: str) -> None:
    calls = 0
    real = MTurkClient.__call__

    def call(self: MTurkClient, operation: str, **parameters: Any) -> dict[str, Any]:
        nonlocal calls
        calls += 1
        if calls == k and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        answer = real(self, operation, **parameters)
        if calls == k:
            os.kill(os.getpid(), signal.SIGKILL)
        return answer

    MTurkClient.__call__ = call  # type: ignore[method-assign]
    outbox.LEASE = timedelta(0)
    with scheduling.exclusive(publication) as is_exclusive:
        assert is_exclusive
        row = Publication.objects.select_related("stage__study").get(pk=publication)
        done = scenes.send(row, first_delay=0.01)
    assert (done.left, done.failed) == (0, 0), done


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
