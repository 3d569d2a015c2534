"""Rating studies."""

from __future__ import annotations

from collections.abc import Iterator

from concord.asking import Asking, part
from concord.documents import Study


class Studies(Asking):
    """A study is given as its document, or by its slug."""

    def studies(self) -> Iterator[Study]:
        """The studies you have a role on, latest first."""
        return self._every(Study, "/studies")

    def study(self, which: Study | str) -> Study:
        return self._one(Study, _at(which))


def _at(which: Study | str) -> str:
    return f"/studies/{part(which.slug if isinstance(which, Study) else which)}"
