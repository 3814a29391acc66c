"""Mock servers for tests: local (in this process) or remote."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, ClassVar, Self, Unpack
from urllib.parse import urlsplit

from mockserver.settings import Settings, declared, needing_server
from mockserver.settings.settings import token_of
from mockserver.testing.arguments import ServerSettings, refuse_unknown
from mockserver.testing.client import Client, MockServerError, Trust, trusting_only, unchecked
from mockserver.testing.handles.link import Link, asks, given
from mockserver.testing.handles.parts import Coverage
from mockserver.testing.handles.workspace import Workspace
from mockserver.testing.scenario import NamingFile, Scenario, choice, sendable

if TYPE_CHECKING:
    from mockserver.app.runtime import Runtime

__tracebackhide__ = True  # pytest shows the line of the test instead

#: How many workspaces one control call asks for: the most that the control API returns at once.
PAGE = 1000
#: Why no server starts among patched threads.
_PATCHED = (
    "no server runs in this process, whose threads {} has patched: let pytest start one beside it, by "
    '--mockserver-command "mockserver serve", or set MOCKSERVER_URL to the address of a server that runs '
    "(in a program: MockServer.connect)"
)


class LocalServer:
    """A restartable, thread-safe server inside this process."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        #: The root address that the server writes, or None for that of its start.
        self.public_url: str | None = settings.public_root
        self._lock = threading.Lock()
        self._runtime: Runtime | None = None
        #: How often the server was stopped; a start that was requested before the last stop does nothing.
        self.turn = 0
        #: The root address of the last start.
        self.url = ""
        #: The control token; None: the server asks for none.
        self.token: str | None = None
        #: The trusted authorities, if the server speaks TLS.
        self.trust: Trust = None

    @property
    def is_running(self) -> bool:
        return self._runtime is not None

    def start(self, turn: int) -> None:
        """Start the server on a free port, unless it runs or was stopped after the given `turn`.

        Raises:
            MockServerError: The scenario is not valid; `errors` names every mistake.
            ServerMissingError: The packages of the server are not installed.
            OSError: The server cannot listen on its port.
            StorageError: The store cannot be opened or read.
        """
        with self._lock:
            if self._runtime is not None or turn != self.turn:
                return
            runtime = self._runtime = _start_runtime(self._settings)
            self.url = runtime.url
            self.token = token_of(self._settings)
            if (tls := runtime.mock.tls) is not None:
                # The user's own certificate is not checked: it may have another name than this address.
                self.trust = unchecked() if tls.ca is None else trusting_only(tls.ca)
            atexit.register(self.stop)

    def stop(self) -> None:
        """Stop the server at once, cutting off requests under way."""
        with self._lock:
            self.turn += 1
            if self._runtime is not None:
                self._runtime.stop()
                self._runtime = None
                atexit.unregister(self.stop)

    def call_off(self) -> None:
        """Stop the server after the present start, without waiting for it."""
        threading.Thread(target=self.stop, name="mockserver stop", daemon=True).start()


def _refuse_green_threads() -> None:
    """Refuse patched threads, in which the server and its caller would wait for each other for ever."""
    gevent, eventlet = sys.modules.get("gevent.monkey"), sys.modules.get("eventlet.patcher")
    by_gevent = gevent is not None and any(map(gevent.is_module_patched, ("threading", "queue")))
    if by_gevent or (eventlet is not None and eventlet.is_monkey_patched("thread")):
        raise MockServerError(None, _PATCHED.format("gevent" if by_gevent else "eventlet"))


def _start_runtime(settings: Settings) -> Runtime:
    _refuse_green_threads()
    # Imported on the first start: these imports are slow, and a server elsewhere needs none of them.
    with needing_server("a server in this process"):
        from mockserver.app.runtime import runtime_of  # noqa: PLC0415  # see above
        from mockserver.scenario.documents.mistakes import ScenarioError  # noqa: PLC0415  # see above

    try:
        runtime = runtime_of(settings)
    except ScenarioError as error:
        errors = [{"path": mistake.pointer, "message": mistake.message} for mistake in error.mistakes]
        raise MockServerError(400, str(error), {"errors": errors}) from error
    runtime.start()
    return runtime


