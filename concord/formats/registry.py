"""Registry of format readers."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from concord.formats import (
    concord,
    concord_pairs,
    parquet,
    span_judgments,
)
from concord.formats.collector import ProgressCallback, RecordCollector
from concord.formats.dataset_folder import has_part, parquet_files
from concord.formats.detection import (
    DetectedFormat,
    Fit,
    concord_fault,
    detect_formats,
    find_fits,
    fits_of,
    unfit_reason,
)
from concord.formats.errors import MAX_SHOWN_PROBLEMS, FormatError, Problem, Problems, quote
from concord.formats.files import TEXT, SourceFile, open_files, printable_path, unreadable_error
from concord.formats.limits import Limits
from concord.formats.options import USER_OPTIONS, ReadOptions
from concord.formats.recipes import RECIPES, FormatRecipe, assigned
from concord.formats.recipes import judgments as recipe_judgments
from concord.formats.recipes import pairs as recipe_pairs
from concord.formats.recipes.shapes import recipe_of_shape
from concord.formats.records import JudgmentFile, PairFile
from concord.formats.tables import TABLE_FILES
from concord.formats.texts import read_texts
from concord.formats.unpacking import accept_encoding, unpacked

Reader = Callable[[RecordCollector, Sequence[SourceFile], ReadOptions], None]


@dataclass(frozen=True)
class _Format:
    """A reader, the options that it accepts, and the kinds of binary files that it reads.

    recipe: what `read` follows, if it is a recipe.
    """

    read: Reader
    options: frozenset[str]
    binary: frozenset[str] = frozenset()
    recipe: FormatRecipe | None = None


def _recipe_format(recipe: FormatRecipe) -> _Format:
    read = recipe_pairs.read_pairs if recipe.kind == "pairs" else _read_candidates
    return _Format(partial(read, recipe), _options_of(recipe), TABLE_FILES, recipe=recipe)


def _read_candidates(
    recipe: FormatRecipe,
    collector: RecordCollector,
    files: Sequence[SourceFile],
    options: ReadOptions,
) -> None:
    texts = None if options.texts is None else read_texts(collector, options.texts)
    recipe_judgments.read_judgments([(recipe, files)], collector, options, texts)


def _name_in_kind(recipe: FormatRecipe) -> str:
    """The name of a recipe among those of its kind."""
    return recipe.name.removesuffix(_PAIRS_SUFFIX) if recipe.kind == "pairs" else recipe.name


def _options_of(recipe: FormatRecipe) -> frozenset[str]:
    options = {"sheet", "split", "constituent"}
    if recipe.kind == "pairs":
        return frozenset(options | {"for_ranking"})
    if recipe.reference_system:
        options.add("reference_system")
    if not recipe.rows_are_ratings and "system" not in recipe.fields:
        references = recipe.fields.get("references")
        options |= {"systems", "references"} if references and references.columns else {"systems"}
    return frozenset(options | {"criterion", "order", "texts", "without_references"})


PARQUET = frozenset({"parquet"})
TABLE = assigned.TABLE
# A folder, or a zip archive of one, with Parquet files of the format `concord`.
DATASET = "dataset"
# Of a name that has both judgments and pairs, the pairs.
_PAIRS_SUFFIX = "-pairs"

_JUDGMENTS = {
    "concord": _Format(concord.read_judgments, concord.OPTIONS, PARQUET),
    "esa": _Format(span_judgments.read_esa, span_judgments.OPTIONS),
    "mqm": _Format(span_judgments.read_mqm, span_judgments.OPTIONS),
    TABLE: _Format(assigned.read_judgments, assigned.OPTIONS, TABLE_FILES),
    DATASET: _Format(concord.read_judgments, concord.OPTIONS, PARQUET),
}
_PAIRS = {
    "concord": _Format(concord_pairs.read_pairs, concord_pairs.OPTIONS, PARQUET),
    TABLE: _Format(assigned.read_pairs, assigned.PAIR_OPTIONS, TABLE_FILES),
    DATASET: _Format(concord_pairs.read_pairs, concord_pairs.OPTIONS, PARQUET),
}

for _recipe in RECIPES.values():
    if _recipe.kind == "pairs":
        _PAIRS[_name_in_kind(_recipe)] = _recipe_format(_recipe)
    else:
        _JUDGMENTS[_recipe.name] = _recipe_format(_recipe)

JUDGMENT_FORMATS: tuple[str, ...] = tuple(_JUDGMENTS)
PAIR_FORMATS: tuple[str, ...] = tuple(_PAIRS)
ALL_FORMATS: tuple[str, ...] = (
    *_JUDGMENTS,
    *(f"{name}{_PAIRS_SUFFIX}" if name in _JUDGMENTS else name for name in _PAIRS),
)


def read_judgments(
    paths: Sequence[Path],
    format: str | FormatRecipe,
    options: ReadOptions | None = None,
    limits: Limits | None = None,
    on_progress: ProgressCallback | None = None,
) -> JudgmentFile:
    """Read candidates and their judgments from one or several files of one format: the name of one,
    or a recipe.

    Raises FormatError for an invalid file or option; it lists the first twenty problems with
    file, line and field, and nothing is returned. Candidates are in file order, their ids are
    distinct over all files, and every score and rating is finite and on the scale.
    `on_progress` is called every few hundred rows; an exception in it stops the read.
    """
    collector = _read(
        paths, format, "judgments", options or ReadOptions(), limits or Limits(), on_progress
    )
    return JudgmentFile(collector.candidates, collector.scale, collector.report)


def read_pairs(
    paths: Sequence[Path],
    format: str | FormatRecipe,
    options: ReadOptions | None = None,
    limits: Limits | None = None,
    on_progress: ProgressCallback | None = None,
) -> PairFile:
    """Read pairs: minimal pairs, whose score1 is above score2, and pairs that people judged.
    Arguments as in `read_judgments`."""
    collector = _read(
        paths, format, "pairs", options or ReadOptions(), limits or Limits(), on_progress
    )
    return PairFile(collector.pairs, collector.scale, collector.report)


def check_files(
    paths: Sequence[Path],
    format: str | FormatRecipe,
    kind: str,
    options: ReadOptions | None = None,
    limits: Limits | None = None,
) -> None:
    """Check files of `kind` ("judgments", "pairs") without reading their rows.

    Raises FormatError for paths that are not files, are too large, are not in an encoding that the
    format reads or look like another format, and for options that the format does not accept.
    """
    name, chosen = _format_of(format, kind)
    with _open(paths, name, chosen, kind, options or ReadOptions(), limits or Limits()) as files:
        for file in files:
            if name == TABLE or chosen.recipe is not None:
                accept_encoding(file)
            else:
                file.check_encoding()


def find_recipes(path: Path, limits: Limits | None = None) -> list[Fit]:
    """The recipes in the box that fit a file or nearly do, the best first. Raises FormatError."""
    return find_fits(path, (one for one in RECIPES.values() if one.is_detected), limits)


def detect_recipe(path: Path, limits: Limits | None = None, kind: str = "") -> FormatRecipe | None:
    """The recipe in the box that fits a file best, if any does, and one of a kind of records before
    others. Raises FormatError."""
    if path.is_dir():
        return None
    fits = [fit.recipe for fit in find_recipes(path, limits) if fit.is_complete]
    return next((one for one in fits if one.kind == kind), fits[0] if fits else None)


def detect_any(
    path: Path, limits: Limits | None = None, options: ReadOptions | None = None, kind: str = ""
) -> str | FormatRecipe:
    """The format of a file of judgments or pairs by its content: a recipe in the box, one of `kind`
    before others, else a name in ALL_FORMATS. With the option `columns`, it is a table.

    Raises FormatError for a path that is no such file.
    """
    limits, options = limits or Limits(), options or ReadOptions()
    if not options.columns and not has_part(path, "judgments"):
        if path.is_dir():
            folders = (one for one in RECIPES.values() if one.folder)
            recipe = next((one for one in folders if any(path.glob(one.folder))), None)
        else:
            recipe = detect_recipe(path, limits, kind)
        if recipe is not None:
            return recipe
    detected = detect_format(path, limits, options)
    if detected == TABLE and not options.columns:
        (file,) = open_files([path], limits, TABLE_FILES)
        if file.kind == TEXT and file.head.lstrip().startswith(("{", "[")):
            return recipe_of_shape(file) or detected
    return detected


def detect_format(
    path: Path, limits: Limits | None = None, options: ReadOptions | None = None
) -> str:
    """As `detect_any`, among the formats without a recipe."""
    limits, options = limits or Limits(), options or ReadOptions()
    if not options.columns and has_part(path, "judgments"):
        return DATASET
    (file,) = open_files([path], limits, TABLE_FILES)
    if not options.columns:
        if file.kind == "parquet" and set(parquet.column_names(path)) >= concord.REQUIRED_FIELDS:
            return "concord"
        for detected in detect_formats(file.head) if file.kind == TEXT else ():
            return _named(detected.kind, detected.format)
    return _named("pairs" if assigned.has_pairs(file, options, limits) else "judgments", TABLE)


def _named(kind: str, format: str) -> str:
    """The name in ALL_FORMATS of a format among those of its kind."""
    return f"{format}{_PAIRS_SUFFIX}" if kind == "pairs" and format in _JUDGMENTS else format


def detect_judgments(
    path: Path, limits: Limits | None = None, options: ReadOptions | None = None
) -> str | FormatRecipe:
    """As `detect_any`, of a file that should have judgments. Raises FormatError, also for a format
    of other records."""
    detected = detect_any(path, limits, options, "judgments")
    kind, named = with_kind(detected)
    if kind != "judgments":
        name = _name_in_kind(named) if isinstance(named, FormatRecipe) else named
        message = _looks_like(DetectedFormat(kind, name), DetectedFormat("judgments", ""))
        raise FormatError([Problem(printable_path(path.name), None, None, message)])
    return detected


def with_kind(format: str | FormatRecipe) -> tuple[str, str | FormatRecipe]:
    """The kind of records of a format in ALL_FORMATS, and the format among those of its kind."""
    if isinstance(format, FormatRecipe):
        return format.kind, format
    if format in _JUDGMENTS:
        return "judgments", format
    return "pairs", format.removesuffix(_PAIRS_SUFFIX)


def accepts(format: str | FormatRecipe, option: str, kind: str = "judgments") -> bool:
    """Whether the reader of a format accepts an option; kind: "judgments" or "pairs"."""
    if isinstance(format, FormatRecipe):
        return option in _options_of(format)
    formats = _formats(kind)
    return format in formats and option in formats[format].options


def option_help(option: str, kind: str = "judgments") -> str:
    """The help text of one of USER_OPTIONS, with the formats of `kind` that accept it; "" where
    none does."""
    formats = _formats(kind).items()
    accepting = [name for name, one in formats if option in one.options and one.recipe is None]
    if any(option in one.options and one.recipe is not None for _, one in formats):
        accepting.append("recipes")
    return f"{', '.join(accepting)}: {USER_OPTIONS[option]}" if accepting else ""


def has_pairs(paths: Sequence[Path], format: str | FormatRecipe) -> bool:
    """Whether files of judgments in this format hold minimal pairs as well, for `read_pairs`."""
    return format == DATASET and all(has_part(path, "pairs") for path in paths)


def _read(
    paths: Sequence[Path],
    format: str | FormatRecipe,
    kind: str,
    options: ReadOptions,
    limits: Limits,
    on_progress: ProgressCallback | None,
) -> RecordCollector:
    name, chosen = _format_of(format, kind)
    with _open(paths, name, chosen, kind, options, limits) as files:
        counted = "pairs" if kind == "pairs" else "candidates"
        try:
            collector = RecordCollector(name, files, limits, counted, on_progress)
            with garbage_ignored():
                chosen.read(collector, files, options)
            collector.finish()
        except OSError as error:
            raise unreadable_error(error, [file.path for file in files]) from error
        except FormatError as error:
            raise _other_kind_error(error, files, DetectedFormat(kind, name)) from error
    collector.report.files = [printable_path(path) for path in paths]
    return collector


@contextmanager
def garbage_ignored() -> Iterator[None]:
    """Without the search for unused cycles: records have none, and with a million of them it takes
    a quarter of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _format_of(format: str | FormatRecipe, kind: str) -> tuple[str, _Format]:
    """The name and the reader of a format. Raises FormatError for one that is not of the kind."""
    formats = _formats(kind)
    if isinstance(format, FormatRecipe):
        if format.kind != kind:
            message = f"reads {format.kind}; {kind} are expected"
            raise FormatError([Problem("", None, f"recipe {format.name}", message)])
        return format.name, _recipe_format(format)
    if format not in formats:
        message = f"unknown format of {kind} {quote(format)}; choose one of {', '.join(formats)}"
        raise FormatError([Problem("", None, "format", message)])
    return format, formats[format]


