"""Turning away who comes too often: 429, with when to come again and what to do meanwhile."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.timezone import now

from core.security.limits import buckets
from core.security.limits.rates import Rate
from core.security.limits.rules import Rule, installed
from core.security.problem_documents import PROBLEM_JSON, problem_document

Counted = list[tuple[Rule, str, Rate]]


class RateLimitMiddleware:
    """Counts each request under its rules, before its body is looked at by any view."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self.rules = installed()
        for rule in (*self.rules.special, self.rules.otherwise):
            _ = rule.rate  # refuses to start with a rate that cannot be read

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        counted: Counted = getattr(request, "counted_requests", [])
        for rule, who, rate in counted:
            if rule.forgiven is not None and rule.forgiven(request, response):
                buckets.give_back(rule.name, who, rate)
        return response

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        counted: Counted = []
        request.counted_requests = counted  # type: ignore[attr-defined]
        for rule in self.rules.matching(request):
            rate, who = rule.rate, rule.who(request)
            if rate is None or not who:
                continue
            wait = buckets.take(rule.name, who, rate, at=now())
            if wait is not None:
                for other, asked_by, its_rate in counted:
                    buckets.give_back(other.name, asked_by, its_rate)
                counted.clear()
                return refusal(request, rule.name, wait)
            counted.append((rule, who, rate))
        return None


def refusal(request: HttpRequest, rule: str, wait: timedelta) -> HttpResponse:
    """The answer to one request too many: a page, or JSON to who sent or wants JSON."""
    seconds = max(1, math.ceil(wait.total_seconds()))
    said = f"Too many requests from you in a short time. Try again in {words(seconds)}."
    response: HttpResponse
    if request.path_info.startswith("/api/"):
        problem = problem_document(request, 429, "Too many requests", said)
        response = JsonResponse(problem, status=429, content_type=PROBLEM_JSON)
    elif request.content_type == "application/json" or not request.accepts("text/html"):
        response = JsonResponse({"error": said}, status=429)
    else:
        shown = {"wait": words(seconds), "rule": rule}
        response = render(request, "429.html", shown, status=429)
    response["Retry-After"] = str(seconds)
    response["Cache-Control"] = "no-store"
    return response


def words(seconds: int) -> str:
    """A wait as people say it, rounded up."""
    for length, noun in ((3600, "hour"), (60, "minute")):
        if seconds > length:
            number = math.ceil(seconds / length)
            return f"{number} {noun}s"
    return "a second" if seconds == 1 else f"{seconds} seconds"
