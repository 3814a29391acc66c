"""The thin bridge between the event loop and Flask: a request is one uninterrupted step on the loop.

Nothing in the application waits, so no threads are needed; a request that wants to wait says so (`web.waiting`) and is
run again when its workspace has changed.
"""

from __future__ import annotations

import asyncio
import io
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from mockserver.settings import BODY_LIMIT
from mockserver.web.waiting import PARK, Park

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

#: What of a body over the limit is read and thrown away, so that the client gets to read the refusal.
_DRAIN_LIMIT = 20 * BODY_LIMIT


class Bridge:
    """An ASGI application that runs a WSGI application inline."""

    def __init__(self, app: WSGIApplication) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        body = await _read(receive)
        if body is None:
            return
        try:
            status, headers, content = await self._answer(scope, body, receive)
        except asyncio.CancelledError:
            return  # the server stops, and nobody waits for what a request still waited for
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": content})

    async def _answer(self, scope: Scope, body: bytes, receive: Receive) -> tuple[int, Headers, bytes]:
        park = Park()
        answer = self._run(scope, body, park)
        while park.waiting and await _changed(park, receive):
            park.waiting = False
            answer = self._run(scope, body, park)
        return answer

    def _run(self, scope: Scope, body: bytes, park: Park) -> tuple[int, Headers, bytes]:
        started: list[Any] = []

        def start_response(
            status: str, headers: list[tuple[str, str]], exc_info: Any = None
        ) -> Callable[[bytes], object]:
            started[:] = [
                int(status[:3]),
                [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers],
            ]
            return io.BytesIO().write

        chunks: Iterable[bytes] = self._app(_environ(scope, body, park), start_response)
        try:
            content = b"".join(chunks)
        finally:
            if hasattr(chunks, "close"):
                chunks.close()
        return started[0], started[1], content


async def _read(receive: Receive) -> bytes | None:
    """The body, cut off just past the limit, which the application refuses; None if the client has left."""
    body = bytearray()
    drained = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        chunk = message.get("body", b"")
        if len(body) <= BODY_LIMIT:
            body += chunk
        drained += len(chunk)
        if not message.get("more_body") or drained > _DRAIN_LIMIT:
            return bytes(body)


async def _changed(park: Park, receive: Receive) -> bool:
    """Whether the workspace changes before the time is up and the client leaves."""
    workspace, loop = park.workspace, asyncio.get_running_loop()
    left = park.deadline - time.monotonic()
    if workspace is None or left <= 0:
        return False
    changed = asyncio.Event()

    def wake() -> None:
        loop.call_soon_threadsafe(changed.set)

    workspace.watchers.add(wake)
    tasks = [loop.create_task(changed.wait()), asyncio.ensure_future(receive())]
    try:
        done, _ = await asyncio.wait(tasks, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        return tasks[0] in done
    finally:
        workspace.watchers.discard(wake)
        for task in tasks:
            task.cancel()


def _environ(scope: Scope, body: bytes, park: Park) -> dict[str, Any]:
    """The WSGI environment of a request, PEP 3333."""
    host, port = scope["server"] or ("127.0.0.1", 80)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "REQUEST_URI": scope["raw_path"].decode("latin-1"),
        "SERVER_NAME": host,
        "SERVER_PORT": str(port or 80),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": scope["client"][0] if scope["client"] else "",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": False,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        "wsgi.input_terminated": True,
        PARK: park,
    }
    for raw_name, raw_value in scope["headers"]:
        name = raw_name.decode("latin-1").upper().replace("-", "_")
        if name not in ("CONTENT_TYPE", "CONTENT_LENGTH"):
            name = f"HTTP_{name}"
        value = raw_value.decode("latin-1")
        environ[name] = f"{environ[name]},{value}" if name in environ else value
    # The body has been put together: werkzeug would cut a chunked one off at the limit instead of refusing it.
    environ.pop("HTTP_TRANSFER_ENCODING", None)
    environ["CONTENT_LENGTH"] = str(len(body))
    return environ
