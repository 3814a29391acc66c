"""`serve`: the server itself."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mockserver.cli.environment import check_names, setting
from mockserver.cli.output import FOLDER, Finite, fail
from mockserver.cli.program import give_up
from mockserver.settings import CHOICES, RANGES

if TYPE_CHECKING:
    from mockserver.app.runtime import Runtime

#: Whom the server lets in, by `--keys`, in words for a terminal.
_WHO = {
    "any": "Any API key will do: curl -H 'api-key: any' {root}/v3/senders",
    "known": "The API keys are those of the scenario; {root}/_mock/workspaces/default tells them.",
    "isolate": "Each API key that you make up gets a workspace of its own: curl -H 'api-key: mine' {root}/v3/senders",
}

Command = TypeVar("Command", bound=Callable[..., Any])


def _flag(name: str, help: str, **options: Any) -> Callable[[Command], Command]:  # noqa: A002  # as click calls it
    """A flag that can be given by its variable as well."""
    variable = setting(name.removeprefix("--").replace("-", "_").upper())
    options.setdefault("show_default", "default" in options)
    return click.option(name, envvar=variable, show_envvar=True, help=help, **options)


class Limit(click.Option):
    """A flag that limits what a server takes or keeps."""

    #: What becomes of what goes beyond it.
    beyond: str


def _limit(
    name: str,
    help: str,  # noqa: A002  # see above
    default: float,
    beyond: str = "",
    *,
    least: int = 1,
) -> Callable[[Command], Command]:
    span = RANGES.get(name.removeprefix("--").replace("-", "_"), (least, None))
    kind = click.IntRange(*span) if isinstance(default, int) else Finite(0, min_open=True)

    def declare(command: Command) -> Command:
        found = _flag(name, help, type=kind, default=default, cls=Limit)(command)
        found.__click_params__[-1].beyond = beyond  # type: ignore[attr-defined]  # where click gathers them
        return found

    return declare


@click.command()
@_flag("--host", "Address to listen on.", default="127.0.0.1")
@_flag("--port", "Port to listen on; 0 takes a free one.", type=click.IntRange(*RANGES["port"]), default=8003)
@_flag("--port-file", "Write the port there.", type=click.Path(dir_okay=False))
@_flag("--scenario", "What the workspace looks like at the start.", default="standard", metavar="NAME|PATH")
@_flag("--scenarios", "A folder of scenarios, searched before the shipped ones.", type=FOLDER, metavar="DIR")
@_flag(
    "--keys",
    "Whether an unknown API key opens the first account, is refused, or gets a workspace of its own.",
    type=click.Choice(CHOICES["keys"]),
    default="any",
)
@_flag("--seed", "Another seed than the scenario's.", type=click.IntRange(*RANGES["seed"]))
@_flag("--control-token", "What the control API asks for from now on.", metavar="TOKEN")
@_flag("--control-token-file", "A file that holds it.", type=click.Path(), metavar="FILE")
@_flag(
    "--allowed-host",
    "A name by which the control API may be reached, beside those that are nobody else's; .acme.com stands for all "
    "below it, * for all. Can be given several times, or with commas.",
    multiple=True,
    default=(),
    show_default=False,
    callback=lambda _, __, given: tuple(name for part in given for name in part.split(",") if name),
    metavar="NAME",
)
@_flag(
    "--log-format",
    "How a line for each request is written to stderr; warnings are written in any case.",
    type=click.Choice(CHOICES["log_format"]),
    default="text",
)
@_flag(
    "--smtp-url",
    "A server to which e-mails go as well; smtps:// speaks TLS from the start, smtp:// where the server offers it.",
    metavar="smtp://[USER:PASSWORD@]HOST:PORT",
)
@_flag("--smtp-in", "Where mails are taken by SMTP; port 0 takes a free one.", metavar="HOST:PORT")
@_flag("--dns-resolver", "The server that is asked where behaviour.dns is resolver.", metavar="HOST:PORT")
@_flag(
    "--egress",
    "How far calls may go.",
    type=click.Choice(CHOICES["egress"]),
    default="private",
)
@_limit("--workspaces-limit", "How many workspaces there may be.", 1_000, "The one idle longest goes.", least=2)
@_limit(
    "--rows-limit",
    "How many rows a workspace holds: accounts, senders, tokens, keys and all else that has no limit of its own.",
    250_000,
    "out_of_range, 409 on /_mock; the oldest entry of a log goes.",
    least=200_000,
)
@_limit(
    "--documents-bytes-limit",
    "How many bytes the documents take of which a workspace is made, what is seeded included.",
    256 * 1024 * 1024,
    "400, 409 for what is seeded.",
)
@_limit("--journal-limit", "How many requests a workspace's journal keeps.", 1_000, "The oldest one goes.")
@_limit("--journal-bytes-limit", "How many bytes a workspace's journal keeps.", 4 * 1024 * 1024, "The oldest one goes.")
@_limit("--feed-limit", "How many events a workspace keeps for its stream.", 1_000, "The oldest one goes.")
@_limit("--feed-bytes-limit", "How many bytes of events a workspace keeps.", 4 * 1024 * 1024, "The oldest one goes.")
@_limit("--mailbox-limit", "How many e-mails a workspace keeps.", 1_000, "The oldest one goes.")
@_limit(
    "--mailbox-bytes-limit", "How many bytes of e-mails a workspace keeps.", 16 * 1024 * 1024, "The oldest one goes."
)
@_limit("--snapshots-limit", "How many snapshots a workspace keeps.", 100, "409")
@_limit("--snapshots-bytes-limit", "How many bytes of snapshots a workspace keeps.", 64 * 1024 * 1024, "409")
@_limit("--deliveries-limit", "How many calls an account keeps.", 20_000, "The oldest settled one goes.")
@_limit(
    "--deliveries-bytes-limit",
    "How many bytes of calls a workspace keeps.",
    64 * 1024 * 1024,
    "The oldest settled one goes; a payload of more than a quarter of it is not kept.",
)
@_limit("--receivers-limit", "How many calls all receivers of a workspace keep.", 10_000, "The oldest one goes.")
@_limit(
    "--receivers-bytes-limit",
    "How many bytes of calls all receivers of a workspace keep.",
    64 * 1024 * 1024,
    "The oldest one goes.",
)
@_limit("--body-limit", "How many bytes the body of a request may have.", 10 * 1024 * 1024, "413")
@_limit(
    "--bodies-limit",
    "How many bytes the bodies of all requests may have together, until they are answered.",
    128 * 1024 * 1024,
    "They wait; of a client that has sent nothing for a second, the request is refused with 503.",
)
@_limit(
    "--answers-limit",
    "How many bytes of answers may wait for their clients to read them.",
    256 * 1024 * 1024,
    "The connection ends whose client has read nothing for longest.",
)
@_limit("--yaml-limit", "How many bytes a body of YAML may have, of the control API.", 9 * 1024 * 1024, "413")
@_limit("--depth-limit", "How many levels the body of a control call may have.", 100, "400")
@_limit("--body-timeout", "How many seconds a body may take to come in.", 60.0, "408, and the connection ends.")
@_limit(
    "--head-limit",
    "How many bytes a request's line and headers may have.",
    64 * 1024,
    "431, and the connection ends.",
)
@_limit("--headers-limit", "How many headers a request may have.", 2_000, "431, and the connection ends.")
@_limit(
    "--head-timeout", "How many seconds line and headers may take to come in.", 30.0, "408, and the connection ends."
)
@_limit(
    "--connections-limit",
    "How many connections there may be at once.",
    1_000,
    "The one that was idle longest is closed; where none is idle, the new one gets 503. The log tells of both.",
)
def serve(**options: Any) -> None:
    """Start the server; its address is the first line that it writes."""
    check_names(os.environ, {str(flag.envvar) for flag in serve.params if isinstance(flag, click.Option)})
    if options["control_token"] is None:
        # An empty variable counts as none to click; one that is to protect something must not open it.
        options["control_token"] = os.environ.get(setting("CONTROL_TOKEN"))
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
