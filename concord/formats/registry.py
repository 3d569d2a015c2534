"""Registry of format readers: a named format in, checked records out, or a FormatError."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from concord.formats import concord, evouna, kpqa, mocha, squality, thumb
from concord.formats.errors import FormatError, Problem, Problems, quoted
from concord.formats.files import SourceFile, open_files, unreadable
from concord.formats.limits import Limits
from concord.formats.options import ReadOptions
from concord.formats.reading import Reading, Watch
from concord.formats.records import JudgmentFile, PairFile
from concord.formats.sniffing import Guess, guesses

Reader = Callable[[Reading, Sequence[SourceFile], ReadOptions], None]


@dataclass(frozen=True)
class _Format:
    """A reader and the options that it takes."""

    read: Reader
    options: frozenset[str]


_JUDGMENTS = {
    "concord": _Format(concord.read_judgments, concord.OPTIONS),
    "kpqa": _Format(kpqa.read_judgments, kpqa.OPTIONS),
    "mocha": _Format(mocha.read_judgments, mocha.OPTIONS),
    "evouna": _Format(evouna.read_judgments, evouna.OPTIONS),
    "thumb": _Format(thumb.read_judgments, thumb.OPTIONS),
    "squality": _Format(squality.read_judgments, squality.OPTIONS),
}
_PAIRS = {
    "concord": _Format(concord.read_pairs, concord.PAIR_OPTIONS),
    "mocha": _Format(mocha.read_pairs, mocha.OPTIONS),
}

JUDGMENT_FORMATS: tuple[str, ...] = tuple(_JUDGMENTS)
PAIR_FORMATS: tuple[str, ...] = tuple(_PAIRS)


def read_judgments(
    paths: Sequence[Path],
    format: str,
    options: ReadOptions | None = None,
    limits: Limits | None = None,
    watch: Watch | None = None,
) -> JudgmentFile:
    """Read candidates and their judgments from one file or several of one format.

    All or nothing: whatever is wrong with a file or an option raises FormatError, which holds
    the first twenty problems with file, line and field. Candidates come in file order, their
    ids are distinct over all the files, and every score and rating is finite and on the scale.
    `watch` is told every few hundred rows how far it is; what it raises ends the reading.
    """
    reading = _read(paths, format, "judgments", options or ReadOptions(), limits or Limits(), watch)
    return JudgmentFile(reading.candidates, reading.scale, reading.report)


def read_pairs(
    paths: Sequence[Path],
    format: str,
    options: ReadOptions | None = None,
    limits: Limits | None = None,
    watch: Watch | None = None,
) -> PairFile:
    """Read minimal pairs, the first candidate scored above the second; as `read_judgments`."""
    reading = _read(paths, format, "pairs", options or ReadOptions(), limits or Limits(), watch)
    return PairFile(reading.pairs, reading.scale, reading.report)


def check_files(
    paths: Sequence[Path],
    format: str,
    kind: str,
    options: ReadOptions | None = None,
    limits: Limits | None = None,
) -> None:
    """What can be told of files of `kind` ("judgments", "pairs") without reading their rows.

    Raises FormatError for files that are none, are too large, are no UTF-8 or bear the marks of
    another format, and for options that this one does not take: as the readers do.
    """
    files = _opened(paths, format, kind, options or ReadOptions(), limits or Limits())
    for file in files:
        file.check_encoding()


def _read(
    paths: Sequence[Path],
    format: str,
    kind: str,
    options: ReadOptions,
    limits: Limits,
    watch: Watch | None,
) -> Reading:
    files = _opened(paths, format, kind, options, limits)
    counted = "pairs" if kind == "pairs" else "candidates"
    try:
        reading = Reading(format, files, limits, counted, watch)
        _formats(kind)[format].read(reading, files, options)
    except OSError as error:
        raise unreadable(error, [file.path for file in files]) from error
    reading.finish()
    return reading


def _opened(
    paths: Sequence[Path], format: str, kind: str, options: ReadOptions, limits: Limits
) -> list[SourceFile]:
    formats = _formats(kind)
    if format not in formats:
        message = f"{quoted(format)} is no format of {kind}; choose one of {', '.join(formats)}"
        raise FormatError([Problem("", None, "format", message)])
    options.check(format, formats[format].options, limits)
    every = [Path(path) for path in paths]
    try:
        files = open_files(every, limits)
    except OSError as error:
        raise unreadable(error, every) from error
    _refuse_other_formats(files, Guess(kind, format))
    return files


def _formats(kind: str) -> dict[str, _Format]:
    return _PAIRS if kind == "pairs" else _JUDGMENTS


def _refuse_other_formats(files: list[SourceFile], wanted: Guess) -> None:
    """Refuse files that bear the marks of other formats and not of the one wanted.

    A file that bears no marks goes on to the reader, which says what it misses.
    """
    problems = Problems()
    for file in files:
        found = guesses(file.head)
        if found and wanted not in found:
            message = f"this looks like {found[0]}; use {found[0].command}"
            problems.add(file.name, None, None, message)
    problems.raise_if_any()
