"""Writing pages of the dashboard: the templates, what all of them see, and the headers of an answer."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from flask import Response, request
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from mockserver.control.framework import target
from mockserver.control.sessions import Sessions
from mockserver.core.workspaces.store import DEFAULT
from mockserver.dashboard.addresses import absolute_root, root, server_root
from mockserver.dashboard.framework import static
from mockserver.dashboard.snippets import example
from mockserver.web.components import component
from mockserver.web.routing.address import DASHBOARD_PREFIX, WORKSPACE

#: How deep a value is unfolded, and how many members it shows; chosen: more than anybody reads on a page.
_DEEPEST = 12
_MOST = 500
#: How long a text may be before it is cut; the rest is counted.
_LONGEST = 4_000


def folded(value: Any, identifier: str = "json") -> Markup:
    """A JSON value as HTML; objects and lists are `<details>`, open but for those deep down, with ids that begin alike.

    What is beyond the bounds of depth and number is counted, and not shown.
    """
    return _Folding().write(value, identifier, 0)


class _Folding:
    """One value being written, with the number of members that may still be shown."""

    def __init__(self) -> None:
        self._left = _MOST

    def write(self, value: Any, identifier: str, depth: int) -> Markup:
        if not isinstance(value, (dict, list)):
            return _scalar(value)
        if not value:
            return Markup("<code>{}</code>") if isinstance(value, dict) else Markup("<code>[]</code>")
        if depth >= _DEEPEST:
            return Markup('<span class="soft">{}, not shown</span>').format(_counted(value))
        rows = value.items() if isinstance(value, dict) else enumerate(value)
        written, shown = [], 0
        for position, (name, member) in enumerate(rows):
            if self._left <= 0:
                break
            self._left -= 1
            shown += 1
            label = Markup('<bdi class="name">{}</bdi> ').format(_cut(str(name)))
            written.append(
                Markup("<li>{}{}</li>").format(label, self.write(member, f"{identifier}-{position}", depth + 1))
            )
        if shown < len(value):
            written.append(Markup('<li class="soft">and {} more</li>').format(len(value) - shown))
        return Markup('<details id="{}" class="json"{}><summary>{}</summary><ul>{}</ul></details>').format(
            identifier, Markup(" open") if depth < 3 else "", _counted(value), Markup("").join(written)
        )


def _counted(value: dict[Any, Any] | list[Any]) -> str:
    what = ("member", "members") if isinstance(value, dict) else ("item", "items")
    return f"{len(value)} {what[len(value) != 1]}"


def _scalar(value: Any) -> Markup:
    kind = "text" if isinstance(value, str) else "plain"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return Markup('<code class="{}"><bdi>{}</bdi></code>').format(kind, _cut(text))


def _cut(text: str) -> Markup:
    if len(text) <= _LONGEST:
        return escape(text)
    return Markup('{}<span class="soft">… and {} characters more</span>').format(
        text[:_LONGEST], f"{len(text) - _LONGEST:,}"
    )


#: The shortest body that is compressed, in bytes; a shorter one fits into a packet as it is.
_SHORTEST = 1_400
#: The fastest level: a list of 200 rows takes half a millisecond, and an eighth of its length.
_LEVEL = 1


def compressed(response: Response) -> Response:
    """The response, with its body compressed if it is long and the client accepts gzip.

    A page may show a key beside a text of its address, but nobody else can have a signed-in browser ask for it: the
    cookie is `SameSite=Strict`. So lengths tell nobody anything (BREACH).
    """
    response.headers["Vary"] = "Accept-Encoding"
    body = response.get_data()
    if len(body) >= _SHORTEST and request.accept_encodings["gzip"]:
        response.set_data(gzip.compress(body, _LEVEL, mtime=0))
        response.headers["Content-Encoding"] = "gzip"
    return response


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
    found.filters["folded"] = folded
    return found


def answer(template: str, values: Mapping[str, Any], *, page: str = "", status: int = 200) -> Response:
    """The answer with a template's text; `page` is the name of the page in the navigation to which it belongs."""
    text = _environment().get_template(template).render({**_shared(page), **values})
    return compressed(Response(text, status, headers=_HEADERS, content_type="text/html; charset=utf-8"))


def _shared(page: str) -> dict[str, Any]:
    """What every template sees."""
    name = request.environ.get(WORKSPACE, DEFAULT)
    found = target.store().peek(name)
    return {
        "root": root(),
        "server_root": server_root(),
        "absolute_root": absolute_root(),
        "workspace": name,
        "seen": 0 if found is None else found.feed.last,
        "page": page,
        "navigation": component(Navigation).entries,
        "wants_token": target.current().wants_token,
        "is_signed_in": _is_signed_in(),
    }


def _is_signed_in() -> bool:
    sessions = component(Sessions)
    return sessions.has(request.cookies.get(sessions.cookie))


def _address_of_file(name: str) -> str:
    return f"{server_root()}{DASHBOARD_PREFIX}/static/{static.version()}/{name}"
