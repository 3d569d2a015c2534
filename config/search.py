"""One search over sets, studies, metrics, models and the documentation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

import scorers
from annotation.studies.services import access as studies
from benchmarks.boards.services.documentation import docs_page
from benchmarks.checkpoints.services import card_of
from benchmarks.sets.services import access as sets
from concord.sentences import counted
from config.documentation.searching import find
from core.accounts.roles import SiteUser
from core.pages.queries import QueryForm, text
from core.pages.searching import MAX_WORDS, with_words
from scorers.learned.checkpoint import shipped_names

MAX_HITS = 10


class SearchQuery(QueryForm):
    q = text()


@dataclass(frozen=True)
class SearchResult:
    """One result."""

    title: str
    address: str
    note: str = ""


@dataclass(frozen=True)
class HitGroup:
    """The first results of one kind, and whether there are more."""

    name: str
    hits: list[SearchResult]
    has_more: bool


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """Results that the account may see, grouped by kind."""
    words = SearchQuery.read(request.GET)["q"].strip()
    groups = list(_groups(words, request.user)) if words else []
    return render(request, "search.html", {"words": words, "groups": groups})


def _groups(words: str, user: SiteUser) -> Iterator[HitGroup]:
    kinds: dict[str, Iterable[SearchResult]] = {
        "Judgment sets": _sets(words, user),
        "Studies": _studies(words, user),
        "Metrics": _metrics(words),
        "Learned metrics": _models(words),
        "Documentation": _documentation(words),
    }
    for name, found in kinds.items():
        hits = list(islice(found, MAX_HITS + 1))
        if hits:
            yield HitGroup(name, hits[:MAX_HITS], len(hits) > MAX_HITS)


def _sets(words: str, user: SiteUser) -> Iterator[SearchResult]:
    """The latest versions that the account may see."""
    rows = sets.sets_for(user)
    newest = rows.filter(pk__in=rows.latest_versions().values("pk"))
    matches = with_words(newest, words, ("name", "title", "description")).order_by("name")
    for one in matches[: MAX_HITS + 1]:
        yield SearchResult(
            one.label, one.get_absolute_url(), f"{one}: {counted(one.n_candidates, 'candidate')}"
        )


def _studies(words: str, user: SiteUser) -> Iterator[SearchResult]:
    """Published studies, and those on which the account has a role."""
    own = studies.studies_for(user)
    visible = own.model.objects.filter(Q(published_at__isnull=False) | Q(pk__in=own.values("pk")))
    matches = with_words(visible, words, ("slug", "title")).order_by("-created_at")
    own_keys = set(own.values_list("pk", flat=True))
    for one in matches[: MAX_HITS + 1]:
        is_own = one.pk in own_keys
        address = reverse("study" if is_own else "study-public", args=[one.slug])
        yield SearchResult(one.title, address, "yours" if is_own else "published")


def _metrics(words: str) -> Iterator[SearchResult]:
    for name in scorers.names():
        (metric,) = scorers.parse_metrics(name)
        page = docs_page(name, is_submitted=False)
        if page and _has_words(words, (name, metric.title, metric.summary, metric.family)):
            yield SearchResult(name, reverse("docs-page", args=[page]), metric.summary)


def _models(words: str) -> Iterator[SearchResult]:
    for name in shipped_names():
        card = card_of(name)
        if _has_words(words, (name, card.kind, card.description, card.notes)):
            yield SearchResult(
                name, reverse("checkpoint", args=[name]), card.description or card.notes
            )


def _documentation(words: str) -> Iterator[SearchResult]:
    for hit in find(words):
        yield SearchResult(hit.title, f"{reverse('docs')}{hit.address}", hit.excerpt)


def _has_words(words: str, texts: Iterable[str]) -> bool:
    """Whether every word occurs in one of the texts, in any case (as in `with_words`)."""
    text = "\n".join(texts).casefold()
    return all(word.casefold() in text for word in words.split()[:MAX_WORDS])