class MockServer:
    """A server with any number of workspaces.

    The server runs until `stop` is called, or its block or the program ends. All methods use HTTP, for a server of
    `connect` as well. Threads may share a server.
    """

    #: Called with each workspace that this object has made, just before the workspace is reset or dropped.
    on_leaving: Callable[[Workspace], None] | None = None
    #: The control token; None if the server asks for none.
    token: str | None
    _title: ClassVar[str] = "MockServer"

    def __init__(
        self,
        scenario: Scenario = "standard",
        *,
        seed: int | None = None,
        keys: str = "any",
        **settings: Unpack[ServerSettings],
    ) -> None:
        """Start a server in this process, on a free port of 127.0.0.1 unless `host` and `port` say otherwise.

        `scenario` is that of the default workspace, and of other workspaces unless they name one. `seed` replaces the
        scenario's seed. `keys` says what an unknown API key gets: `any`, the first account; `known`, a refusal;
        `isolate`, a separate workspace. Other keyword arguments are the flags of
        [settings](settings.md) with underscores, such as `control_token`.

        Raises:
            MockServerError: The scenario is not valid, and `errors` names every mistake; or gevent or eventlet has
                patched the threads of this process.
            ServerMissingError: The extra `server` of this package is not installed.
            OSError: The server cannot listen on its port.
            TypeError: A setting is unknown, or its value is of another type.
            ValueError: A setting is out of range.
        """
        chosen = os.fspath(scenario) if isinstance(scenario, os.PathLike) else scenario
        refuse_unknown(self._title, settings, [row.name for row in declared()])
        settings = {"port": 0, **settings}
        self._local: LocalServer | None = LocalServer(Settings(**settings, scenario=chosen, seed=seed, keys=keys))
        self._client: Client | None = None
        self.start()

    @staticmethod
    def connect(url: str, token: str | None = None, *, ca: str | os.PathLike[str] | None = None) -> MockServer:
        """Connect to the server at a root address, using a control token if required.

        `ca` is a PEM file of authorities to trust beside those of the system, by default the file of MOCKSERVER_CA.

        Raises:
            MockServerError: No mock server answers at the address, or the token is wrong.
            ValueError: The address is no http or https URL, or the file of `ca` cannot be read.
        """
        found = MockServer.__new__(MockServer)
        found._local = None  # noqa: SLF001  # of this class
        found._connect(url, token, ca)  # noqa: SLF001  # see above
        answer = found.client.json("GET", "/_mock/workspaces", query={"limit": 1})
        if not isinstance(answer, dict) or not isinstance(answer.get("items"), list):
            raise MockServerError(None, f"no mock server answers at {found.url}: it has no workspaces")
        found.client.public_url = found.client.json("GET", "/_mock/health").get("public_url", found.url)
        return found

    def _connect(self, url: str, token: str | None, trust: Trust, public_url: str | None = None) -> None:
        self.token = token
        self._client = Client(url, token, trust, public_url)
        self._own: dict[str, tuple[Workspace, Mapping[str, Any]]] = {}

    @property
    def client(self) -> Client:
        """The client of the server's control API.

        Raises:
            RuntimeError: The server was not started.
        """
        if self._client is None:
            raise RuntimeError("the server is not started: `async with` starts it, and so does `start`")
        return self._client

    @property
    def coverage(self) -> Coverage:
        """The coverage of all workspaces, including dropped workspaces."""
        return Coverage(Link(self.client))

    @property
    def url(self) -> str:
        """The root address, without a slash at its end: with `public_url` the public one."""
        return self.client.public_url

    @property
    @asks
    def smtp_in(self) -> str | None:
        """The address `HOST:PORT` at which the server receives e-mails by SMTP, or None if it receives none."""
        found = self.client.json("GET", "/_mock/health").get("smtp_in")
        return None if found is None else str(found["address"])

    @property
    @asks
    def tls_url(self) -> str | None:
        """The root address at which the server speaks TLS, without a slash at its end, or None without TLS."""
        if (found := self.client.json("GET", "/_mock/health").get("tls")) is None:
            return None
        parts = urlsplit(self.client.url)
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        return self.client.url if parts.scheme == "https" else f"https://{host}:{found['port']}"

    @property
    @asks
    def ca(self) -> str | None:
        """The certificate of the authority that the server has made, in PEM, which clients have to trust.

        None without TLS, or with a certificate of another authority.
        """
        try:
            return self.client.call("GET", "/_mock/ca").text
        except MockServerError as error:
            if error.status == HTTPStatus.NOT_FOUND:
                return None
            raise

    def start(self) -> None:
        """Start the server again after a stop, with new workspaces on a free port; without effect if it runs.

        Raises:
            MockServerError: The scenario is not valid; `errors` names every mistake.
            ServerMissingError: The extra `server` of this package is not installed.
            OSError: The server cannot listen on its port.
        """
        local = self._local
        if local is None or local.is_running:
            return
        local.start(local.turn)
        self._connect(local.url, local.token, local.trust, local.public_url)

    def stop(self) -> None:
        """Stop the server at once, cutting off requests under way; a remote server keeps running."""
        if self._client is not None:
            self._client.close()
        if self._local is not None:
            self._local.stop()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        where = f"at {self._client.url}" if self._client is not None else "that is not started"
        return f"<MockServer {where}>"

    def workspace(
        self,
        scenario: Scenario | None = None,
        *,
        seed: int | None = None,
        name: str | None = None,
        strict: bool = False,
        vary: int | None = None,
        behaviour: str | None = None,
        label: str | None = None,
    ) -> Workspace:
        """Create a workspace from the server's scenario, or from a scenario given as name, document or file path.

        The arguments override the scenario: `seed` determines identifiers and codes, `strict` refuses unknown body
        fields, `vary` is a seed that draws legal differences, `behaviour` is a preset, `documented` or `recorded`.
        Without `name` the workspace gets an unused name. `label`, such as the id of a test, is shown in the dashboard.

        Raises:
            MockServerError: 400, the scenario, the seed or the name is not valid; 409, the name is taken.
            OSError: The file of the scenario cannot be read.
            ValueError: The file of the scenario is not YAML.
        """
        sent = sendable(scenario)
        chosen = {"seed": seed, "name": name, "strict": strict or None, "vary": vary, "behaviour": behaviour}
        body = given({**choice(sent), **chosen, "label": label})
        # A load balancer before several replicas routes this call by the header, and later calls by the name.
        headers = None if name is None else {"X-Mock-Workspace": name}
        with NamingFile(sent):
            about = self.client.json("POST", "/_mock/workspaces", body=body, headers=headers)
        found = self._workspace(about)
        self._own[found.name] = found, body
        return found

    @property
    @asks
    def default(self) -> Workspace:
        """The workspace that always exists, for addresses without `/w/...` and for unknown API keys."""
        return self._workspace(self.client.json("GET", "/_mock/workspaces/default"))

    def workspaces(self) -> list[Workspace]:
        """Return all workspaces, `default` included, most recently used first."""
        found: list[Workspace] = []
        while True:
            page = self.client.json("GET", "/_mock/workspaces", query={"limit": PAGE, "offset": len(found)})
            found += [self._workspace(item) for item in page["items"]]
            if not page["items"] or len(found) >= page["count"]:
                return found

    def reset(self, scenario: Scenario | None = None) -> None:
        """Reset the default workspace, to another scenario if one is given; the other workspaces stay as they are.

        Raises:
            MockServerError: 400, the scenario is not valid, and nothing has changed.
            OSError: The file of the scenario cannot be read.
            ValueError: The file of the scenario is not YAML.
        """
        self.default.reset(scenario)

    def drop_all(self) -> None:
        """Drop all workspaces that this object has made, except dropped and left ones."""
        for workspace, _ in own_workspaces(self):
            workspace.drop()

    def _workspace(self, about: Mapping[str, Any]) -> Workspace:
        return Workspace(self.client, about, self._leaving)

    def _leaving(self, name: str, *, for_good: bool) -> None:
        found = self._own.pop(name, None) if for_good else self._own.get(name)
        if found is not None and self.on_leaving is not None:
            self.on_leaving(found[0])


def own_workspaces(server: MockServer) -> Sequence[tuple[Workspace, Mapping[str, Any]]]:
    """Return the workspaces that a server object has made and not dropped, each with the body that made it."""
    return list(server._own.values())  # noqa: SLF001  # of this module
