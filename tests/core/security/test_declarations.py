"""Every view that takes files or is counted by a rate limit of its own says so."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator

from django.conf import settings
from django.urls import resolve, reverse

from config.management.commands.nginx_limits import named_patterns
from config.rate_limits import RULES
from core.rest.operations import FORM
from core.security.declarations import cost_of

View = Callable[..., object]


def views() -> Iterator[tuple[str, View]]:
    for name, pattern in named_patterns():
        yield name, pattern.callback
    for name in ("admin:login", "admin:password_change"):
        yield name, resolve(reverse(name)).func


def takes_files(view: View) -> bool:
    """Whether a page reads files, or an operation of the API has them in its body."""
    if (kind := getattr(view, "view_class", None)) is not None:
        methods = [getattr(kind, method, None) for method in ("post", "put", "patch")]
        operations = [getattr(method, "operation", None) for method in methods]
        return any(one is not None and one.takes == FORM for one in operations)
    return "request.FILES" in inspect.getsource(inspect.unwrap(view))


def test_every_view_that_takes_files_declares_their_limits() -> None:
    taking = {name for name, view in views() if takes_files(view)}
    assert taking == {name for name, view in views() if cost_of(view).files}
    assert len(taking) >= 13


def test_every_rate_that_a_view_declares_has_a_rule_and_the_reverse() -> None:
    rules = {
        rule.of or rule.name
        for rule in RULES.special
        if not (rule.prefix or rule.route or rule.files)
    }
    assert rules == {cost_of(view).rate for _, view in views()} - {""}
    assert {rule.name for rule in (*RULES.special, RULES.default)} == settings.RATE_LIMITS.keys()
