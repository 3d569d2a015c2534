"""The child process: one JVM, embedded, answering the parent's requests.

Run as `python -m scorers.java.host ptb|meteor PARENT_PID`. Requests come on standard input and
answers leave on what was standard output; anything Java itself prints goes to standard error.
The process ends when its standard input ends, and when its parent is gone: a sibling forked from
the same parent can hold the other end of the pipe open, so the end of input is not enough. (A
parent-death signal would not do: Linux sends it when the *thread* that started the child ends.)
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

from scorers.java import framing
from scorers.java.meteor import meteor_service
from scorers.java.stanford import ptb_service

_PARENT_CHECK_SECONDS = 0.5


def main() -> None:
    """Serve until the input ends."""
    # Ctrl-C in a terminal reaches the whole group; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    service, parent = sys.argv[1], int(sys.argv[2])
    requests = os.fdopen(os.dup(0), "rb", buffering=0)
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    threading.Thread(target=_exit_when_orphaned, args=(parent,), daemon=True).start()
    handle = {"ptb": ptb_service, "meteor": meteor_service}[service]()
    while True:
        try:
            request = framing.read(requests)
        except EOFError:
            break
        try:
            answer = {"result": handle(request)}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        try:
            framing.write(answers, framing.encode(answer))
        except BrokenPipeError:
            break
    # Leave at once: an orderly JVM shutdown has nothing to save and takes a while.
    os._exit(0)


def _exit_when_orphaned(parent: int) -> None:
    """End this process once its parent is another than the one that started it."""
    while os.getppid() == parent:
        time.sleep(_PARENT_CHECK_SECONDS)
    os._exit(1)


if __name__ == "__main__":
    main()
