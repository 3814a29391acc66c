"""Apps of third parties that may send users to a workspace."""

from __future__ import annotations

from typing import Any, NamedTuple

from mockserver.testing.handles.link import Link, part
from mockserver.testing.handles.reading import read, read_all

__tracebackhide__ = True  # pytest shows the line of the test instead


class App(NamedTuple):
    """A registered app."""

    client_id: str
    #: None: a public app, which cannot keep one.
    client_secret: str | None
    name: str
    redirect_uris: tuple[str, ...]
    scopes: tuple[str, ...]
    public: bool
    #: The name of the account whose users can let a private app in, with those of its organization.
    account: str


class Apps:
    """The apps of one workspace."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def create(self, **facts: Any) -> App:
        """Register an app: `create(name="CRM", redirect_uris=["http://127.0.0.1:5000/cb"], scopes=["account:read"])`.

        Members are those of `App`; credentials that are left out are drawn, and scopes are the four of a new app. A
        public app is refused unless `behaviour.oauth_public_apps` is true.

        Raises:
            MockServerError: 400, with every mistake; 409, there is an app with this client id.
        """
        return read(App, self._link.post("/oauth/apps", facts))

    def get(self, client_id: str) -> App:
        """The app of this client id.

        Raises:
            MockServerError: 404.
        """
        return read(App, self._link.get(f"/oauth/apps/{part(client_id)}"))

    def list(self) -> list[App]:
        """All apps, in the order of their registration."""
        return read_all(App, self._link.get("/oauth/apps")["items"])

    def update(self, client_id: str, **facts: Any) -> App:
        """Change what is named; `client_secret=None` gives the app a new one.

        Raises:
            MockServerError: 400, with every mistake; 404.
        """
        return read(App, self._link.put(f"/oauth/apps/{part(client_id)}", facts))

    def delete(self, client_id: str) -> None:
        """Forget an app; all that it was given ends.

        Raises:
            MockServerError: 404.
        """
        self._link.delete(f"/oauth/apps/{part(client_id)}")
