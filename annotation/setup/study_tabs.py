"""The tabs of a study: groups of pages, in the order of the work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from annotation.rating.services import correspondence
from annotation.setup.services import next_steps
from annotation.studies.models import Study
from core.pages.tabs import PageLink, TabGroup


@dataclass(frozen=True)
class StudyPage:
    """A page in the tabs. `tab` is the value of `tab` in the context of its templates.

    `url_name` is the page's URL name, `study-` and the tab by default. `waiting` counts what waits
    for an answer on the page.
    """

    tab: str
    title: str
    url_name: str = ""
    waiting: Callable[[Study], int] | None = None

    def url(self, study: Study) -> str:
        return reverse(self.url_name or f"study-{self.tab}", args=[study.slug])


class WebhooksPage(StudyPage):
    """The webhooks of the study, on the page for the webhooks of all targets."""

    def url(self, study: Study) -> str:
        return f"{reverse(self.url_name)}?{urlencode({'about': f'study:{study.slug}'})}"


# A group's tab opens its first page.
GROUPS: dict[str, tuple[StudyPage, ...]] = {
    "Set up": (
        StudyPage("overview", "Overview", "study"),
        StudyPage("protocol", next_steps.QUESTION),
        StudyPage("candidates", next_steps.CANDIDATES),
        StudyPage("protocol-rules", next_steps.RULES),
        StudyPage("cost", "Cost"),
    ),
    "Collect": (
        StudyPage("stages", "Stages"),
        StudyPage("sampling", "Sampling"),
        StudyPage("crowd", "Crowd"),
        StudyPage("messages", "Messages", waiting=correspondence.waiting_messages),
    ),
    "Quality": (
        StudyPage("quality", "Agreement and workers"),
        StudyPage("data", "Data"),
        StudyPage("spot-checks", "Spot checks"),
        StudyPage("adjudication", "Adjudication"),
    ),
    "Publish": (
        StudyPage("freeze", "Freeze"),
        StudyPage("publishing", "Public page"),
    ),
    "Settings": (
        StudyPage("settings", "General"),
        StudyPage("members", "Members"),
        StudyPage("privacy", "Privacy"),
        StudyPage("history", "History"),
        WebhooksPage("webhooks", "Webhooks", "webhooks"),
    ),
}


def tab_groups(study: Study, tab: str) -> list[TabGroup]:
    """All groups of the study's pages, for someone on the page `tab`. Counts what waits."""
    return [
        TabGroup(
            title,
            tuple(
                PageLink(
                    page.title,
                    page.url(study),
                    page.tab == tab,
                    page.waiting(study) if page.waiting else 0,
                )
                for page in pages
            ),
        )
        for title, pages in GROUPS.items()
    ]
