"""A real SMTP server for tests, of another library."""

from __future__ import annotations

import asyncio
import queue
import socket
import threading
from email import message_from_bytes, policy

from aiosmtpd.smtp import SMTP
from asyncio_server import close


class Inbox:
    """A real server, which answers each mail as it was told, `250 OK` in the end, and waits while its gate is shut."""

    def __init__(self, *answers, tls=None, **options):
        self.answers = list(answers)
        self.mails = queue.Queue()
        self.tries = 0
        self.gate = threading.Event()
        self.gate.set()
        self.arrived = threading.Event()
        self._tls, self._options = tls, {"enable_SMTPUTF8": True, "hostname": "localhost", **options}
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._loop, self._over = asyncio.new_event_loop(), asyncio.Event()
        self._talks = []
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    @property
    def url(self):
        return f"{'smtps' if self._tls else 'smtp'}://127.0.0.1:{self.port}"

    async def handle_DATA(self, server, session, envelope):  # noqa: N802  # aiosmtpd's
        self.tries += 1
        self.arrived.set()
        await asyncio.to_thread(self.gate.wait, 10)
        answer = self.answers.pop(0) if self.answers else "250 OK"
        if isinstance(answer, threading.Event):
            await asyncio.to_thread(answer.wait, 10)
            answer = "250 OK"
        if answer is None:
            server.transport.abort()
            return ""
        if answer.startswith("2"):
            self.mails.put((envelope, session))
        return answer

    def got(self):
        """The next mail that was taken, and its envelope."""
        envelope, _ = self.mails.get(timeout=10)
        return message_from_bytes(envelope.content, policy=policy.default), envelope

    def close(self):
        self.gate.set()
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(timeout=10)
        assert not self._thread.is_alive()

    def _run(self):
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self):
        server = await self._loop.create_server(self._talk, sock=self._socket, ssl=self._tls)
        await self._over.wait()
        await close(server, self._cut)

    def _cut(self):
        for talk in self._talks:
            if talk.transport is not None:
                talk.transport.abort()

    def _talk(self):
        self._talks.append(SMTP(self, loop=self._loop, **self._options))
        return self._talks[-1]
