"""What a browser sends for a form of a page, as the HTML standard says."""

from __future__ import annotations

from html.parser import HTMLParser


def sent_by_browser(html: str, holding: str = "question") -> dict[str, str]:
    """The data of the form that has a field named `holding`, submitted as it was shown."""
    reader = _Reader()
    reader.feed(html)
    (form,) = (one for one in reader.forms if holding in one)
    return form


class _Reader(HTMLParser):
    """Collects the fields of each form; those outside of one go to the first."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[dict[str, str]] = [{}]
        self.textarea: tuple[str, list[str]] | None = None
        self.select: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        name = attributes.get("name", "")
        if tag == "form":
            self.forms.append({})
        elif tag == "textarea":
            self.textarea = (name, [])
        elif tag == "select":
            self.select = name
        elif tag == "option" and self.select and "selected" in attributes:
            self.forms[-1][self.select] = attributes["value"]
        elif tag == "input":
            self._input(name, attributes)

    def _input(self, name: str, attributes: dict[str, str]) -> None:
        kind = attributes.get("type", "text")
        if kind in ("checkbox", "radio"):
            if "checked" in attributes:
                self.forms[-1][name] = attributes.get("value", "on")
        elif kind not in ("submit", "button", "file"):
            # A field of one line holds no line breaks.
            self.forms[-1][name] = attributes.get("value", "").replace("\n", "").replace("\r", "")

    def handle_data(self, data: str) -> None:
        if self.textarea:
            self.textarea[1].append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self.textarea:
            name, parts = self.textarea
            # The line break after the tag is not part of it; line breaks are sent as \r\n.
            text = "".join(parts).replace("\r\n", "\n").replace("\r", "\n").removeprefix("\n")
            self.forms[-1][name] = text.replace("\n", "\r\n")
            self.textarea = None
        elif tag == "select":
            self.select = None
