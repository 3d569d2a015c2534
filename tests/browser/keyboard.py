"""A page used by the keyboard alone; where the focus is must always be seen."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

MAX_STOPS = 150
# What has the focus, and whether its outline is seen there.
STOP = """target => {
  const on = document.activeElement;
  const line = on && getComputedStyle(on);
  const box = on && on.getBoundingClientRect();
  return {
    reached: on === target,
    stop: on ? on.outerHTML.slice(0, 120) : "",
    seen: on !== document.body && line.outlineStyle !== "none" && parseFloat(line.outlineWidth) > 0
      && box.width > 0 && box.bottom > 0 && box.top < innerHeight,
  };
}"""


def go_to(page: Page, target: Locator) -> None:
    """Press Tab until the target has the focus, from the main part of the page if it is there.

    Backwards where the target comes first, as a person does.
    """
    expect(target).to_be_visible()
    handle = target.element_handle()
    key = "Tab"
    if page.evaluate("document.activeElement === document.body"):
        # Where the address names a part of the page, Tab goes on from there.
        if "#" not in page.url and target.locator("xpath=ancestor::main").count():
            page.keyboard.press("Tab")
            expect(page.get_by_role("link", name="Skip to main content")).to_be_focused()
            page.keyboard.press("Enter")
            expect(page.locator("main")).to_be_focused()
    elif page.evaluate(
        "target => !!(document.activeElement.compareDocumentPosition(target) & 2)", handle
    ):
        key = "Shift+Tab"
    if page.evaluate("target => document.activeElement === target", handle):
        return
    stops = []
    for _ in range(MAX_STOPS):
        page.keyboard.press(key)
        at = page.evaluate(STOP, handle)
        assert at["seen"], f"{page.url}: the focus is not seen on {at['stop']}"
        if at["reached"]:
            return
        stops.append(at["stop"])
    raise AssertionError(f"{page.url}: {key} does not reach {target}; last at {stops[-5:]}")


def press(page: Page, target: Locator, key: str = "Enter") -> None:
    go_to(page, target)
    page.keyboard.press(key)


def write(page: Page, target: Locator, text: str) -> None:
    """Write over what is in the field."""
    go_to(page, target)
    page.keyboard.press("Control+a")
    page.keyboard.type(text)
    expect(target).to_have_value(text)


def choose(page: Page, target: Locator, label: str) -> None:
    """Choose an option by its first letters."""
    go_to(page, target)
    page.keyboard.type(label)
    expect(target.locator("option:checked")).to_have_text(label)
