"""`serve`: starts the server, and runs it until a signal stops it."""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mockserver.cli.environment import check_names, variable
from mockserver.cli.options import Integer, Name
from mockserver.cli.options import Seconds as SecondsValue
from mockserver.cli.output import echo, fail
from mockserver.cli.program import Misused, Option, command, ending_signals, give_up
from mockserver.settings import declared
from mockserver.settings.declaration import (
    Choice,
    PathType,
    PublicUrl,
    ReplicaName,
    ScenarioReference,
    Seconds,
    StoreReference,
    Texts,
    ValueType,
    WholeNumber,
    YesOrNo,
)

if TYPE_CHECKING:
    from mockserver.app.runtime import Runtime

#: Which API keys the server takes, by the setting `keys`: a hint for people at a terminal.
_KEY_HINTS = {
    "any": "Any API key will do: {curl} -H 'api-key: any' {root}/v3/senders",
    "known": "The API keys are those of the scenario: mockserver workspaces show default --url {root}",
    "isolate": "Each API key that you make up gets its own workspace: {curl} -H 'api-key: mine' {root}/v3/senders",
}

#: After how many collections of the youngest generation the middle generation is collected. Chosen: with Python's own
#: 10, collections stop each of 16 clients for 3 ms every thousand writes, which determines the p99 latency. Objects
#: here are rarely garbage, as they form no reference cycles.
_COLLECTIONS_OF_THE_NEWEST = 100


@command("serve")
def serve(**options: Any) -> int:
    """Start the server, and print its address as the first line."""
    check_names(os.environ, {variable(row.name) for row in declared()})
    for secret in ("control_token", "forward_key"):
        if options[secret] is None:
            # An empty variable is refused and not ignored: it was meant to be a secret.
            options[secret] = os.environ.get(variable(secret))
    with _without_collection():
        runtime = _open_runtime(options)
        _stop_at_signals(runtime)
    newest, _, oldest = gc.get_threshold()
    gc.set_threshold(newest, _COLLECTIONS_OF_THE_NEWEST, oldest)
    try:
        _print_addresses(runtime)
        runtime.run()
    finally:
        is_saved = runtime.close()
    return 0 if is_saved else 1


# ------------------------------------------------------------------ flags


def flags() -> Iterator[Option]:
    for setting in declared():
        declaration = setting.declaration
        readings = [read(declaration.type) for kind, read in _READING.items() if isinstance(declaration.type, kind)]
        yield Option(
            [f"--{setting.name.replace('_', '-')}"],
            default=setting.default if declaration.flag_default is None else declaration.flag_default,
            help=declaration.help,
            metavar=declaration.metavar,
            envvar=variable(setting.name),
            section="Options" if declaration.beyond is None else "Limits",
            **(readings[0] if readings else {}),
        )


class _Checked(click.types.StringParamType):
    """A text checked by a setting; `why` continues the error message after "is no"."""

    def __init__(self, type_: ReplicaName | StoreReference | PublicUrl, why: str) -> None:
        self._type, self._why = type_, why

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        shown = self._type.shown(value)
        return value if self._type.takes(value) else self.fail(f"{shown} is no {self._why} {self._type.words}.")


def _split(given: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for text in given for name in text.split(",") if name)


#: The keywords by which click reads the value of each type.
_READING: Mapping[type[ValueType], Callable[[Any], dict[str, Any]]] = {
    YesOrNo: lambda type_: {"is_flag": True},
    WholeNumber: lambda type_: {
        "type": Integer(type_.least if type_.least_of_flag is None else type_.least_of_flag, type_.most)
    },
    Seconds: lambda type_: {"type": SecondsValue(0, min_open=True)},
    Choice: lambda type_: {"type": click.Choice(list(type_.choices))},
    PathType: lambda type_: {"type": click.Path(exists=type_.exists, file_okay=type_.file, dir_okay=type_.folder)},
    ReplicaName: lambda type_: {"type": _Checked(type_, "name of a replica: it has")},
    StoreReference: lambda type_: {"type": _Checked(type_, "store: it must be")},
    PublicUrl: lambda type_: {"type": _Checked(type_, "public address: it must be")},
    Texts: lambda type_: {"multiple": True, "callback": lambda ctx, param, given: _split(given)},
    ScenarioReference: lambda type_: {"type": Name("scenario")},
}

#: The flags of all settings, before `--help`.
serve.params.extend(flags())


# ------------------------------------------------------------------ running


def _print_addresses(runtime: Runtime) -> None:
    public, mails = runtime.mock.settings.public_root, runtime.mock.effects.health().get("smtp_in")
    root = public or runtime.url
    try:
        # Flushed, because a program that reads the address waits for it. The first is where the server listens.
        for url in dict.fromkeys((runtime.url, runtime.tls_url, public)):
            if url is not None:
                print(url, flush=True)
        if mails is not None:
            print(f"smtp://{mails['address']}", flush=True)
    except OSError as error:
        give_up(error)
    if sys.stderr.isatty():
        echo(f"  {root}/_mock/ui/ shows what happens here, and why, in a browser.", err=True)
        echo(f"  {root}/_mock/docs shows the API, to read and to try.", err=True)
        curl = "curl --insecure" if public is None and root.startswith("https:") else "curl"
        echo(f"  {_KEY_HINTS[runtime.mock.settings.keys].format(root=root, curl=curl)}", err=True)
        echo("  Ctrl-C stops the server.", err=True)


@contextlib.contextmanager
def _without_collection() -> Iterator[None]:
    """Suspend the garbage collector, and exclude the objects made meanwhile from later collections."""
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()


def _open_runtime(options: dict[str, Any]) -> Runtime:
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
        try:
            Path(settings.port_file).write_text(f"{runtime.port}\n", encoding="ascii")
        except OSError as error:
            runtime.close()
            raise Misused(f"cannot write the port to {settings.port_file}: {error.strerror}") from error
    return runtime


def _stop_at_signals(runtime: Runtime) -> None:
    """Stop the server at SIGINT and the ending signals, and log warnings of all modules."""
    from mockserver.web.logs import LogHandler

    logging.getLogger().addHandler(LogHandler(runtime.mock.log))
    for number in (signal.SIGINT, *ending_signals()):
        # The default handlers would raise an error in the event loop while it starts. And the server raises a handled
        # signal again after it has stopped, which would end the process before the log is written.
        signal.signal(number, lambda *_: runtime.interrupt())
