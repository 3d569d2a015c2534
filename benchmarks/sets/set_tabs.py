"""The tabs of a judgment set: groups of pages."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from benchmarks.sets.models import JudgmentSet
from core.accounts.roles import Role
from core.pages.tabs import PageLink, TabGroup

CRITERIA, PAIRS = "criteria", "pairs"


@dataclass(frozen=True)
class SetPage:
    """A page in the tabs. `tab` is the value of `tab` in the context of its templates.

    by_criterion: its figures are those of one criterion, which the link passes on. role: the role
    of those who see it, None for everybody. only_with: what a set needs to have for this page, ""
    for nothing.
    """

    tab: str
    title: str
    url_name: str
    by_criterion: bool = False
    role: Role | None = None
    only_with: str = ""


# Pages of analyses are added by `add_page`.
GROUPS: dict[str, tuple[SetPage, ...]] = {
    "Set": (
        SetPage("overview", "Overview", "judgment-set"),
        SetPage("data", "Data", "set-data"),
        SetPage("runs", "Runs", "metric-runs"),
        SetPage("files", "Files", "set-files"),
    ),
    "Metrics": (
        SetPage("leaderboard", "Leaderboard", "leaderboard", by_criterion=True),
        SetPage("criteria", "Criteria", "criteria", only_with=CRITERIA),
        SetPage("systems", "Systems", "system-board", by_criterion=True),
        SetPage("pairs", "Pairs", "minimal-pairs", only_with=PAIRS),
        SetPage("errors", "Errors", "errors"),
    ),
    "Judges": (SetPage("model-judges", "Language models", "model-judges", role=Role.EDITOR),),
    "Settings": (
        SetPage("members", "Members", "set-members", role=Role.VIEWER),
        SetPage("publishing", "Publishing", "set-publishing", role=Role.VIEWER),
        SetPage("history", "History", "set-history", role=Role.VIEWER),
        SetPage("webhooks", "Webhooks", "webhooks", role=Role.VIEWER),
    ),
}


def add_page(group: str, page: SetPage, *, before: str = "") -> None:
    """Add a page to a group, before the page with the tab `before`, else as the last."""
    pages = [one for one in GROUPS[group] if one.tab != page.tab]
    tabs = [one.tab for one in pages]
    pages.insert(tabs.index(before) if before else len(pages), page)
    GROUPS[group] = tuple(pages)


def tab_groups(
    judgment_set: JudgmentSet, tab: str, *, criterion: str, contents: Collection[str]
) -> list[TabGroup]:
    """The groups of the pages that the set's viewer sees, for someone on the page `tab`.

    contents: which of CRITERIA and PAIRS the set has.
    """
    viewer = judgment_set.viewer
    groups = []
    for title, pages in GROUPS.items():
        links = tuple(
            PageLink(page.title, _url(page, judgment_set, criterion), page.tab == tab)
            for page in pages
            if (page.role is None or viewer.allows(page.role)) and page.only_with in {"", *contents}
        )
        if links:
            groups.append(TabGroup(title, links))
    return groups


def _url(page: SetPage, judgment_set: JudgmentSet, criterion: str) -> str:
    if page.tab == "webhooks":  # the page of the webhooks of all targets
        return f"{reverse(page.url_name)}?{urlencode({'about': f'set:{judgment_set.name}'})}"
    url = reverse(page.url_name, args=[str(judgment_set)])
    if page.by_criterion and criterion:
        return f"{url}?{urlencode({'criterion': criterion})}"
    return url
