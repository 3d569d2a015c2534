"""One thread a process looks, once a second, whether what open pages show has changed.

Any number of streams wait for it, and hold no connection to the database meanwhile.
"""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import DatabaseError, connection

logger = logging.getLogger(__name__)
LOOK_SECONDS = 1.0
# What is shown, as any value whose text differs when the page would.
State = Callable[[], object]


@dataclass
class Topic:
    """What some streams wait for: how to look, what was seen last, how many wait."""

    state: State
    seen: str
    waiting: int = 0


class Hub:
    """The topics of a process, by their keys."""

    def __init__(self) -> None:
        self._topics: dict[str, Topic] = {}
        self._changed = threading.Condition()
        self._looks = False
        self.is_closing = False

    @contextmanager
    def following(self, key: str, state: State) -> Iterator[None]:
        """Look at the topic while the block lasts. Streams of one key see the same state."""
        first = mark(state)
        with self._changed:
            topic = self._topics.setdefault(key, Topic(state, first))
            topic.waiting += 1
            if not self._looks:
                self._looks = True
                threading.Thread(target=self._look, name="live-hub", daemon=True).start()
        try:
            yield
        finally:
            with self._changed:
                topic.waiting -= 1
                if not topic.waiting:
                    self._topics.pop(key, None)

    def wait(self, key: str, known: str, seconds: float) -> str:
        """The topic's mark, once it is another than `known`; after `seconds` at the latest."""
        with self._changed:
            self._changed.wait_for(
                lambda: self.is_closing or self._topics[key].seen != known, seconds
            )
            return self._topics[key].seen

    def _look(self) -> None:
        """The thread's life: until nobody waits any more."""
        try:
            while self._wanted():
                self._look_once()
        except BaseException:
            with self._changed:
                self._looks = False  # whoever comes next starts another
            raise

    def _wanted(self) -> bool:
        """After a pause, whether to look again."""
        time.sleep(LOOK_SECONDS)
        with self._changed:
            self._looks = bool(self._topics) and not self.is_closing
            self._changed.notify_all()
            return self._looks

    def _look_once(self) -> None:
        with self._changed:
            topics = list(self._topics.values())
        try:
            found = [(topic, mark(topic.state)) for topic in topics]
        except DatabaseError:
            logger.warning("open pages are not told of changes now", exc_info=True)
            return
        finally:
            connection.close()
        with self._changed:
            for topic, seen in found:
                topic.seen = seen
            self._changed.notify_all()


def mark(state: State) -> str:
    """A short text that differs where the state's text does."""
    return hashlib.blake2b(repr(state()).encode(), digest_size=9).hexdigest()


HUB = Hub()
