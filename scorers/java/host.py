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
from collections.abc import Callable
from typing import Any

from scorers.java import framing
from scorers.java.jars import meteor_jar
from scorers.java.jvm import start_jvm
from scorers.java.stanford import ptb_service


def meteor_service() -> Callable[[Any], Any]:
    """METEOR with `-l en -norm`, its classes called as the jar's own command line calls them.

    `{"score": [[hypothesis, [reference, ...]], ...]}` returns `[[score, statistics], ...]`;
    `{"aggregate": [statistics, ...]}` returns the score of the summed statistics. The statistics
    are METEOR's line of 23 numbers. Every score is computed from such a line, because the COCO
    scripts let the jar evaluate lines that it printed before.
    """
    # The serial collector needs less memory and leaves the other cores to metrics. The tables of
    # METEOR take 0.3 GB.
    start_jvm(meteor_jar(), "-Xmx1g", "-Xms400m", "-Xmn64m", "-XX:+UseSerialGC")
    import jpype

    array_list = jpype.JClass("java.util.ArrayList")
    stats = jpype.JClass("edu.cmu.meteor.scorer.MeteorStats")
    arguments = jpype.JArray(jpype.JString)(["-", "-", "-stdio", "-l", "en", "-norm"])
    properties = jpype.JClass("Meteor").createPropertiesFromArgs(arguments, 2)
    configuration = jpype.JClass("edu.cmu.meteor.scorer.MeteorConfiguration")(properties)
    scorer = jpype.JClass("edu.cmu.meteor.scorer.MeteorScorer")(configuration)

    def score(hypothesis: str, references: list[str]) -> tuple[float, str]:
        java_references = array_list()
        for reference in references:
            java_references.add(reference)
        line = scorer.getMeteorStats(hypothesis, java_references).toString()
        parsed = stats(line)
        scorer.computeMetrics(parsed)
        return float(parsed.score), str(line)

    def aggregate(lines: list[str]) -> float:
        total = stats()
        for line in lines:
            total.addStats(stats(line))
        scorer.computeMetrics(total)
        return float(total.score)

    def handle(request: dict[str, Any]) -> Any:
        if "score" in request:
            return [score(hypothesis, references) for hypothesis, references in request["score"]]
        return aggregate(request["aggregate"])

    return handle


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
