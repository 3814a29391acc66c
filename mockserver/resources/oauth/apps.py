"""The registered apps of third parties, and the addresses to which their users may be redirected (contract/oauth)."""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from mockserver.core.contract.operation import Role
from mockserver.core.state.state import Account
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth import scopes

#: A scheme of RFC 3986, but none that runs or shows what the address itself holds; `localhost` is the scheme of an
#: address that lacks one, `localhost:80`.
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*", re.ASCII)
_REFUSED_SCHEMES = frozenset({"javascript", "data", "vbscript", "about", "blob", "file", "view-source", "localhost"})
#: A host, as a name or a number, and perhaps a port; nothing that would mean something elsewhere, as in a header.
_PLACE = re.compile(r"(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?")
_HEX = "0123456789abcdef"
#: How many characters an app's name may have; a client id may have more.
LONGEST_NAME = 100


@dataclass(slots=True, eq=False)
class App:
    """A registered app."""

    client_id: str
    #: None if the app is public, as it could not keep a secret.
    client_secret: str | None
    name: str
    redirect_uris: tuple[str, ...]
    scopes: tuple[str, ...]
    public: bool
    #: The name of the account whose developers have registered it.
    account: str

    def is_known_by(self, secret: str) -> bool:
        """Whether this is the secret of the app; compared in a time that does not depend on where texts differ."""
        return self.client_secret is not None and hmac.compare_digest(secret.encode(), self.client_secret.encode())


def reason_against_uri(uri: str) -> str | None:
    """Why an address cannot be a redirect_uri, or None if it can."""
    if not uri.isascii() or not uri.isprintable() or " " in uri:
        return "must be ASCII without blanks"
    try:
        parts = urlsplit(uri)
        parts.port  # noqa: B018  # it looks at the port only when it is asked
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
    """Register a new app; members that are left out are drawn, or have the default of the specification."""
    random = workspace.state.random
    public = data.get("public", False)
    client_id = data.get("client_id") or random.secret("client_id", 32, _HEX)
    app = App(
        client_id=client_id,
        client_secret=None if public else data.get("client_secret") or random.secret("client_secret", 48),
        name=data.get("name", client_id[:LONGEST_NAME]),
        redirect_uris=tuple(data.get("redirect_uris", ())),
        scopes=tuple(data.get("scopes", scopes.DEFAULTS)),
        public=public,
        account=data.get("account") or workspace.state.first_account.name,
    )
    workspace.state.table(App)[client_id] = app
    return app


def update(workspace: Workspace, app: App, data: dict[str, Any]) -> None:
    """Change members of an app; one that becomes private gets a secret, one that becomes public loses it."""
    for name, value in data.items():
        setattr(app, name, tuple(value) if isinstance(value, list) else value)
    if app.public:
        app.client_secret = None
    elif app.client_secret is None:
        app.client_secret = workspace.state.random.secret("client_secret", 48)


def home_of(workspace: Workspace, app: App) -> Account:
    """The account that has registered an app; the app is removed with it."""
    return workspace.state.accounts[workspace.state.names[app.account]]


def may_enter(workspace: Workspace, app: App, account: Account) -> bool:
    """Whether users of an account may authorize an app: of a public app all, else those of its organization."""
    return asker(workspace, app)(account)


def asker(workspace: Workspace, app: App) -> Callable[[Account], bool]:
    """A function that says of an account whether its users may authorize an app; it looks the app up only once."""
    if app.public:
        return lambda account: True
    own = _organization(workspace, home_of(workspace, app))
    return lambda account: _organization(workspace, account) == own


def _organization(workspace: Workspace, account: Account) -> str:
    """The id of an account's organization: admin accounts have that of their master, sub-accounts their own."""
    is_admin = account.role is Role.ADMIN
    return ((workspace.state.master_of(account) if is_admin else None) or account).organization_id


def accounts_for(workspace: Workspace, app: App) -> Iterable[Account]:
    """All accounts, those first whose users may authorize the app."""
    may = asker(workspace, app)
    return sorted(workspace.state.accounts.values(), key=lambda row: not may(row))
