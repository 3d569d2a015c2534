"""What a caller may ask of a reader."""

from __future__ import annotations

from dataclasses import dataclass, fields

from concord.formats.errors import FormatError, Problem, quoted
from concord.formats.fields import text_fault
from concord.formats.limits import Limits


@dataclass(frozen=True)
class ReadOptions:
    """Options of the readers; each format takes some of them (see `formats.registry`).

    systems: names of the equal parts of the file, in file order (kpqa).
    references: use the first so many reference columns (kpqa).
    criterion: which of several judged qualities to read (thumb, squality).
    reference_system: the system whose answers are the references (thumb, squality).
    split, constituent: given to every instance that the file itself leaves without.
    unscored_pairs: minimal pairs may come without scores, the first meant to be better (concord).
    """

    systems: tuple[str, ...] = ()
    references: int | None = None
    criterion: str | None = None
    reference_system: str | None = None
    split: str | None = None
    constituent: str | None = None
    unscored_pairs: bool = False

    def check(self, format: str, known: frozenset[str], limits: Limits) -> None:
        """Raise FormatError for options that `format` does not take, and for unfit names."""
        takes = ", ".join(sorted(known)) or "no options"
        problems = []
        for option in fields(self):
            value = getattr(self, option.name)
            if value != option.default and option.name not in known:
                message = f"the format {format} does not take it; it takes {takes}"
                problems.append(Problem("", None, option.name, message))
            for name in value if isinstance(value, tuple) else (value,):
                if isinstance(name, str) and (fault := text_fault(name, limits.max_name_chars)):
                    problems.append(Problem("", None, option.name, fault))
        if problems:
            raise FormatError(problems)

    def chosen_criterion(self, criteria: tuple[str, ...]) -> str:
        """The criterion, which must be one of a format's; raises FormatError."""
        if self.criterion in criteria:
            return self.criterion
        found = "" if self.criterion is None else f"{quoted(self.criterion)} is none; "
        message = f"{found}choose one of {', '.join(criteria)}"
        raise FormatError([Problem("", None, "criterion", message)])
