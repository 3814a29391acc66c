"""Writing pages of the dashboard: the templates, what all of them see, and the headers of an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from flask import Response, request
from jinja2 import Environment, PackageLoader, StrictUndefined

from mockserver.control.access.sessions import Sessions
from mockserver.control.framework import dependencies
from mockserver.core.workspaces.store import DEFAULT
from mockserver.dashboard.framework import folding, static
from mockserver.dashboard.framework.addresses import absolute_root, root, server_root
from mockserver.dashboard.framework.compression import compressed
from mockserver.dashboard.snippets import example
from mockserver.web.components import component
from mockserver.web.routing.audience import DASHBOARD_PREFIX
from mockserver.web.routing.workspace_name import WORKSPACE

#: Scripts and styles are files of the dashboard; a page loads nothing else, and shows only its own addresses in frames.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {"Content-Security-Policy": _POLICY, "Referrer-Policy": "same-origin"}


class Entry(NamedTuple):
    """A line of the navigation."""

    name: str
    title: str


class Navigation(NamedTuple):
    """The component of the dashboard that lists its pages, in order."""

    entries: Sequence[Entry]


@cache
def _environment() -> Environment:
    found = Environment(
        loader=PackageLoader("mockserver.dashboard", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.globals["static"] = _address_of_file
    for command in (example.curl, example.service_curl, example.control_curl):
        found.globals[command.__name__] = command
    found.filters["folded"] = folding.folded
    return found


def answer(template: str, values: Mapping[str, Any], *, page: str = "", status: int = 200) -> Response:
    """The answer with a template's text; `page` is the name of the page in the navigation to which it belongs."""
    text = _environment().get_template(template).render({**_shared(page), **values})
    return compressed(Response(text, status, headers=_HEADERS, content_type="text/html; charset=utf-8"))


def _shared(page: str) -> dict[str, Any]:
    """What every template sees."""
    name = request.environ.get(WORKSPACE, DEFAULT)
    found = dependencies.store().peek(name)
    return {
        "root": root(),
        "server_root": server_root(),
        "absolute_root": absolute_root(),
        "workspace": name,
        "seen": 0 if found is None else found.feed.last,
        "page": page,
        "navigation": component(Navigation).entries,
        "wants_token": dependencies.current().wants_token,
        "is_signed_in": _is_signed_in(),
    }


def _is_signed_in() -> bool:
    sessions = component(Sessions)
    return sessions.has(request.cookies.get(sessions.cookie))


def _address_of_file(name: str) -> str:
    return f"{server_root()}{DASHBOARD_PREFIX}/static/{static.version()}/{name}"
