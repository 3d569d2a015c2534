"""Server-sent events (the HTML standard, section 9.2) over a thread of the web server each.

Threads are few, so streams are bounded: so many a process and so many a caller. A page that gets
none asks again by itself every few seconds, as it would without streams. A stream ends after a
minute; the browser opens it again, and then is asked anew whether it may.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Generator, Iterator

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from core.live.hub import HUB, Hub, State
from core.security.limits import callers

LONGEST_SECONDS = 60.0
HEARTBEAT_SECONDS = 10.0
RETRY_MILLISECONDS = 2000
MOST_A_CALLER = 4


class Places:
    """How many streams are open in this process, and whose."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: Counter[str] = Counter()

    def take(self, who: str) -> bool:
        """Whether there is a place; it is held until `give_back`."""
        with self._lock:
            full = self._open.total() >= settings.EVENT_STREAMS or self._open[who] >= MOST_A_CALLER
            self._open[who] += not full
            return not full

    def give_back(self, who: str) -> None:
        with self._lock:
            self._open[who] -= 1
            if not self._open[who]:
                del self._open[who]


PLACES = Places()


def stream(request: HttpRequest, key: str, state: State, hub: Hub = HUB) -> HttpResponseBase:
    """An event `changed` now and whenever `state` gives something else; 204, by which browsers know
    not to ask for the stream again, where all places are taken.

    `key` names what is looked at, so that many streams look once: it must say everything by which
    the state differs, such as for whom it is. A browser that comes back is told only of what it
    has not been told of.
    """
    who = callers.account(request)
    if not PLACES.take(who):
        return HttpResponse(status=204)
    known = request.headers.get("Last-Event-ID", "")
    lines = _Lines(_events(key, state, known, hub), who)
    answer = StreamingHttpResponse(lines, content_type="text/event-stream; charset=utf-8")
    answer["Cache-Control"] = "no-store"
    answer["X-Accel-Buffering"] = "no"  # nginx would keep them until it has many
    return answer


class _Lines:
    """The stream's text. Its place is given back when it is closed, read or not."""

    def __init__(self, events: Generator[str, None, None], who: str) -> None:
        self._events, self._who = events, who
        self._is_open = True

    def __iter__(self) -> Iterator[str]:
        return self._events

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._events.close()
            PLACES.give_back(self._who)

    def __del__(self) -> None:
        self.close()  # of an answer that nobody sent


def _events(key: str, state: State, known: str, hub: Hub) -> Generator[str, None, None]:
    until = time.monotonic() + LONGEST_SECONDS
    yield f"retry: {RETRY_MILLISECONDS}\n\n"
    with hub.following(key, state):
        if not connection.in_atomic_block:
            connection.close()  # the thread waits without one
        while (left := until - time.monotonic()) > 0 and not hub.is_closing:
            seen = hub.wait(key, known, min(HEARTBEAT_SECONDS, left))
            if seen == known:
                yield ": still here\n\n"  # who is gone is noticed by this failing
            else:
                known = seen
                yield f"event: changed\nid: {seen}\ndata: {seen}\n\n"
