"""`serve`: the server itself."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mockserver.cli.environment import refuse_unknown, setting
from mockserver.cli.output import fail

if TYPE_CHECKING:
    from socket import socket

    from flask import Flask

    from mockserver.web.server import Server

Command = TypeVar("Command", bound=Callable[..., Any])


def _flag(name: str, help: str, **options: Any) -> Callable[[Command], Command]:  # noqa: A002  # as click calls it
    """A flag that can be given by its variable as well."""
    variable = setting(name.removeprefix("--").replace("-", "_").upper())
    return click.option(name, envvar=variable, help=help, show_default="default" in options, **options)


def _limit(
    name: str,
    help: str,  # noqa: A002  # see above
    default: int,
    least: int = 1,
    most: int | None = None,
) -> Callable[[Command], Command]:
    return _flag(name, help, type=click.IntRange(least, most), default=default)


@click.command()
@_flag("--host", "Address to listen on.", default="127.0.0.1")
@_flag("--port", "Port to listen on; 0 takes a free one.", type=click.IntRange(0, 65535), default=8003)
@_flag("--port-file", "Write the port there.", type=click.Path(dir_okay=False))
@_flag("--scenario", "What the world looks like at the start.", default="standard", metavar="NAME|PATH")
@_flag("--scenarios", "A folder of scenarios, searched before the shipped ones.", type=click.Path(), metavar="DIR")
@_flag(
    "--keys",
    "Whether an unknown API key opens the first account, is refused, or gets a workspace of its own.",
    type=click.Choice(["any", "known", "isolate"]),
    default="any",
)
@_flag("--seed", "Another seed than the scenario's.", type=int)
@_flag("--control-token", "What the control API asks for from now on.", metavar="TOKEN")
@_flag(
    "--log-format",
    "How a line for each request is written to stderr; warnings are written in any case.",
    type=click.Choice(["text", "json", "off"]),
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
    type=click.Choice(["loopback", "private", "any"]),
    default="private",
)
@_limit("--workspaces-limit", "How many workspaces there may be; the one idle longest goes.", 1_000, least=2)
@_limit("--journal-limit", "How many requests a workspace's journal keeps.", 1_000)
@_limit("--journal-bytes-limit", "How many bytes a workspace's journal keeps.", 4 * 1024 * 1024)
@_limit("--mailbox-limit", "How many e-mails a workspace keeps.", 1_000)
@_limit("--snapshots-limit", "How many snapshots a workspace keeps.", 100)
@_limit("--deliveries-limit", "How many calls an account keeps; the oldest settled one goes.", 20_000)
@_limit("--body-limit", "How many bytes the body of a request may have.", 10 * 1024 * 1024)
@_limit("--yaml-limit", "How many bytes a body of YAML may have, of the control API.", 9 * 1024 * 1024)
@_limit("--depth-limit", "How many levels the body of a control call may have.", 100, least=10, most=200)
def serve(**options: Any) -> None:
    """Start the server; its address is the first line that it writes."""
    refuse_unknown(os.environ, {str(flag.envvar) for flag in serve.params if isinstance(flag, click.Option)})
    with _uncollected():
        app, listener = _made(options)
        running = _ready(app)
    from mockserver.web.server import address

    # Whoever reads the address may stop the server at once.
    print(address(listener), flush=True)
    if (mails := app.extensions["mockserver.outside"].health().get("smtp_in")) is not None:
        print(f"smtp://{mails['address']}", flush=True)
    _run(app, running, listener)


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Look for no garbage: what is made until the server runs lives as long as the process."""
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()


def _made(options: dict[str, Any]) -> tuple[Flask, socket]:
    """The application, and where it listens; the command ends here if they cannot be had."""
    from mockserver.app import create_app
    from mockserver.scenario.mistakes import ScenarioError
    from mockserver.settings import Settings
    from mockserver.web.server import BindError, bind

    settings = Settings(**options)
    try:
        app = create_app(settings)
        listener = bind(settings.host, settings.port)
        _open(app, listener)
    except (ScenarioError, BindError) as error:
        fail(str(error))
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if settings.port_file:
        Path(settings.port_file).write_text(f"{listener.getsockname()[1]}\n", encoding="ascii")
    return app, listener


def _open(app: Flask, listener: socket) -> None:
    """Let in what comes by other ways than HTTP."""
    try:
        app.extensions["mockserver.outside"].open(app.extensions["mockserver.store"])
    except OSError:
        listener.close()
        raise


@contextlib.contextmanager
def _outside(app: Flask) -> Iterator[None]:
    """Let nothing leave any more when the server has stopped."""
    try:
        yield
    finally:
        app.extensions["mockserver.outside"].close()


def _ready(app: Flask) -> Server:
    """The server, which writes down what is to be said of it, and which a signal stops from now on."""
    import logging

    from mockserver.web.request_log import LogHandler
    from mockserver.web.server import server

    logging.getLogger().addHandler(LogHandler(app.extensions["mockserver.log"]))
    running = server(app)
    for number in (signal.SIGINT, signal.SIGTERM):
        # Until the loop runs nothing may be raised within it; and when it has stopped, the server passes the signal on,
        # which would end the process before the log is written.
        signal.signal(number, lambda *_: running.stop())
    return running


def _run(app: Flask, running: Server, listener: socket) -> None:
    """Serve until a signal comes."""
    with contextlib.closing(app.extensions["mockserver.log"]), _outside(app):
        running.run(sockets=[listener])
