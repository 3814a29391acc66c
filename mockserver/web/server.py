"""The HTTP server: uvicorn with the bridge, on a socket that is bound before anything is said about it."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import uvicorn

from mockserver.web.bridge import Bridge

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

#: Idle connections live longer than any client's pool keeps them, so that no request meets a closing one; in seconds.
_KEEP_ALIVE = 75
#: How long a stop waits for requests under way, in seconds.
_GRACE = 1


class BindError(OSError):
    """The address cannot be listened on."""


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one.

    Raises:
        BindError: the address is taken, or none of this machine's.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            listener.listen(2048)
        except OSError:
            listener.close()
            raise
    except (OSError, OverflowError) as error:
        raise BindError(f"cannot listen on {host}:{port}: {error}") from error
    return listener


def address(listener: socket.socket) -> str:
    """The root address of what listens there."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def server(app: WSGIApplication) -> uvicorn.Server:
    """A server for the application, not yet running."""
    config = uvicorn.Config(
        Bridge(app),
        loop="uvloop",
        http="httptools",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=_GRACE,
    )
    return uvicorn.Server(config)
