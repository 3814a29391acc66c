"""Registered OAuth apps: their redirect URIs, their users, and their authentication (contract/oauth; RFC 6749, 2.3)."""

from __future__ import annotations

import hmac
import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_plus, urlsplit

from mockserver.core.contract.errors import INVALID_CLIENT, INVALID_REQUEST
from mockserver.core.contract.operation import Role
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth.discovery import DEFAULT_SCOPES

#: A scheme (RFC 3986), except schemes that execute or embed content; `localhost` is the scheme of `localhost:80`.
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*", re.ASCII)
_REFUSED_SCHEMES = frozenset({"javascript", "data", "vbscript", "about", "blob", "file", "view-source", "localhost"})
#: A host name or number with an optional port, without characters that are special in headers.
_PLACE = re.compile(r"(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?")
_HEX = "0123456789abcdef"
#: Maximum length of an app's name in characters; a client id may be longer.
LONGEST_NAME = 100


@dataclass(slots=True, eq=False)
class App:
    client_id: str
    #: None for a public app, which cannot keep a secret.
    client_secret: str | None
    name: str
    redirect_uris: tuple[str, ...]
    scopes: tuple[str, ...]
    public: bool
    #: Name of the account that has registered the app.
    account: str

    def has_secret(self, secret: str) -> bool:
        return self.client_secret is not None and hmac.compare_digest(secret.encode(), self.client_secret.encode())


def redirect_uri_problem(uri: str) -> str | None:
    """Return why an address is not a valid redirect_uri, or None if valid."""
    if not uri.isascii() or not uri.isprintable() or " " in uri:
        return "must be ASCII without blanks"
    try:
        parts = urlsplit(uri)
        parts.port  # noqa: B018  # reading the port validates it
    except ValueError:
        return "not a URL"
    if not _SCHEME.fullmatch(parts.scheme.lower()) or parts.scheme.lower() in _REFUSED_SCHEMES:
        return "must be an absolute URL such as https://app.test/callback"
    if "#" in uri:
        return "must have no fragment (RFC 6749, 3.1.2)"
    if parts.scheme in ("http", "https") and (not _PLACE.fullmatch(parts.netloc) or "\\" in uri):
        return "must have a host, no user and no backslash"
    return None


def register(workspace: Workspace, data: dict[str, Any]) -> App:
    """Register an app; draw missing credentials, and fill in the defaults of the specification."""
    random = workspace.state.random
    public = data.get("public", False)
    client_id = data.get("client_id") or random.secret("client_id", 32, _HEX)
    app = App(
        client_id=client_id,
        client_secret=None if public else data.get("client_secret") or random.secret("client_secret", 48),
        name=data.get("name", client_id[:LONGEST_NAME]),
        redirect_uris=tuple(data.get("redirect_uris", ())),
        scopes=tuple(data.get("scopes", DEFAULT_SCOPES)),
        public=public,
        account=data.get("account") or workspace.state.first_account.name,
    )
    workspace.state.table(App)[client_id] = app
    return app


def update(workspace: Workspace, app: App, data: dict[str, Any]) -> None:
    """Change members of an app; draw a secret for an app that becomes private, drop the secret of a public app."""
    for name, value in data.items():
        setattr(app, name, tuple(value) if isinstance(value, list) else value)
    if app.public:
        app.client_secret = None
    elif app.client_secret is None:
        app.client_secret = workspace.state.random.secret("client_secret", 48)


def owner(workspace: Workspace, app: App) -> Account:
    """Return the account that has registered an app; the app is removed with this account."""
    return workspace.state.accounts[workspace.state.names[app.account]]


def access_check(workspace: Workspace, app: App) -> Callable[[Account], bool]:
    """Return a function that tells whether an account's users may authorize an app.

    All users may authorize a public app, users of the same organization a private app.
    """
    if app.public:
        return lambda account: True
    own = _organization(workspace, owner(workspace, app))
    return lambda account: _organization(workspace, account) == own


def _organization(workspace: Workspace, account: Account) -> str:
    """Return the organization id of an account; an admin account has its master's."""
    is_admin = account.role is Role.ADMIN
    return ((workspace.state.master_of(account) if is_admin else None) or account).organization_id


def authenticate(workspace: Workspace, header: str, form: Mapping[str, str]) -> App:
    """Return the app with the credentials of a request; a public app needs no secret."""
    client_id, secret = _credentials(header, form)
    if not client_id:
        raise INVALID_CLIENT("client_id is missing").because("no client_id in the form or the Authorization header")
    app = workspace.state.table(App).get(client_id)
    if app is None:
        known = reasons.listed(workspace.state.table(App))
        reason = f"unknown client_id {reasons.shown(client_id)} in workspace {workspace.name} (known: {known})"
        raise INVALID_CLIENT("There is no app with this client_id").because(reason)
    if app.public and secret is None:
        return app
    # RFC 6749, 2.3.1, requires form encoding within Basic; many clients send the plain secret.
    if secret is None or not (app.has_secret(secret) or app.has_secret(unquote_plus(secret))):
        what = "missing" if secret is None else "unexpected" if app.public else "wrong"
        kind = "public app" if app.public else "app"
        raise INVALID_CLIENT("client_secret is missing or wrong").because(
            f"{what} client_secret for {kind} {app.client_id}"
        )
    return app


def _credentials(header: str, form: Mapping[str, str]) -> tuple[str, str | None]:
    scheme, _, encoded = header.partition(" ")
    if scheme.lower() != "basic":
        return form.get("client_id", ""), form.get("client_secret")
    client_id, secret = _decode_basic(encoded)
    if "client_secret" in form or form.get("client_id", client_id) != client_id:
        reason = "client_secret or another client_id is in the form as well as in the Authorization header"
        raise INVALID_REQUEST("The client's credentials are given twice").because(reason)
    return client_id, secret


def _decode_basic(encoded: str) -> tuple[str, str | None]:
    try:
        client_id, colon, secret = b64decode(encoded.strip(), validate=True).decode().partition(":")
    except ValueError as error:
        raise INVALID_CLIENT("The Authorization header is not well-formed").because(
            "the Authorization header is not valid Base64"
        ) from error
    # Form encoding does not change a client id; a secret is tried plain and decoded.
    return unquote_plus(client_id), secret if colon and secret else None


def required(form: Mapping[str, str], name: str) -> str:
    value = form.get(name)
    if not value:
        raise INVALID_REQUEST(f"{name} is missing").because(
            f"missing field `{name}` in the form (it has {reasons.fields(form)})"
        )
    return value
