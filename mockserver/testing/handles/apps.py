"""The OAuth apps of a workspace: apps of third parties to which its users can grant access."""

from __future__ import annotations

from typing import Unpack

from mockserver.testing.arguments import AppChange, AppMembers
from mockserver.testing.client import path_segment
from mockserver.testing.handles.link import Handle
from mockserver.testing.records import App
from mockserver.views.record import read, read_all

__tracebackhide__ = True  # pytest shows the line of the test instead


class Apps(Handle):
    """The OAuth apps of one workspace."""

    def create(self, **members: Unpack[AppMembers]) -> App:
        """Register an app: `create(name="CRM", redirect_uris=["http://127.0.0.1:5000/cb"], scopes=["account:read"])`.

        Credentials that are left out are drawn at random; scopes that are left out are reading and writing of contacts
        and CRM. A public app is refused unless `behaviour.oauth_public_apps` is true.

        Raises:
            MockServerError: 400, a member is not valid, and `errors` names every mistake; 409, the client id is taken.
        """
        return read(App, self._link.post("/oauth/apps", members))

    def get(self, client_id: str) -> App:
        """The app with a client id.

        Raises:
            MockServerError: 404; there is no such app.
        """
        return read(App, self._link.get(f"/oauth/apps/{path_segment(client_id)}"))

    def list(self) -> list[App]:
        """All apps, in the order of their registration."""
        return read_all(App, self._link.items("/oauth/apps"))

    def update(self, client_id: str, **members: Unpack[AppChange]) -> App:
        """Change the given members of an app; `client_secret=None` gives the app a new secret.

        Raises:
            MockServerError: 400, a member is not valid, and `errors` names every mistake; 404, there is no such app.
        """
        return read(App, self._link.put(f"/oauth/apps/{path_segment(client_id)}", members))

    def delete(self, client_id: str) -> None:
        """Delete an app; the grants and tokens that it was given end.

        Raises:
            MockServerError: 404; there is no such app.
        """
        self._link.delete(f"/oauth/apps/{path_segment(client_id)}")
