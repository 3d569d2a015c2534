"""Send tasks for work that is stored."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.db import transaction
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)


def send_after_commit(
    deliver: Callable[[], object], *, if_away: Callable[[], object] = lambda: None
) -> None:
    """Call `deliver`, which sends tasks to the broker, when the transaction has committed.

    Without the broker the request succeeds all the same, and `if_away` is called: the work is
    stored, and workers find it within five minutes of their start. Whoever asked again would make
    it twice.
    """

    def deliver_if_possible() -> None:
        try:
            deliver()
        except OperationalError:
            logger.warning("the broker is away: workers find the stored work when they start")
            if_away()

    transaction.on_commit(deliver_if_possible)
