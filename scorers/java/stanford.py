"""Stanford's PTBTokenizer inside the helper process, with one call from Python for many texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scorers.java.jars import tokeniser_jar
from scorers.java.jvm import start_jvm
from scorers.tokens import drop_punctuation


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
