"""A report of coverage as an HTML page: one file without scripts, which loads nothing else."""

from __future__ import annotations

from functools import cache

from mockserver.coverage.contract import PointKind
from mockserver.coverage.report import Report, counted, total
from mockserver.web.pages.page import Pages

#: What the page calls a point, by its kind.
_KINDS = {
    PointKind.STATUSES: "status",
    PointKind.CODES: "code",
    PointKind.FIELDS: "field",
    PointKind.TRANSITIONS: "event",
}


def to_html(found: Report) -> str:
    """A report as HTML."""
    return _pages().render("page.html", report=found)


def policy() -> str:
    """The value of the page's Content-Security-Policy, which allows its own style and `data:` images only."""
    nothing = "; ".join(f"{name} 'none'" for name in ("default-src", "base-uri", "form-action", "frame-ancestors"))
    return f"{nothing}; style-src {_pages().style_source}; img-src data:"


@cache
def _pages() -> Pages:
    return Pages("mockserver.coverage", ".", kinds=_KINDS, total=total, counted=counted)
