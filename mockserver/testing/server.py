"""A mock server for tests: one in this process, or one that runs at some address."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

# Imported here and not when a server starts, so that a start takes a few milliseconds only.
from mockserver.app import create_app
from mockserver.app.runtime import Runtime
from mockserver.control.access.token import token_of
from mockserver.scenario.documents.mistakes import ScenarioError
from mockserver.settings import Settings
from mockserver.testing.client import Client, MockServerError
from mockserver.testing.handles.coverage import Coverage
from mockserver.testing.link import Link
from mockserver.testing.scenario import Scenario, sendable
from mockserver.testing.workspace import Workspace
from mockserver.web.server.server import bind

__tracebackhide__ = True  # pytest shows the line of the test instead

#: How many workspaces one control call asks for: the most that the control API gives at once.
PAGE = 1000


class MockServer:
    """A server with any number of workspaces.

    The server runs from its creation until `stop` is called, the `with` block ends, or the program ends. All methods,
    those of the workspaces included, use HTTP, so that they do the same for a server that runs elsewhere and was
    reached by `MockServer.connect`. Threads may share a server.
    """

    #: Called with each workspace that this object has made, just before the workspace is reset or dropped.
    on_leaving: Callable[[Workspace], None] | None = None

    def __init__(
        self, scenario: Scenario = "standard", *, seed: int | None = None, keys: str = "any", **settings: Any
    ) -> None:
        """Start a server in this process, on a free port of 127.0.0.1 unless `host` and `port` say otherwise.

        `scenario` is that of the default workspace, and of all others for which no other one is given. `seed` takes the
        place of the scenario's seed. `keys` says what an unknown API key gets: `any`, the first account; `known`, a
        refusal; `isolate`, a workspace of its own. All other settings are those of `mockserver.Settings`, such as
        `control_token` and `journal_limit`.

        Raises:
            MockServerError: the scenario is not valid; `errors` names every mistake.
            TypeError: there is no such setting, or its value is of another type.
            ValueError: a setting is out of range.
            OSError: the server cannot listen on its port.
        """
        chosen = os.fspath(scenario) if isinstance(scenario, os.PathLike) else scenario
        self._settings = Settings(**{"host": "127.0.0.1", "port": 0, **settings}, scenario=chosen, seed=seed, keys=keys)
        self._runtime: Runtime | None = None
        self.start()

    @staticmethod
    def connect(url: str, token: str | None = None) -> MockServer:
        """The server that runs at a root address, with its control token if it asks for one.

        Raises:
            MockServerError: no mock server answers at the address, or the token is wrong.
            ValueError: the address does not begin with http:// or https://, or names no host.
        """
        return _RemoteServer(url, token)

    def _connect(self, url: str, token: str | None) -> None:
        #: The control token; None if the server asks for none.
        self.token = token
        self.client = Client(url, token)
        #: The coverage of all workspaces of the server, dropped ones included.
        self.coverage = Coverage(Link(self.client, {}, everywhere=True))
        self._own: dict[str, Workspace] = {}

    @property
    def url(self) -> str:
        """The root address, without a slash at its end."""
        return self.client.url

    @property
    def smtp_in(self) -> str | None:
        """The address `HOST:PORT` at which the server receives e-mails by SMTP, or None if it receives none."""
        found = self.client.json("GET", "/_mock/health").get("smtp_in")
        return None if found is None else str(found["address"])

    def start(self) -> None:
        """Start the server again after a stop, with new workspaces on a free port; a server that runs is left alone."""
        if self._runtime is None:
            self._runtime = _start_runtime(self._settings)
            self._connect(self._runtime.url, token_of(self._settings))
            atexit.register(self.stop)

    def stop(self) -> None:
        """Stop the server at once, cutting off requests under way; a server that runs elsewhere goes on."""
        self.client.close()
        if self._runtime is not None:
            self._runtime.stop()
            self._runtime = None
            atexit.unregister(self.stop)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, type_: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<MockServer at {self.url}>"

    def workspace(
        self,
        scenario: Scenario | None = None,
        *,
        seed: int | None = None,
        name: str | None = None,
        strict: bool = False,
    ) -> Workspace:
        """A new workspace: of the server's scenario, or of another one by name, document or the path of a YAML file.

        `seed` determines the identifiers and codes of the workspace; without it the scenario's seed does. Without
        `name` the workspace gets a name that is free. `strict` refuses body fields that the service does not know,
        whatever the scenario says.

        Raises:
            MockServerError: 400, the scenario, the seed or the name is not valid; 409, the name is taken.
            OSError: the file of the scenario cannot be read.
            ValueError: the file of the scenario is not YAML.
        """
        given = {"scenario": sendable(scenario), "seed": seed, "name": name, "strict": strict or None}
        body = {member: value for member, value in given.items() if value is not None}
        found = self._workspace(self.client.json("POST", "/_mock/workspaces", body=body))
        self._own[found.name] = found
        return found

    @property
    def default(self) -> Workspace:
        """The workspace that always exists: the one of addresses without `/w/...`, and of unknown API keys."""
        return self._workspace(self.client.json("GET", "/_mock/workspaces/default"))

    def workspaces(self) -> list[Workspace]:
        """All workspaces, `default` included; the one used last comes first."""
        found: list[Workspace] = []
        while True:
            page = self.client.json("GET", "/_mock/workspaces", query={"limit": PAGE, "offset": len(found)})
            found += [self._workspace(item) for item in page["items"]]
            if not page["items"] or len(found) >= page["count"]:
                return found

    def reset(self, scenario: Scenario | None = None) -> None:
        """Reset the default workspace, to another scenario if one is given; the other workspaces stay as they are.

        Raises:
            MockServerError: 400; the scenario is not valid, and nothing has changed.
        """
        self.default.reset(scenario)

    def drop_all(self) -> None:
        """Drop all workspaces that this object has made and that were not dropped yet."""
        for workspace in list(self._own.values()):
            workspace.drop()

    def _workspace(self, about: Mapping[str, Any]) -> Workspace:
        return Workspace(self.client, about, self._leaving)

    def _leaving(self, name: str, *, for_good: bool) -> None:
        workspace = self._own.pop(name, None) if for_good else self._own.get(name)
        if workspace is not None and self.on_leaving is not None:
            self.on_leaving(workspace)


class _RemoteServer(MockServer):
    """A server that somebody else starts and stops."""

    def __init__(self, url: str, token: str | None) -> None:
        self._connect(url, token)
        self.client.call("GET", "/_mock/workspaces", query={"limit": 1})

    def start(self) -> None:
        pass

    def stop(self) -> None:
        self.client.close()


def _start_runtime(settings: Settings) -> Runtime:
    try:
        app = create_app(settings)
    except ScenarioError as error:
        errors = [{"path": mistake.pointer, "message": mistake.message} for mistake in error.mistakes]
        raise MockServerError(400, str(error), {"errors": errors}) from error
    runtime = Runtime(app, bind(settings.host, settings.port))
    runtime.start()
    return runtime
