"""The layout of the pages, and helpers for their parts."""

from __future__ import annotations

import time
from collections.abc import Iterable
from html import escape
from typing import Any

from mturk_sandbox.money import dollars
from mturk_sandbox.web import WebRequest, WebResponse


def page(
    request: WebRequest,
    title: str,
    body: str,
    *,
    status: int = 200,
    wide: bool = False,
    bare: bool = False,
) -> WebResponse:
    """A complete page; `body` is escaped HTML.

    A `bare` page has no header, because it is shown in a task's frame inside another page.
    """
    links = ""
    if request.worker and not bare:
        links = "".join(
            f'<li><a href="{address}"{_current(request, address)}>{name}</a></li>'
            for address, name in (
                ("/worker/", "Find HITs"),
                ("/worker/dashboard/", "My work"),
                ("/worker/qualifications/", "Qualifications"),
                ("/worker/profile/", "Profile"),
            )
        )
        links = f'<nav aria-label="Worker"><ul>{links}</ul></nav>'
    who = (
        f'<form method="post" action="/worker/logout/"><span class="id">{escape(request.worker)}'
        '</span> <button class="quiet">Sign out</button></form>'
        if request.worker and not bare
        else ""
    )
    brand = '<p class="brand"><a href="/worker/">MTurk sandbox</a> <span>no real money</span></p>'
    skip = '<a class="skip" href="#main">Skip to the page</a>'
    header = "" if bare else f"{skip}\n<header>{brand}{links}{who}</header>"
    return WebResponse(
        status,
        f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)} - MTurk sandbox</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/sandbox/sandbox.css">
</head>
<body>
{header}
<main id="main"{' class="wide"' if wide else ""}>
<h1>{escape(title)}</h1>
{body}
</main>
</body>
</html>
""",
    )


def _current(request: WebRequest, address: str) -> str:
    return ' aria-current="page"' if request.path == address else ""


def error_page(request: WebRequest, message: str, status: int) -> WebResponse:
    """An error page with a link that leaves the task's frame."""
    body = (
        f'<p class="problem" role="alert">{escape(message)}</p>'
        '<p><a href="/worker/" target="_top">Back to the list of HITs</a></p>'
    )
    title = "Not possible" if status != 404 else "Not found"
    return page(request, title, body, status=status, bare=request.path.startswith("/mturk/"))


def table(caption: str, heads: Iterable[str], rows: Iterable[Iterable[Any]], none: str) -> str:
    """A table of HTML cells, or the text `none` if there are no rows."""
    row_lists = [list(row) for row in rows]
    names = list(heads)
    if not row_lists:
        return f"<h2>{escape(caption)}</h2><p>{escape(none)}</p>"
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    # The head is repeated in each cell for narrow screens, where rows become cards.
    body = "".join(
        "<tr>"
        + "".join(
            f'<td data-head="{escape(n)}">{cell}</td>' for n, cell in zip(names, row, strict=True)
        )
        + "</tr>"
        for row in row_lists
    )
    return (
        f"<table><caption>{escape(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def button(address: str, text: str, *, quiet: bool = False, **hidden: str) -> str:
    """A form with one button, because links must not change anything."""
    fields = "".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">'
        for name, value in hidden.items()
    )
    style = ' class="quiet"' if quiet else ""
    return (
        f'<form method="post" action="{escape(address)}">{fields}'
        f"<button{style}>{escape(text)}</button></form>"
    )


def money(cents: int) -> str:
    return f"{'-' if cents < 0 else ''}${dollars(abs(cents))}"


def moment(seconds: float) -> str:
    """A time in UTC as HTML."""
    text = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(seconds))
    return f'<time datetime="{text.replace(" ", "T")}Z">{text}</time>'


def span(seconds: float) -> str:
    """A duration in words: `1 hour 30 minutes`."""
    parts = []
    rest = int(seconds)
    for name, size in (("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1)):
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{count} {name}{'s' if count > 1 else ''}")
    return " ".join(parts[:2]) or "no time"