@contextmanager
def _open(
    paths: Sequence[Path],
    name: str,
    format: _Format,
    kind: str,
    options: ReadOptions,
    limits: Limits,
) -> Iterator[list[SourceFile]]:
    options.check(name, format.options, limits)
    with ExitStack() as stack:
        all_paths = [Path(path) for path in paths]
        if name == DATASET:
            parts = [stack.enter_context(parquet_files(one, kind, limits)) for one in all_paths]
            all_paths = [path for files in parts for path in files]
        names: dict[Path, str] = {}
        if format.recipe is not None:
            if pattern := format.recipe.folder:
                all_paths = [path for one in all_paths for path in _in_folder(one, pattern)]
            inner = [stack.enter_context(unpacked(one, limits)) for one in all_paths]
            names = {part: _inner_name(one, part, parts)
                     for one, parts in zip(all_paths, inner, strict=True) for part in parts
                     if part != one}  # fmt: skip
            all_paths = [path for paths in inner for path in paths]
        try:
            files = open_files(all_paths, limits, format.binary)
        except OSError as error:
            raise unreadable_error(error, all_paths) from error
        for file in files:
            file.name = names.get(file.path, file.name)
        if name == DATASET:
            _reject_texts(files)
        elif format.recipe is not None:
            _reject_unfit(files, format.recipe, DetectedFormat(kind, name), limits)
        elif name != TABLE:
            _reject_other_formats(files, DetectedFormat(kind, name), limits)
        yield files


