"""Refuse requests over a rate limit with status 429."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.timezone import now

from core.security.limits import buckets
from core.security.limits.rates import Rate
from core.security.limits.rules import LimitRule, installed_rules
from core.security.problem_documents import respond

Counted = list[tuple[LimitRule, str, Rate]]


class RateLimitMiddleware:
    """Counts each request under its rules before a view reads its body."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self.rules = installed_rules()
        for rule in (*self.rules.special, self.rules.default):
            _ = rule.rate  # an invalid rate stops the start

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        counted: Counted = getattr(request, "counted_requests", [])
        for rule, key, rate in counted:
            if rule.is_exempt is not None and rule.is_exempt(request, response):
                buckets.give_back(rule.name, key, rate)
        return response

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponseBase],
        args: object,
        kwargs: object,
    ) -> HttpResponseBase | None:
        counted: Counted = []
        request.counted_requests = counted  # type: ignore[attr-defined]
        for rule in self.rules.matching(request):
            if rule.rate is None:
                continue
            callers = [(one.key, rule.rate.times(one.share)) for one in rule.callers(request)]
            if not callers:
                continue
            wait = buckets.take(rule.name, callers, at=now())
            if wait is not None:
                for other, key, rate in counted:
                    buckets.give_back(other.name, key, rate)
                counted.clear()
                return refuse(request, rule.name, wait)
            counted += [(rule, key, rate) for key, rate in callers]
        return None


def refuse(request: HttpRequest, rule: str, wait: timedelta) -> HttpResponse:
    """The 429 response."""
    seconds = max(1, math.ceil(wait.total_seconds()))
    message = f"You have sent too many requests. Try again in {in_words(seconds)}."
    context = {"wait": in_words(seconds), "rule": rule}
    response = respond(request, 429, "Too many requests", message, "429.html", context)
    response["Retry-After"] = str(seconds)
    response["Cache-Control"] = "no-store"
    return response


def in_words(seconds: int) -> str:
    """A duration in words, rounded up."""
    for length, noun in ((3600, "hour"), (60, "minute")):
        if seconds > length:
            number = math.ceil(seconds / length)
            return f"{number} {noun}s"
    return "a second" if seconds == 1 else f"{seconds} seconds"
