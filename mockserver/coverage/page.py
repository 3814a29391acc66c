"""A report as a page: one file without scripts, which asks for nothing else."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from mockserver.coverage.contract import Kind
from mockserver.coverage.report import Report, total

_KINDS = {
    Kind.STATUSES: "status",
    Kind.CODES: "code",
    Kind.FIELDS: "field",
    Kind.TRANSITIONS: "event",
}


def to_html(found: Report) -> str:
    """The report."""
    return _environment().get_template("page.html").render(report=found, style=_style())


def policy() -> str:
    """The page's Content-Security-Policy: its own style, and nothing besides."""
    digest = b64encode(hashlib.sha256(_style().encode()).digest()).decode()
    nothing = "; ".join(f"{name} 'none'" for name in ("default-src", "base-uri", "form-action", "frame-ancestors"))
    return f"{nothing}; style-src 'sha256-{digest}'; img-src data:"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("mockserver.coverage", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals |= {"kinds": _KINDS, "total": total}
    return environment


@cache
def _style() -> str:
    environment = _environment()
    assert environment.loader is not None
    return environment.loader.get_source(environment, "page.css")[0]
