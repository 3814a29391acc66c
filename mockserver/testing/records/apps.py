"""The OAuth apps of a workspace: apps of third parties to which its users can grant access."""

from __future__ import annotations

from typing import NamedTuple

__tracebackhide__ = True  # pytest shows the line of the test instead


class App(NamedTuple):
    """A registered OAuth app."""

    client_id: str
    #: None: the app is public, because it cannot keep a secret.
    client_secret: str | None
    name: str
    redirect_uris: tuple[str, ...]
    scopes: tuple[str, ...]
    public: bool
    #: The name of the account to which the app belongs; access to a private app is granted in its organization only.
    account: str
