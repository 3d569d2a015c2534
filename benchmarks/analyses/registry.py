"""The kinds of analyses by name; features add theirs when the app is ready."""

from __future__ import annotations

from benchmarks.analyses.kind import AnyAnalysisKind
from benchmarks.sets import set_tabs
from benchmarks.sets.set_tabs import SetPage

KINDS: dict[str, AnyAnalysisKind] = {}


def register(*kinds: AnyAnalysisKind) -> None:
    """Add kinds to those that workers compute, the API starts and pages show, and their tabs."""
    for kind in kinds:
        KINDS[kind.name] = kind
        if kind.page is not None and kind.page.tab is not None:
            name, tab = kind.page.name, kind.page.tab
            page = SetPage(name, tab.title, name, by_criterion="criterion" in kind.reads)
            set_tabs.add_page(tab.group, page, before=tab.before)
