"""`serve`: the server itself."""

from __future__ import annotations

import contextlib
import gc
import os
from pathlib import Path
from typing import Any

import click

from mockserver.cli.environment import refuse_unknown, setting
from mockserver.cli.output import fail


@click.command()
@click.option("--host", envvar=setting("HOST"), default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", envvar=setting("PORT"), type=click.IntRange(0, 65535), default=8003, show_default=True,
    help="Port to listen on; 0 takes a free one.",
)  # fmt: skip
@click.option("--port-file", envvar=setting("PORT_FILE"), type=click.Path(dir_okay=False), help="Write the port there.")
@click.option(
    "--scenario", envvar=setting("SCENARIO"), default="standard", show_default=True, metavar="NAME|PATH",
    help="What the world looks like at the start.",
)  # fmt: skip
@click.option(
    "--scenarios", envvar=setting("SCENARIOS"), type=click.Path(), metavar="DIR",
    help="A folder of scenarios, searched before the shipped ones.",
)  # fmt: skip
@click.option(
    "--keys", envvar=setting("KEYS"), type=click.Choice(["any", "known"]), default="any", show_default=True,
    help="Whether an unknown API key opens the first account, or is refused.",
)  # fmt: skip
@click.option("--seed", envvar=setting("SEED"), type=int, help="Another seed than the scenario's.")
@click.option(
    "--mailbox-limit", envvar=setting("MAILBOX_LIMIT"), type=click.IntRange(1), default=1000, show_default=True,
    help="How many e-mails are kept.",
)  # fmt: skip
def serve(**options: Any) -> None:
    """Start the server; its address is the first line that it writes."""
    refuse_unknown(os.environ, {str(flag.envvar) for flag in serve.params if isinstance(flag, click.Option)})
    gc.disable()  # what is made until the server runs lives as long as the process

    from mockserver.app import create_app
    from mockserver.scenario.mistakes import ScenarioError
    from mockserver.settings import Settings
    from mockserver.web.server import BindError, address, bind, server

    settings = Settings(**options)
    try:
        app = create_app(settings)
        listener = bind(settings.host, settings.port)
    except ScenarioError as error:
        fail(str(error))
    except BindError as error:
        fail(str(error))
    if settings.port_file:
        Path(settings.port_file).write_text(f"{listener.getsockname()[1]}\n", encoding="ascii")
    gc.freeze()
    gc.enable()
    print(address(listener), flush=True)
    with contextlib.suppress(KeyboardInterrupt):  # an interrupt is how a shell stops it
        server(app).run(sockets=[listener])
