"""Rules that assign requests to the rates in settings."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.module_loading import import_string

from core.security.declarations import cost_of
from core.security.limits import rates
from core.security.limits.callers import Callers
from core.security.limits.rates import Rate

# Every other method may change something, whatever a client calls it.
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


@dataclass(frozen=True)
class LimitRule:
    """Counts matching requests per caller, with the rate of `name` in RATE_LIMITS.

    A request matches where its view declares the rate `of`, by default `name` (see
    `core.security.declarations`), or takes `files`, by the `prefix` of its path, or by the regular
    expression `route`, which its route has.
    reads: whether requests that only read count too.
    callers: whom the request counts for; nobody: it does not count.
    is_exempt: decides from the response whether a request does not count after all.
    """

    name: str
    callers: Callable[[HttpRequest], Callers]
    of: str = ""
    files: bool = False
    prefix: str = ""
    route: str = ""
    reads: bool = False
    is_exempt: Callable[[HttpRequest, HttpResponseBase], bool] | None = field(default=None)

    def matches(self, request: HttpRequest) -> bool:
        if not self.reads and request.method in SAFE_METHODS:
            return False
        if self.prefix and request.path_info.startswith(self.prefix):
            return True
        match = request.resolver_match
        if match is None:
            return False
        if self.route:
            return re.search(self.route, match.route) is not None
        cost = cost_of(match.func)
        return cost.files is not None if self.files else cost.rate == (self.of or self.name)

    @property
    def rate(self) -> Rate | None:
        return rate_of(self.name)


@dataclass(frozen=True)
class Rules:
    """All rules. A writing request that matches none of `special` is counted under `default`."""

    special: tuple[LimitRule, ...]
    default: LimitRule

    def matching(self, request: HttpRequest) -> list[LimitRule]:
        rules = [rule for rule in self.special if rule.matches(request)]
        if not rules and request.method not in SAFE_METHODS:
            return [self.default]
        return rules


def rate_of(name: str) -> Rate | None:
    """The rate of a rule in settings; None: unlimited. Raises ImproperlyConfigured."""
    return _parse(name, settings.RATE_LIMITS[name])


def installed_rules() -> Rules:
    """The rules that settings.RATE_LIMIT_RULES names."""
    rules = import_string(settings.RATE_LIMIT_RULES)
    assert isinstance(rules, Rules)
    return rules


@cache
def _parse(name: str, text: str) -> Rate | None:
    try:
        return rates.parse(text)
    except ValueError as error:
        raise ImproperlyConfigured(
            f"RATE_LIMIT_{name.upper().replace('-', '_')}: {error}"
        ) from error
