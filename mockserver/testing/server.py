"""A mock server for tests: one in this process, or one that runs elsewhere."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

# What a server needs is imported here and not on its start, which so takes a few milliseconds.
from mockserver.app import create_app
from mockserver.app.runtime import Runtime
from mockserver.control.access.token import token_of
from mockserver.scenario.documents.mistakes import ScenarioError
from mockserver.settings import Settings
from mockserver.testing.client import Client, MockServerError
from mockserver.testing.handles.coverage import Coverage
from mockserver.testing.handles.link import Link
from mockserver.testing.scenario import Scenario, sendable
from mockserver.testing.workspace import Workspace
from mockserver.web.server.server import bind

__tracebackhide__ = True  # pytest shows the line of the test instead

#: How many workspaces are asked for at once.
PAGE = 1000


class MockServer:
    """A server with any number of workspaces; it runs from the moment it is made until `stop`, `with`, or the program
    ends.

    All that it and its workspaces do is done over HTTP, so that one that runs elsewhere, `MockServer.connect`, is the
    same. It may be shared by threads.
    """

    #: Called with a workspace that was made here, just before it is reset or dropped.
    on_leaving: Callable[[Workspace], None] | None = None

    def __init__(
        self, scenario: Scenario = "standard", *, seed: int | None = None, keys: str = "any", **settings: Any
    ) -> None:
        """Start a server in this process, on a free port of loopback.

        `scenario` is that of the default workspace, and of all others for which no other one is given. `keys` says what
        an unknown API key gets: `any`, `known` or `isolate`. All other settings are those of `mockserver.Settings`,
        such as `control_token` and `journal_limit`.

        Raises:
            MockServerError: the scenario is no good one; `errors` names every mistake.
            TypeError: there is no such setting, or it takes values of another kind.
            ValueError: a setting is out of its range.
            OSError: it is to listen on a port that is taken.
        """
        chosen = os.fspath(scenario) if isinstance(scenario, os.PathLike) else scenario
        self._settings = Settings(**{"host": "127.0.0.1", "port": 0, **settings}, scenario=chosen, seed=seed, keys=keys)
        self._runtime: Runtime | None = None
        self.start()

    @staticmethod
    def connect(url: str, token: str | None = None) -> MockServer:
        """The server that runs at this root address, with its control token if it asks for one.

        Raises:
            MockServerError: nothing answers there, or the token is not the right one.
            ValueError: that is no address.
        """
        return _Elsewhere(url, token)

    def _reach(self, url: str, token: str | None) -> None:
        #: The control token; None if it asks for none.
        self.token = token
        self.client = Client(url, token)
        #: What was met on the whole server, workspaces that are gone included.
        self.coverage = Coverage(Link(self.client, {}, everywhere=True))
        self._own: dict[str, Workspace] = {}

    @property
    def url(self) -> str:
        """The root address, without a slash at its end."""
        return self.client.url

    @property
    def smtp_in(self) -> str | None:
        """Where mails are taken by SMTP, `HOST:PORT`; None where they are not."""
        found = self.client.json("GET", "/_mock/health").get("smtp_in")
        return None if found is None else str(found["address"])

    def start(self) -> None:
        """Start again after a stop, with fresh workspaces on another port; while it runs, nothing happens."""
        if self._runtime is None:
            self._runtime = _started(self._settings)
            self._reach(self._runtime.url, token_of(self._settings))
            atexit.register(self.stop)

    def stop(self) -> None:
        """Stop at once, cutting off requests that hang; a server that runs elsewhere goes on."""
        self.client.close()
        if self._runtime is not None:
            self._runtime.stop()
            self._runtime = None
            atexit.unregister(self.stop)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
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
        """A fresh workspace: of the server's scenario, or of another one by name, document or the path of a YAML file.

        `seed` is that of its identifiers and codes, else the scenario's; without `name` it gets one that is free.
        `strict` refuses body fields that the service does not know, whatever the scenario says.

        Raises:
            MockServerError: 400, no good scenario, seed or name; 409, the name is taken.
            OSError, ValueError: the file is not there, or is not YAML.
        """
        given = {"scenario": sendable(scenario), "seed": seed, "name": name, "strict": strict or None}
        body = {member: value for member, value in given.items() if value is not None}
        found = self._workspace(self.client.json("POST", "/_mock/workspaces", body=body))
        self._own[found.name] = found
        return found

    @property
    def default(self) -> Workspace:
        """The workspace that always is: of addresses without `/w/...`, and of unknown API keys."""
        return self._workspace(self.client.json("GET", "/_mock/workspaces/default"))

    def workspaces(self) -> list[Workspace]:
        """All workspaces, `default` included, the one used last first."""
        found: list[Workspace] = []
        while True:
            page = self.client.json("GET", "/_mock/workspaces", query={"limit": PAGE, "offset": len(found)})
            found += [self._workspace(item) for item in page["items"]]
            if not page["items"] or len(found) >= page["count"]:
                return found

    def reset(self, scenario: Scenario | None = None) -> None:
        """Let the default workspace begin anew; the other workspaces stay as they are.

        Raises:
            MockServerError: 400; it is no good scenario, and nothing has changed.
        """
        self.default.reset(scenario)

    def drop_all(self) -> None:
        """Drop the workspaces that were made here and are still there."""
        for workspace in list(self._own.values()):
            workspace.drop()

    def _workspace(self, about: Mapping[str, Any]) -> Workspace:
        return Workspace(self.client, about, self._leaving)

    def _leaving(self, name: str, *, for_good: bool) -> None:
        workspace = self._own.pop(name, None) if for_good else self._own.get(name)
        if workspace is not None and self.on_leaving is not None:
            self.on_leaving(workspace)


class _Elsewhere(MockServer):
    """A server that somebody else starts and stops."""

    def __init__(self, url: str, token: str | None) -> None:
        self._reach(url, token)
        self.client.call("GET", "/_mock/workspaces", query={"limit": 1})

    def start(self) -> None:
        pass

    def stop(self) -> None:
        self.client.close()


def _started(settings: Settings) -> Runtime:
    try:
        app = create_app(settings)
    except ScenarioError as error:
        errors = [{"path": mistake.pointer, "message": mistake.message} for mistake in error.mistakes]
        raise MockServerError(400, str(error), {"errors": errors}) from error
    runtime = Runtime(app, bind(settings.host, settings.port))
    runtime.start()
    return runtime
