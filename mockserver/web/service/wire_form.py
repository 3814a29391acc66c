"""Answers that leave in the wire form that a fault chooses."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

from werkzeug.wrappers import Response

from mockserver.core.traffic.exchange import Exchange, Wire
from mockserver.core.traffic.held import Held
from mockserver.core.workspaces.keeping import Keeping, KeepingError
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.server.wire import transmit


def in_wire_form(
    wire: Wire,
    response: Response,
    environ: dict[str, Any],
    workspace: Workspace,
    exchange: Exchange,
    keeping: Keeping,
) -> Response:
    """An answer that leaves in a wire form; `environ` is that of the request as it was last run.

    Raises:
        ConnectionResetError: the fault wants no answer, and the server is an ordinary WSGI server.
    """
    if wire.held is not None and not exchange.body and environ.get("CONTENT_LENGTH", "0") not in ("", "0"):
        wire.held.is_without_body = True
    return transmit(wire, response, environ, partial(_end_hold, keeping, workspace, wire.held))


def _end_hold(keeping: Keeping, workspace: Workspace, held: Held | None) -> None:
    """Tell a workspace that nobody waits for an answer any more, unless it cannot be read."""
    with suppress(KeepingError):
        keeping.run(partial(workspace.end_hold, held))
