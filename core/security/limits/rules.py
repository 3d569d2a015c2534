"""Which requests are counted, by whom, and under which of the rates in settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.module_loading import import_string

from core.security.limits import rates
from core.security.limits.rates import Rate

Caller = Callable[[HttpRequest], str]
UNSAFE = frozenset({"POST", "PUT", "PATCH", "DELETE"})


@dataclass(frozen=True)
class Rule:
    """Requests that match are counted by `who`, under the rate that RATE_LIMITS has for `name`.

    A request matches by its address's name in `names`, or by the beginning of its path, and by its
    method. `forgiven` says, from the answer, which of those let through do not count after all.
    """

    name: str
    who: Caller
    names: frozenset[str] = frozenset()
    prefix: str = ""
    methods: frozenset[str] = UNSAFE
    forgiven: Callable[[HttpRequest, HttpResponseBase], bool] | None = field(default=None)

    def matches(self, request: HttpRequest) -> bool:
        if request.method not in self.methods:
            return False
        if self.prefix and request.path_info.startswith(self.prefix):
            return True
        found = request.resolver_match
        return found is not None and found.view_name in self.names

    @property
    def rate(self) -> Rate | None:
        return rate_of(self.name)


@dataclass(frozen=True)
class Rules:
    """All rules. A request that matches none of `special` is counted under `otherwise`, if it
    writes."""

    special: tuple[Rule, ...]
    otherwise: Rule

    def matching(self, request: HttpRequest) -> list[Rule]:
        found = [rule for rule in self.special if rule.matches(request)]
        if not found and request.method in UNSAFE:
            return [self.otherwise]
        return found


def rate_of(name: str) -> Rate | None:
    """The rate that settings give a rule; None where it has no limit.

    Raises ImproperlyConfigured for one that cannot be read.
    """
    return _parsed(name, settings.RATE_LIMITS[name])


def installed() -> Rules:
    """The rules that settings name."""
    found = import_string(settings.RATE_LIMIT_RULES)
    assert isinstance(found, Rules)
    return found


@cache
def _parsed(name: str, text: str) -> Rate | None:
    try:
        return rates.parse(text)
    except ValueError as error:
        raise ImproperlyConfigured(
            f"RATE_LIMIT_{name.upper().replace('-', '_')}: {error}"
        ) from error