def _inner_name(archive: Path, part: Path, parts: Sequence[Path]) -> str:
    """The name of a file that was unpacked, in the archive."""
    name = printable_path(archive)
    return name if len(parts) == 1 else f"{name}/{printable_path(part.name)}"


def _reject_unfit(
    files: list[SourceFile], recipe: FormatRecipe, expected: DetectedFormat, limits: Limits
) -> None:
    """Reject files without the signs of a recipe."""
    problems = Problems()
    for file in files:
        if (reason := unfit_reason(recipe, file, limits)) is None:
            continue
        if detected := _detect_all(file, limits):
            reason = _looks_like(detected[0], expected)
        problems.add(file.name, None, None, reason)
    problems.raise_if_any()


def _detect_all(file: SourceFile, limits: Limits) -> list[DetectedFormat]:
    """The recipes that fit a file, which know more names each, and the formats it looks like."""
    fits = fits_of(file, RECIPES.values(), limits)
    detected = [DetectedFormat(fit.recipe.kind, _name_in_kind(fit.recipe)) for fit in fits
                if fit.is_complete]  # fmt: skip
    return [*detected, *(detect_formats(file.head) if file.kind == TEXT else [])]


def _in_folder(path: Path, pattern: str) -> list[Path]:
    """The files of a folder; a path that is none. Raises FormatError for one without files."""
    if not path.is_dir():
        return [path]
    if files := sorted(path.glob(pattern)):
        return files
    raise FormatError([Problem(printable_path(path), None, None, f"has no files {pattern}")])


