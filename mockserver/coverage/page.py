"""A report as a page: one file without scripts, which asks for nothing else."""

from __future__ import annotations

from functools import cache

from mockserver.coverage.contract import PointKind
from mockserver.coverage.report import Report, total
from mockserver.web.pages.page import Pages

_KINDS = {
    PointKind.STATUSES: "status",
    PointKind.CODES: "code",
    PointKind.FIELDS: "field",
    PointKind.TRANSITIONS: "event",
}


def to_html(found: Report) -> str:
    """The report."""
    return _pages().render("page.html", report=found)


def policy() -> str:
    """The page's Content-Security-Policy: its own style, and nothing besides."""
    nothing = "; ".join(f"{name} 'none'" for name in ("default-src", "base-uri", "form-action", "frame-ancestors"))
    return f"{nothing}; style-src {_pages().style_source}; img-src data:"


@cache
def _pages() -> Pages:
    return Pages("mockserver.coverage", ".", kinds=_KINDS, total=total)
