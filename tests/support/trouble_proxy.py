"""A TCP proxy in front of a server or an engine: it counts connections, and disturbs them as a test wants it."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress

from asyncio_server import close

_CHUNK = 1 << 16


class TroubleProxy:
    """Listens on a free port of loopback, and passes all on to another port until it is told to do something else."""

    def __init__(self, port):
        self._target = port
        self._loop = asyncio.new_event_loop()
        self._links: set[asyncio.Task[None]] = set()
        #: How many connections clients have opened.
        self.accepted = 0
        self._reset()
        self._server = self._loop.run_until_complete(asyncio.start_server(self._link, "127.0.0.1", 0))
        self.port = self._server.sockets[0].getsockname()[1]
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def _reset(self):
        self._delay_s, self._is_refusing, self._kept_of_replies = 0.0, False, 1.0
        self._is_open = asyncio.Event()
        self._is_open.set()

    # ------------------------------------------------------------------ what a test tells it

    def pass_all(self):
        """Pass everything on at once again, on the connections that are left and on new ones."""
        self._tell(self._set, is_refusing=False, delay_s=0.0, kept_of_replies=1.0)
        self._tell(self._is_open.set)

    def delay(self, seconds):
        """Let each reply wait, from now on."""
        self._tell(self._set, delay_s=seconds)

    def refuse(self):
        """Cut all connections, and close each new one at once, from now on."""
        self._tell(self._set, is_refusing=True)
        self.cut()

    def cut(self):
        """Cut all connections that there are; new ones are welcome."""
        self._tell(self._cut)

    def silence(self):
        """Pass nothing on and close nothing, from now on, as a network does that drops all packets."""
        self._tell(self._is_open.clear)

    def keep_of_replies(self, share):
        """Cut each connection after a share of its next reply, 0 to 1, from now on; the command has arrived."""
        self._tell(self._set, kept_of_replies=share)

    def _tell(self, do, **values):
        done = threading.Event()
        self._loop.call_soon_threadsafe(lambda: (do(**values), done.set()))
        assert done.wait(10), "the proxy does not answer"

    def _set(self, **values):
        for name, value in values.items():
            setattr(self, f"_{name}", value)

    def _cut(self):
        for link in self._links:
            link.cancel()

    # ------------------------------------------------------------------ in the thread of the proxy

    async def _link(self, reader, writer):
        self.accepted += 1
        if self._is_refusing:
            writer.transport.abort()
            return
        task = asyncio.current_task()
        self._links.add(task)
        writers = [writer]
        try:
            with suppress(OSError):
                theirs, to_engine = await asyncio.open_connection("127.0.0.1", self._target)
                writers.append(to_engine)
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._pass_commands(reader, to_engine))
                    group.create_task(self._pass_replies(theirs, writer))
        except* (OSError, asyncio.CancelledError):
            pass  # either side has gone, or a test has cut it
        finally:
            for one in writers:
                one.transport.abort()
            self._links.discard(task)

    async def _pass_commands(self, reader, writer):
        while chunk := await reader.read(_CHUNK):
            await self._is_open.wait()
            writer.write(chunk)
            await writer.drain()
        raise ConnectionResetError

    async def _pass_replies(self, reader, writer):
        while chunk := await reader.read(_CHUNK):
            await asyncio.sleep(self._delay_s)
            await self._is_open.wait()
            kept = chunk[: int(len(chunk) * self._kept_of_replies)]
            writer.write(kept)
            await writer.drain()
            if kept != chunk:
                break
        raise ConnectionResetError

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.run_until_complete(close(self._server, self._cut))
        self._loop.close()
