"""`serve`: the server itself."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mockserver.cli.environment import check_names, variable
from mockserver.cli.flags import flags
from mockserver.cli.output import fail
from mockserver.cli.program import give_up
from mockserver.settings import declared

if TYPE_CHECKING:
    from mockserver.app.runtime import Runtime

#: Whom the server lets in, by `--keys`, in words for a terminal.
_WHO = {
    "any": "Any API key will do: curl -H 'api-key: any' {root}/v3/senders",
    "known": "The API keys are those of the scenario; {root}/_mock/workspaces/default tells them.",
    "isolate": "Each API key that you make up gets a workspace of its own: curl -H 'api-key: mine' {root}/v3/senders",
}


@click.command(params=[*flags()])
def serve(**options: Any) -> None:
    """Start the server; its address is the first line that it writes."""
    check_names(os.environ, {variable(row.name) for row in declared()})
    if options["control_token"] is None:
        # An empty variable counts as none to click; one that is to protect something must not open it.
        options["control_token"] = os.environ.get(variable("control_token"))
    with _uncollected():
        runtime = _opened(options)
        _listen_to_signals(runtime)
    with contextlib.closing(runtime):
        _tell(runtime)
        runtime.run()


def _tell(runtime: Runtime) -> None:
    """Print the address, and what else programs read; for people, who sit at a terminal, what to try."""
    root, mails = runtime.url, runtime.app.effects.health().get("smtp_in")
    try:
        # Whoever reads the address may stop the server at once.
        print(root, flush=True)
        if mails is not None:
            print(f"smtp://{mails['address']}", flush=True)
    except OSError as error:
        give_up(error)
    if sys.stderr.isatty():
        click.echo(f"  {root}/_mock/docs shows the API, to read and to try.", err=True)
        click.echo(f"  {_WHO[runtime.app.settings.keys].format(root=root)}", err=True)
        click.echo("  Ctrl-C stops the server.", err=True)


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Look for no garbage: what is made until the server runs lives as long as the process."""
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()


def _opened(options: dict[str, Any]) -> Runtime:
    """The server, open but not yet running; the command ends here if it cannot be had."""
    from mockserver.app import create_app
    from mockserver.app.runtime import Runtime
    from mockserver.scenario.documents.mistakes import ScenarioError
    from mockserver.settings import Settings
    from mockserver.web.server.server import BindError, bind

    try:
        settings = Settings(**options)
        app = create_app(settings)
        runtime = Runtime(app, bind(settings.host, settings.port))
        runtime.open()
    except (ScenarioError, BindError) as error:
        fail(str(error))
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if settings.port_file:
        _write_port(Path(settings.port_file), runtime)
    return runtime


def _write_port(file: Path, runtime: Runtime) -> None:
    try:
        file.write_text(f"{runtime.port}\n", encoding="ascii")
    except OSError as error:
        runtime.close()
        raise click.UsageError(f"cannot write the port to {file}: {error.strerror}") from error


def _listen_to_signals(runtime: Runtime) -> None:
    """Let a signal stop the server from now on, and the log say what is to be said of it."""
    import logging

    from mockserver.web.logs.request_log import LogHandler

    logging.getLogger().addHandler(LogHandler(runtime.app.log))
    for number in (signal.SIGINT, signal.SIGTERM):
        # Until the loop runs nothing may be raised within it; and when it has stopped, the server passes the signal on,
        # which would end the process before the log is written.
        signal.signal(number, lambda *_: runtime.interrupt())
