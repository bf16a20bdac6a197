"""Pages of a site, read as a browser reads them."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any


class SitePage(HTMLParser):
    """The figures of a page, and all of its tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.figures: list[tuple[str, float]] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.tags.append((tag, told))
        if tag == "data" and told.get("data-at"):
            self.figures.append((str(told["data-at"]), float(str(told["value"]))))

    def handle_data(self, data: str) -> None:
        self.text += data


def at(content: Any, pointer: str) -> Any:
    """Return what a JSON pointer leads to."""
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        content = content[int(step)] if isinstance(content, list) else content[step]
    return content
