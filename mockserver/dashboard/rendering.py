"""Pages of the dashboard: declaration, templates, static files and response headers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache, wraps
from importlib.resources import files
from itertools import islice, takewhile
from time import perf_counter
from typing import Any, NamedTuple

from flask import Blueprint, Response, request
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from mockserver.control.framework import target
from mockserver.control.framework.compression import compressed
from mockserver.control.framework.problem import Problem
from mockserver.control.sessions import Sessions
from mockserver.core.state.behaviour import DOCUMENTED
from mockserver.core.time.clock import Clock
from mockserver.core.time.duration import spoken
from mockserver.core.workspaces.store import DEFAULT
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard import curl, names, rows
from mockserver.dashboard.addresses import absolute_root, root, server_root
from mockserver.dashboard.looks import look_of_state, look_of_status
from mockserver.resources.section import write_instant
from mockserver.web.components import component
from mockserver.web.pages.page import base_style
from mockserver.web.routing.address import DASHBOARD_PREFIX, PUBLIC_ROOT, WORKSPACE

#: The deepest level and the most members of a JSON value to show. Chosen: more than fits on a screen.
_DEEPEST = 12
_MOST = 500
#: The longest text to show, in characters.
_LONGEST = 4_000


def folded(value: Any, identifier: str = "json", depth: int = 0) -> Markup:
    """Write a JSON value as HTML. Objects and lists become `<details>`, open down to the third level.

    A value of a deeper level is given with its depth.

    Members beyond the limits of depth and number are counted, not shown.
    """
    return _Folding().write(value, identifier, depth)


class _Folding:
    """A JSON value in the making, with the number of members left to show."""

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
    what = ("field", "fields") if isinstance(value, dict) else ("item", "items")
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


#: Pages load only scripts and styles of the dashboard, and frame only addresses of the server.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {"Content-Security-Policy": _POLICY, "Referrer-Policy": "same-origin"}


class Navigation(NamedTuple):
    """Component that lists pages in navigation order."""

    pages: Sequence[Page]


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
    for command in (curl.curl, curl.service_curl, curl.control_curl):
        found.globals[command.__name__] = command
    found.globals["named"] = names.named
    found.globals["steps"] = names.STEPS
    found.globals |= {"look_of_state": look_of_state, "look_of_status": look_of_status}
    found.globals["lists"] = {each.name: each for each in rows.LISTS}
    found.filters["folded"] = folded
    return found


def answer(template: str, values: Mapping[str, Any], *, page: str = "", status: int = 200) -> Response:
    """Render a template to a response.

    Args:
        template: The file name of the template.
        values: The variables of the template.
        page: The name of the navigation entry to highlight.
        status: The HTTP status.
    """
    text = _environment().get_template(template).render({**_shared(page), **values})
    return compressed(Response(text, status, headers=_HEADERS, content_type="text/html; charset=utf-8"))


def _shared(page: str) -> dict[str, Any]:
    name = request.environ.get(WORKSPACE, DEFAULT)
    found = target.store().peek(name)
    return {
        "root": root(),
        "server_root": server_root(),
        "absolute_root": absolute_root(),
        "public_root": request.environ.get(PUBLIC_ROOT),
        "workspace": name,
        "seen": 0 if found is None else found.feed.last,
        "hour": None if found is None else _hour(found),
        "clock": "" if found is None else _clock(found.state.clock),
        "behaviour": DOCUMENTED if found is None else found.state.behaviour.preset,
        "page": page,
        "navigation": [row for row in component(Navigation).pages if row.is_listed],
        "searched": "",
        "wants_token": target.current().wants_token,
        "is_signed_in": _is_signed_in(),
    }


#: The step of the button in the header, and the most timers that it counts.
_QUARTER, _MOST_DUE = timedelta(minutes=15), 100


def _hour(workspace: Workspace) -> dict[str, Any]:
    """Return the time in a workspace and its next timer, for the header."""
    clock, timer = workspace.state.clock, workspace.state.timers.next()
    now = clock.now()
    soonest = islice(workspace.state.timers.soonest(), _MOST_DUE)
    due = sum(1 for _ in takewhile(lambda row: row.moment - now <= _QUARTER, soonest))
    found: dict[str, Any] = {
        "now": write_instant(now), "ms": unix_ms(now), "frozen": clock.frozen, "next": None,
        "due": f"{due}{'+' if due == _MOST_DUE else ''} timer{'s' if due != 1 else ''} due until then",
    }  # fmt: skip
    if timer is not None:
        left = f"in {spoken(timer.moment - now)}" if timer.moment > now else "now"
        found["next"] = {**timer._asdict(), "id": timer.id, "ms": unix_ms(timer.moment), "left": left}
    return found


def unix_ms(moment: datetime) -> int:
    """Return a moment in milliseconds since 1970, as scripts count."""
    return round(moment.timestamp() * 1000)


def _clock(clock: Clock) -> str:
    """Return the moment of a frozen clock, or the milliseconds that a running clock is ahead, for `times.js`."""
    return write_instant(clock.now()) if clock.frozen else f"{clock.offset.total_seconds() * 1000:.0f}"


def _is_signed_in() -> bool:
    sessions = component(Sessions)
    return sessions.has(request.cookies.get(sessions.cookie))


def _address_of_file(name: str) -> str:
    return f"{server_root()}{DASHBOARD_PREFIX}/static/{version_of_files()}/{name}"


#: The style of all pages of the dashboard.
_STYLE = "dashboard.css"
_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
#: The number of digest characters in an address.
_DIGITS = 12


@cache
def _contents() -> Mapping[str, bytes]:
    folder = files("mockserver.dashboard") / "static"
    found = {file.name: file.read_bytes() for file in folder.iterdir() if file.name.rpartition(".")[2] in _TYPES}
    # The shared style comes first, so that rules of the dashboard override it, and what the lists declare last.
    return found | {_STYLE: base_style().encode() + found[_STYLE] + rows.style().encode()}


@cache
def version_of_files() -> str:
    """Return the content digest used in file addresses."""
    digest = hashlib.sha256()
    for name, content in sorted(_contents().items()):
        digest.update(b"%s %d " % (name.encode(), len(content)) + content)
    return digest.hexdigest()[:_DIGITS]


def written(template: str, values: Mapping[str, Any]) -> str:
    """Render a template without the frame of a page."""
    return _environment().get_template(template).render(values)


def macro(template: str, name: str, values: Mapping[str, Any]) -> Callable[..., Markup]:
    """Return a macro of a template, which sees these variables."""
    found: Callable[..., Markup] = getattr(_environment().get_template(template).make_module(dict(values)), name)
    return found


def content_of(*names: str) -> str:
    """Return the text of static files, one after the other."""
    return "".join(_contents()[name].decode() for name in names)


def show_file(version: str, name: str) -> Response:  # only the present version exists
    """Serve a file with unlimited browser cache."""
    content = _contents().get(name)
    if content is None:
        raise Problem(404, f"the dashboard has no file {name!r}")
    kind = _TYPES[name.rpartition(".")[2]]
    return compressed(
        Response(content, content_type=kind, headers={"Cache-Control": "max-age=31536000, immutable"}),
    )


#: Returns the variables of a template, or a response.
Show = Callable[..., Mapping[str, Any] | Response]


class Page:
    """One page of the dashboard, below `/_mock/ui/<name>`."""

    def __init__(self, name: str, title: str, *, is_listed: bool = True) -> None:
        self.name = name
        self.title = title
        #: Whether the navigation lists the page.
        self.is_listed = is_listed
        self.blueprint = Blueprint(name, __name__, url_prefix=f"{DASHBOARD_PREFIX}/{name}")

    def view(self, path: str = "", template: str | None = None) -> Callable[[Show], Show]:
        """Declare a view at one address below the page.

        The decorated function gets the parameters of `path` by name. It returns the variables of the template
        (`<name>.html` by default) or a response. A `Problem` becomes an error page.
        """

        def declare(show: Show) -> Show:
            @wraps(show)
            def view(**parameters: Any) -> Response:
                began = perf_counter()
                found = show(**parameters)
                if isinstance(found, Response):
                    return found
                written = answer(template or f"{self.name}.html", found, page=self.name)
                # `live.js` polls slow pages less often.
                written.headers["Server-Timing"] = f"page;dur={(perf_counter() - began) * 1000:.1f}"
                return written

            self.blueprint.add_url_rule(path, show.__name__, view, methods=["GET"])
            return show

        return declare
