"""Which server a session of pytest uses, where it is not one in its own process."""

from __future__ import annotations

import math
import os
from typing import Any, NamedTuple

import pytest

from mockserver.testing.sessions.command import CommandServer, NotStartedError

#: The name of the launcher among the plugins of a session.
NAME = "mockserver-command"
#: What a worker of xdist is told the address of the server by.
_WORKER_INPUT = "mockserver_url"
#: How long a server may take to get ready, in seconds, unless an option says otherwise; chosen long enough to fetch a
#: package or an image first.
_TIMEOUT_S = 120.0


class Address(NamedTuple):
    """Where a server runs that is not in this process."""

    url: str
    #: Its control token; None if it asks for none.
    token: str | None


class Launcher:
    """A plugin that starts a server by a command when it is first needed, and stops it at the end of the session.

    Of a session with workers of xdist it is a plugin of the main process, which starts the server before the workers.
    """

    def __init__(self, config: pytest.Config, command: str) -> None:
        self._server = CommandServer(command, _timeout_s(config))
        #: Why the server did not start; it is not tried again.
        self._error: NotStartedError | None = None
        config.add_cleanup(self._server.stop)

    def start(self) -> str:
        """The root address of the server, which is started if it is not there yet.

        Raises:
            NotStartedError: it did not start, now or before.
        """
        if self._error is not None:
            raise self._error
        try:
            return self._server.start()
        except NotStartedError as error:
            self._error = error
            raise

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker of xdist where the server is."""
        try:
            node.workerinput[_WORKER_INPUT] = self.start()
        except NotStartedError as error:
            raise pytest.UsageError("\n".join(filter(None, [str(error), error.printed]))) from error

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Show what the command has printed, once, where it has failed."""
        trouble = self._server.trouble() if self._error is None else f"{self._error}\n{self._error.printed}".rstrip()
        if trouble is not None:
            terminalreporter.section("mockserver command")
            terminalreporter.line(trouble)


def address_of(config: pytest.Config) -> Address | None:
    """Where the server of a session is; None: there is none, and it has to be one in this process.

    Raises:
        NotStartedError: the command did not start a server.
    """
    token = os.environ.get("MOCKSERVER_TOKEN")
    if url := os.environ.get("MOCKSERVER_URL"):
        return Address(url, token)
    token = token or os.environ.get("MOCKSERVER_CONTROL_TOKEN")
    launcher = config.pluginmanager.get_plugin(NAME)
    url = getattr(config, "workerinput", {}).get(_WORKER_INPUT) if launcher is None else launcher.start()
    return Address(url, token) if url else None


def _timeout_s(config: pytest.Config) -> float:
    text = config.option.mockserver_command_timeout or config.getini("mockserver_command_timeout") or _TIMEOUT_S
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 < found < math.inf:
        raise pytest.UsageError(f"mockserver_command_timeout: {text!r} is no number of seconds above 0")
    return found
