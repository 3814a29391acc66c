"""`serve`: starts the server, and runs it until a signal stops it."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mockserver.cli.environment import check_names, variable
from mockserver.cli.flags import flags
from mockserver.cli.output import echo, fail
from mockserver.cli.program import Misused, command, give_up
from mockserver.settings import declared

if TYPE_CHECKING:
    from mockserver.app.runtime import Runtime

#: Which API keys the server takes, by the setting `keys`: a hint for people at a terminal.
_KEY_HINTS = {
    "any": "Any API key will do: {curl} -H 'api-key: any' {root}/v3/senders",
    "known": "The API keys are those of the scenario; {root}/_mock/workspaces/default tells them.",
    "isolate": "Each API key that you make up gets a workspace of its own: {curl} -H 'api-key: mine' {root}/v3/senders",
}

#: After how many collections of the newest objects those that have outlived one are looked through as well. Chosen:
#: with Python's own 10 that comes every thousand writes and stops each of 16 clients for 3 ms, so that it decides how
#: long 99 of 100 requests take at most. Next to none of these objects are garbage, as ours do not refer to themselves
#: in circles.
_COLLECTIONS_OF_THE_NEWEST = 100


@command("serve")
def serve(**options: Any) -> int:
    """Start the server, and print its address as the first line."""
    check_names(os.environ, {variable(row.name) for row in declared()})
    for secret in ("control_token", "forward_key"):
        if options[secret] is None:
            # An empty variable is as good as none. Here it has to be refused, not ignored: it was meant to be a secret.
            options[secret] = os.environ.get(variable(secret))
    with _without_collection():
        runtime = _open_runtime(options)
        _stop_at_signals(runtime)
    _collect_the_older_rarely()
    try:
        _print_addresses(runtime)
        runtime.run()
    finally:
        is_saved = runtime.close()
    return 0 if is_saved else 1


#: The flags of all settings, before `--help`.
serve.params.extend(flags())


def _print_addresses(runtime: Runtime) -> None:
    """Print the server's addresses for programs on standard output, and at a terminal hints for people."""
    root, mails = runtime.url, runtime.mock.effects.health().get("smtp_in")
    try:
        # Flushed, because a program that reads the address waits for it.
        print(root, flush=True)
        if runtime.tls_url not in (None, root):
            print(runtime.tls_url, flush=True)
        if mails is not None:
            print(f"smtp://{mails['address']}", flush=True)
    except OSError as error:
        give_up(error)
    if sys.stderr.isatty():
        echo(f"  {root}/_mock/ui/ shows what happens here, and why, in a browser.", err=True)
        echo(f"  {root}/_mock/docs shows the API, to read and to try.", err=True)
        curl = "curl --insecure" if root.startswith("https:") else "curl"
        echo(f"  {_KEY_HINTS[runtime.mock.settings.keys].format(root=root, curl=curl)}", err=True)
        echo("  Ctrl-C stops the server.", err=True)


@contextlib.contextmanager
def _without_collection() -> Iterator[None]:
    """Suspend the garbage collector; objects made within live as long as the process, and are never examined later."""
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()


def _collect_the_older_rarely() -> None:
    newest, _, oldest = gc.get_threshold()
    gc.set_threshold(newest, _COLLECTIONS_OF_THE_NEWEST, oldest)


def _open_runtime(options: dict[str, Any]) -> Runtime:
    """A server of these settings, open but not yet running; exits if that is not possible."""
    from mockserver.settings import Settings, needing_server

    with needing_server("mockserver serve"):
        from mockserver.app.runtime import runtime_of
        from mockserver.core.workspaces.storage import StorageError
        from mockserver.scenario.documents.mistakes import ScenarioError
        from mockserver.web.server.server import BindError

    try:
        settings = Settings(**options)
        runtime = runtime_of(settings)
        runtime.open()
    except (ScenarioError, BindError) as error:
        fail(str(error))
    except (ValueError, StorageError) as error:
        raise Misused(str(error)) from error
    if settings.port_file:
        _write_port(Path(settings.port_file), runtime)
    return runtime


def _write_port(file: Path, runtime: Runtime) -> None:
    try:
        file.write_text(f"{runtime.port}\n", encoding="ascii")
    except OSError as error:
        runtime.close()
        raise Misused(f"cannot write the port to {file}: {error.strerror}") from error


def _stop_at_signals(runtime: Runtime) -> None:
    """Stop the server at SIGINT or SIGTERM, and send the warnings of all modules to its log."""
    import logging

    from mockserver.web.logs import LogHandler

    logging.getLogger().addHandler(LogHandler(runtime.mock.log))
    for number in (signal.SIGINT, signal.SIGTERM):
        # The default handlers would raise an error in the event loop while it starts; and the server raises a signal
        # that it has handled once more when it has stopped, which would end the process before the log is written.
        signal.signal(number, lambda *_: runtime.interrupt())
