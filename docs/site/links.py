"""Dead links of a built site: every link to a page, file or anchor must have its target. No page loads a picture or script of another
host."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_POINTING = {"a": "href", "link": "href", "img": "src", "script": "src", "iframe": "src", "source": "srcset"}
_LOADED = ("link", "img", "script", "iframe", "source")
"""Elements whose target a browser loads at once."""


class _Page(HTMLParser):
    """Anchors and targets of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.targets: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.anchors |= {value for key, value in attrs if key in ("id", "name") and value}
        target = found.get(_POINTING.get(tag, ""))
        if target:
            self.targets.append((tag, target))


def dead_links(site: Path) -> Iterator[str]:
    """Yields one sentence for each dead link."""
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        for tag, target in dict.fromkeys(page.targets):
            parts = urlsplit(target)
            place = path.relative_to(site).as_posix()
            if parts.scheme or parts.netloc:
                if tag in _LOADED and parts.scheme != "data":
                    yield f"{place} loads '{target}' from elsewhere"
                continue
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if there.is_dir():
                there /= "index.html"
            if not there.is_file():
                yield f"{place} points to '{target}', which is not there"
            elif parts.fragment and there in pages and unquote(parts.fragment) not in pages[there].anchors:
                yield f"{place} points to '{target}', but that page has no such anchor"
