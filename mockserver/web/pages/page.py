"""Pages for people: Jinja templates with one style, no script, and headers that let a browser do nothing else."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from functools import cache
from http.client import responses
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined

from mockserver.core.contract.errors import ServiceError
from mockserver.core.traffic.exchange import Exchange, Header, Reply
from mockserver.core.workspaces.caller import AnonymousCaller

_HTML = "text/html; charset=utf-8"
#: A template of somebody's: it may look as it likes, and do nothing. Images would have to come from somewhere else.
_FOREIGN = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
#: No page at all.
_EMPTY = "default-src 'none'; frame-ancestors 'none'"


class Pages:
    """The templates of a package, with the style that they share."""

    def __init__(self, package: str, folder: str, **names: Any) -> None:
        loader = PackageLoader(package, folder)
        self._environment = Environment(
            loader=loader,
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        style = loader.get_source(self._environment, "page.css")[0]
        digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
        #: The source of the style, for a Content-Security-Policy.
        self.style_source = f"'sha256-{digest}'"
        self._environment.globals |= {"style": style, **names}

    def render(self, template: str, **values: Any) -> str:
        """A page; every value is escaped."""
        return self._environment.get_template(template).render(**values)


@cache
def _pages() -> Pages:
    return Pages("mockserver.web", "pages")


def page(
    template: str,
    caller: AnonymousCaller,
    *,
    status: int = 200,
    sends_to: str | None = None,
    frames: bool = False,
    headers: tuple[Header, ...] = (),
    **values: Any,
) -> Reply:
    """A page; `sends_to` is where its form may lead in the end, if it has one, `frames` lets it show a page of ours."""
    text = _pages().render(template, workspace=caller.workspace.name, **values)
    return Reply(status, text.encode(), headers=(*_headers(_policy(sends_to, frames=frames)), *headers))


def still(template: str, workspace: str, **values: Any) -> Reply:
    """A page of a workspace that leads nowhere, whoever looks at it."""
    return Reply(
        200, _pages().render(template, workspace=workspace, **values).encode(), headers=_headers(_policy(None))
    )


def rendered(template: str, **values: Any) -> str:
    """The text of a template of ours that is no page."""
    return _pages().render(template, **values)


def content(html: str) -> Reply:
    """A template as it is, with nothing around it: no script runs, no form is sent, nothing is loaded."""
    return Reply(200, html.encode(), headers=_headers(_FOREIGN))


def redirect(location: str) -> Reply:
    """The way to another address, which the browser asks for with GET; its query may hold a secret."""
    return Reply(302, headers=(("Location", location), *_headers(_EMPTY)))


def refusal(error: ServiceError, caller: AnonymousCaller, exchange: Exchange) -> Reply:
    """A page that says what is wrong."""
    return page(
        "refusal.html", caller,
        status=error.status,
        title=responses.get(error.status, f"Status {error.status}"),
        message=error.message,
        id=exchange.id,
        journal=f"{urlsplit(caller.visit.root).path}/_mock/requests/{exchange.id}",
    )  # fmt: skip


_KEPT_SHORT: tuple[Header, ...] = (("Cache-Control", "no-store"), ("Referrer-Policy", "same-origin"))


def _headers(policy: str) -> tuple[Header, ...]:
    # Without a referrer the browser would not tell where a form comes from, and that is looked at.
    return (
        ("Content-Type", _HTML),
        ("Content-Security-Policy", policy),
        ("X-Content-Type-Options", "nosniff"),
        *_KEPT_SHORT,
    )


def _policy(sends_to: str | None, *, frames: bool = False) -> str:
    leads = "'none'" if sends_to is None else f"'self' {_ways_on(sends_to)}"
    frame = "; frame-src 'self'" if frames else ""
    return (
        f"default-src 'none'; base-uri 'none'; frame-ancestors 'none'; style-src {_pages().style_source}; "
        f"img-src data:; form-action {leads}{frame}"
    )


def _ways_on(url: str) -> str:
    """The sources of a Content-Security-Policy that let a form's answer lead to an app.

    A browser holds the policy against the whole way, redirections included. Where the app sends its users from there
    (from its backend to its frontend, say) nobody knows; and a policy has no words for all hosts, as [::1].
    """
    scheme = urlsplit(url).scheme
    return "http: https:" if scheme in ("http", "https") else f"{scheme}:"
