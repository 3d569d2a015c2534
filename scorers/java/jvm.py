"""Starting the one JVM a helper process has."""

from __future__ import annotations

from pathlib import Path

from scorers.java.jars import jvm_library


def start_jvm(jar: Path, *options: str) -> None:
    """Start this process's JVM with one jar on its class path."""
    import jpype

    jpype.startJVM(
        str(jvm_library()),
        "-Xrs",  # leave the signals to us
        "-Duser.language=en",  # lower-casing must not follow the machine's locale
        "-XX:+ExitOnOutOfMemoryError",  # a JVM short of memory is no use: die, be restarted
        "--enable-native-access=ALL-UNNAMED",
        *options,
        classpath=[str(jar)],
    )
