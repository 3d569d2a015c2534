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
from collections.abc import Callable
from typing import Any

from scorers.java import framing
from scorers.java.jars import jvm_library, meteor_jar, tokeniser_jar

_PARENT_CHECK_SECONDS = 0.5


def main() -> None:
    """Serve until the input ends."""
    # Ctrl-C in a terminal reaches the whole group; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    service, parent = sys.argv[1], int(sys.argv[2])
    requests = os.fdopen(os.dup(0), "rb", buffering=0)
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    threading.Thread(target=_exit_with, args=(parent,), daemon=True).start()
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


def _exit_with(parent: int) -> None:
    """End this process once its parent is another than the one that started it."""
    while os.getppid() == parent:
        time.sleep(_PARENT_CHECK_SECONDS)
    os._exit(1)


def start_jvm(jar: str, *options: str) -> None:
    """Start the JVM of this process with one jar on its class path."""
    import jpype

    jpype.startJVM(
        str(jvm_library()),
        "-Xrs",  # leave the signals to us
        "-Duser.language=en",  # lower-casing must not follow the machine's locale
        "-XX:+ExitOnOutOfMemoryError",  # a JVM short of memory is no use: die, be restarted
        "--enable-native-access=ALL-UNNAMED",
        *options,
        classpath=[jar],
    )


def ptb_service() -> Callable[[Any], list[str]]:
    """Stanford's tokeniser: a list of one-line texts to lower-cased tokens joined by spaces."""
    start_jvm(str(tokeniser_jar()), "-Xmx512m", "-Xmn128m", "-XX:+UseSerialGC")
    import jpype

    tokenizer = jpype.JClass("edu.stanford.nlp.process.PTBTokenizer")
    words = jpype.JClass("edu.stanford.nlp.process.WordTokenFactory")()
    join = jpype.JClass("edu.stanford.nlp.util.StringUtils").join
    reader = jpype.JClass("java.io.StringReader")
    english = jpype.JClass("java.util.Locale").ENGLISH
    # What the command line's -preserveLines sets; characters the lexer does not know are deleted
    # as by default, but without a warning on standard error for each.
    options = jpype.JString("tokenizeNLs=true,untokenizable=noneDelete")

    def tokenise(texts: list[str]) -> list[str]:
        return [
            _python_string(
                join(tokenizer(reader(text), words, options).tokenize()).toLowerCase(english)
            )
            for text in texts
        ]

    return tokenise


def meteor_service() -> Callable[[Any], Any]:
    """METEOR 1.5 with `-l en -norm`, called as the jar's own command line calls it.

    `{"score": [[hypothesis, [reference, ...]], ...]}` gives `[[score, statistics], ...]`;
    `{"aggregate": [statistics, ...]}` gives the score of the summed statistics. The statistics
    are METEOR's own line of 23 numbers, and every score is computed from such a line, as it is
    when the COCO scripts ask the jar to evaluate lines it printed before.
    """
    start_jvm(str(meteor_jar()), "-Xmx2g")
    import jpype

    array_list = jpype.JClass("java.util.ArrayList")
    stats = jpype.JClass("edu.cmu.meteor.scorer.MeteorStats")
    arguments = jpype.JArray(jpype.JString)(["-", "-", "-stdio", "-l", "en", "-norm"])
    properties = jpype.JClass("Meteor").createPropertiesFromArgs(arguments, 2)
    configuration = jpype.JClass("edu.cmu.meteor.scorer.MeteorConfiguration")(properties)
    scorer = jpype.JClass("edu.cmu.meteor.scorer.MeteorScorer")(configuration)

    def score(hypothesis: str, references: list[str]) -> tuple[float, str]:
        listed = array_list()
        for reference in references:
            listed.add(reference)
        line = scorer.getMeteorStats(hypothesis, listed).toString()
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


def _python_string(text: Any) -> str:
    """A Java string as Python's; half a surrogate pair becomes "?", as Java prints it."""
    try:
        return str(text)
    except UnicodeDecodeError:
        return bytes(text.getBytes("UTF-8")).decode()


if __name__ == "__main__":
    main()
