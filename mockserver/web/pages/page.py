"""Pages from Jinja templates, with one style, no script, and restrictive headers."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from functools import cache
from http.client import responses
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

from mockserver.core.contract.errors import ServiceError
from mockserver.core.traffic.exchange import Exchange, Header, Reply
from mockserver.core.workspaces.caller import AnonymousCaller

_HTML = "text/html; charset=utf-8"
#: The Content-Security-Policy of HTML that a user of the mock wrote: any style, but no script, form, or foreign image.
_FOREIGN = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
#: Where the value of an attribute `href` begins, whatever tag it is of. A policy does not keep Chromium from opening a
#: connection to such an address, for `<link rel=preconnect>`, or when somebody clicks on a link; what follows `#` is a
#: place of the page itself.
_ADDRESS = re.compile(r"href[\t\n\f\r ]*=[\t\n\f\r ]*[\"']?", re.IGNORECASE | re.ASCII)
#: The tags that have another page in them, which the policy does not let in, but for which a connection is opened, too.
_FRAME = re.compile(r"<(?=iframe|frame|object|embed)", re.IGNORECASE | re.ASCII)
#: The Content-Security-Policy of an answer without a page.
_EMPTY = "default-src 'none'; frame-ancestors 'none'"


@cache
def base_style() -> str:
    """Return the shared style of all pages: colours, light and dark, texts and tables."""
    return (files("mockserver.web.pages") / "base.css").read_text(encoding="utf-8")


class Pages:
    """A folder's templates with their shared style."""

    def __init__(self, package: str, folder: str, **names: Any) -> None:
        """Load templates in `folder` of `package`, whose `page.css` follows the shared style; all see `names`."""
        from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415  # most servers show no page

        loader = PackageLoader(package, folder)
        self._environment = Environment(
            loader=loader,
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        style = base_style() + loader.get_source(self._environment, "page.css")[0]
        digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
        #: The style as a source of a Content-Security-Policy.
        self.style_source = f"'sha256-{digest}'"
        self._environment.globals |= {"style": style, **names}

    def render(self, template: str, **values: Any) -> str:
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
    """Return a page for a caller, with escaped `values`.

    `sends_to` is the final redirect URL of the page's form, or None without form; `frames` allows frames of the mock.
    """
    text = _pages().render(template, workspace=caller.workspace.name, **values)
    return Reply(status, text.encode(), headers=(*_headers(_policy(sends_to, frames=frames)), *headers))


def still(template: str, workspace: str, **values: Any) -> Reply:
    text = _pages().render(template, workspace=workspace, **values)
    return Reply(200, text.encode(), headers=_headers(_policy(None)))


def document(title: str, html: str, up: str) -> Reply:
    """Return a page with trusted `html`; `up` links to the document folder."""
    text = _pages().render("document.html", title=title, text=html, up=up)
    return Reply(200, text.encode(), headers=_headers(_policy(None)))


def rendered(template: str, **values: Any) -> str:
    """Render a template, such as an e-mail, without page headers."""
    return _pages().render(template, **values)


def content(html: str) -> Reply:
    """Return user-written HTML; browsers run no script, send no form, load nothing."""
    headers = (*_headers(_FOREIGN), ("X-DNS-Prefetch-Control", "off"))
    return Reply(200, _still(html).encode(errors="replace"), headers=headers)


def _still(html: str) -> str:
    """Disable links and frames in HTML, and texts that look like them."""
    return _FRAME.sub("<no-", _ADDRESS.sub(r"\g<0>#", html))


def redirect(location: str) -> Reply:
    return Reply(302, headers=(("Location", location), *_headers(_EMPTY)))


def refusal(error: ServiceError, caller: AnonymousCaller, exchange: Exchange) -> Reply:
    """Return a page with an error, and a link to its journal entry."""
    return page(
        "refusal.html", caller,
        status=error.status,
        title=responses.get(error.status, f"Status {error.status}"),
        message=error.message,
        id=exchange.id,
        journal=f"{urlsplit(caller.visit.root).path}/_mock/ui/requests/{exchange.id}",
    )  # fmt: skip


#: What keeps a page and its address from caches and other sites. Not `no-referrer`: with that, browsers send
#: `Origin: null` with a form, and `csrf.check` would refuse it.
_PRIVATE: tuple[Header, ...] = (("Cache-Control", "no-store"), ("Referrer-Policy", "same-origin"))


def _headers(policy: str) -> tuple[Header, ...]:
    return (
        ("Content-Type", _HTML),
        ("Content-Security-Policy", policy),
        ("X-Content-Type-Options", "nosniff"),
        *_PRIVATE,
    )


def _policy(sends_to: str | None, *, frames: bool = False) -> str:
    form_action = "'none'" if sends_to is None else f"'self' {_redirect_sources(sends_to)}"
    frame = "; frame-src 'self'" if frames else ""
    return (
        f"default-src 'none'; base-uri 'none'; frame-ancestors 'none'; style-src {_pages().style_source}; "
        f"img-src data:; form-action {form_action}{frame}"
    )


def _redirect_sources(url: str) -> str:
    """Return Content-Security-Policy sources for a form that redirects to an app.

    Browsers apply the policy to all later redirects. The app's own redirects (from backend to frontend, say) are
    unknown, and some hosts, as [::1], cannot be a source; so the whole scheme is allowed.
    """
    scheme = urlsplit(url).scheme
    return "http: https:" if scheme in ("http", "https") else f"{scheme}:"
