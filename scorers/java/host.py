"""The helper process: an embedded JVM that answers the parent's requests.

Run as `python -m scorers.java.host ptb|meteor PARENT_PID`. Requests come on standard input and
answers are written to the original standard output; Java's own output goes to standard error. The
process ends when its standard input ends or its parent has ended. The end of input is not enough,
because a sibling forked from the same parent may keep the pipe open. (A parent-death signal is not
suitable: Linux sends it when the *thread* that started the child ends.)
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
    # Ctrl-C in a terminal signals the whole process group; the parent handles it.
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
    # Exit at once, because a regular JVM shutdown is slow and there is nothing to save.
    os._exit(0)


def _exit_when_orphaned(parent: int) -> None:
    """End this process when its parent has ended."""
    while os.getppid() == parent:
        time.sleep(_PARENT_CHECK_SECONDS)
    os._exit(1)


if __name__ == "__main__":
    main()
