"""A page as a test reads it: its elements with their attributes and texts, without a browser."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from urllib.parse import urljoin

#: What stands within a line of text, so that no blank separates it from its neighbours.
_INLINE = {"a", "bdi", "code", "em", "span", "strong", "time"}
_VOID = {"input", "link", "meta", "br", "hr", "img", "circle", "path", "line", "rect"}


class Element:
    """A tag with its attributes, and what stands in it."""

    def __init__(self, tag, attributes):
        self.tag, self.attributes = tag, attributes
        self.parts = []

    @property
    def text(self):
        """All text in it, with single blanks."""
        return " ".join(self.raw().split())

    def raw(self):
        """All text in it, with a blank around what makes a line of its own."""
        return "".join(
            part if isinstance(part, str) else part.raw() if part.tag in _INLINE else f" {part.raw()} "
            for part in self.parts
        )

    def below(self):
        """All elements in it, in the order of the page."""
        for part in self.parts:
            if not isinstance(part, str):
                yield part
                yield from part.below()

    def all(self, tag=None, **attributes):
        """The elements in it with a tag and attributes; `class_` stands for one of the classes, `_` for a dash."""
        wanted_class = attributes.pop("class_", None)
        wanted = {name.replace("_", "-"): value for name, value in attributes.items()}
        return [
            each
            for each in self.below()
            if tag in (None, each.tag)
            and wanted.items() <= each.attributes.items()
            and (wanted_class is None or wanted_class in each.attributes.get("class", "").split())
        ]

    def one(self, tag=None, **attributes):
        """The only such element."""
        (found,) = self.all(tag, **attributes)
        return found

    def by_id(self, identifier):
        return self.one(id=identifier)


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = [Element("", {})]

    def handle_starttag(self, tag, attrs):
        found = Element(tag, dict(attrs))
        self.open[-1].parts.append(found)
        if tag not in _VOID:
            self.open.append(found)

    def handle_startendtag(self, tag, attrs):
        self.open[-1].parts.append(Element(tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data):
        self.open[-1].parts.append(data)


def links(html, base="", tag=None):
    """Return the addresses of a page's links, scripts and styles, or of one tag, resolved from its own address."""
    reader = _Links()
    reader.feed(html)
    found = [link for its, link in reader.found if tag in (None, its)]
    return [urljoin(base, link) for link in found if not link.startswith(("#", "data:"))]


class _Links(HTMLParser):
    """Collects links, also of pages that are not well-formed."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found += [(tag, value) for name, value in attrs if name in ("href", "src") and value]


def plain(html):
    """Return the text of a page, with blanks in place of tags."""
    return " ".join(unescape(re.sub("<[^>]*>", " ", html)).split())


def read(text):
    """A page of which every element is closed."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert len(reader.open) == 1, f"<{reader.open[-1].tag}> stays open"
    return reader.open[0]
