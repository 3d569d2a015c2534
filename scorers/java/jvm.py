"""Starting the JVM of a helper process."""

from __future__ import annotations

from pathlib import Path

from scorers.java.jars import jvm_library


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