def _formats(kind: str) -> dict[str, _Format]:
    return _PAIRS if kind == "pairs" else _JUDGMENTS


def _looks_like(detected: DetectedFormat, expected: DetectedFormat) -> str:
    return f"this looks like {detected}; {detected.advice(expected)}"


def _reject_texts(files: list[SourceFile]) -> None:
    problems = Problems()
    for file in files:
        if file.kind == TEXT:
            problems.add(file.name, None, None, "is no Parquet file")
    problems.raise_if_any()


def _other_kind_error(
    error: FormatError, files: list[SourceFile], expected: DetectedFormat
) -> FormatError:
    """One problem for a file of another kind, instead of more than are shown for its fields."""
    if error.total <= MAX_SHOWN_PROBLEMS or expected.format != "concord":
        return error
    problems = Problems()
    for file in files:
        if file.kind == TEXT and (fault := concord_fault(file.head, expected.kind)):
            problems.add(file.name, None, None, fault)
    return FormatError(problems.shown, problems.total) if problems.total else error


def _reject_other_formats(
    files: list[SourceFile], expected: DetectedFormat, limits: Limits
) -> None:
    """Reject files that look like another format.

    A file that looks like no format is left to the reader, which reports what is missing.
    """
    problems = Problems()
    for file in files:
        if file.kind != TEXT:
            continue
        detected = _detect_all(file, limits)
        if detected and expected not in detected:
            problems.add(file.name, None, None, _looks_like(detected[0], expected))
    problems.raise_if_any()
