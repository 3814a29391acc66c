"""A real SMTP listener: mails that come in, for whoever in the mock they are for."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from aiosmtpd.smtp import SMTP, Envelope, Session, syntax
from marshmallow import ValidationError

from mockserver.effects.mail.data import LARGEST, Incoming, Room
from mockserver.web.schemas.fields import Email
from mockserver.web.server.server import bind

#: How many recipients a mail may have; RFC 5321, 4.5.3.1.8, asks for as many at least.
MOST_RECIPIENTS = 100
#: How many connections there may be at once; each keeps up to 64 kB of a line.
_CONNECTIONS = 100
#: How many mails are read at once; more would make all others wait, and be no faster.
_READERS = 2
#: How long a connection may do nothing, and how long a start and a stop wait for the listener's thread, in seconds.
_IDLE_S, _PATIENCE_S = 60.0, 1.0
#: How the library writes that nobody sent a mail: bounces and the like.
_NOBODY = "<>"
_ADDRESS = Email()

#: Takes the mail as it came, its sender (empty, where it is nobody) and its recipients.
Take = Callable[[bytes, str, Sequence[str]], None]

_LOG = logging.getLogger(__name__)


class _Handler:
    """Decides what is taken, and hands it on."""

    def __init__(self, take: Take) -> None:
        self._take = take
        self._readers = ThreadPoolExecutor(_READERS, "mail-reader")
        self.room = Room()
        self.received = 0

    def close(self) -> None:
        """Begin to read no more mails."""
        self._readers.shutdown(wait=False, cancel_futures=True)

    async def handle_MAIL(  # noqa: N802  # aiosmtpd's
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address != _NOBODY and not _is_address(address):
            return "553 5.1.7 the sender is no address"
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 2.1.0 OK"

    async def handle_RCPT(  # noqa: N802  # see above
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if not _is_address(address):
            return "553 5.1.3 the recipient is no address"
        if len(envelope.rcpt_tos) >= MOST_RECIPIENTS:
            return f"452 4.5.3 a mail may have {MOST_RECIPIENTS} recipients"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def take(self, envelope: Envelope) -> str:
        """Hand on a mail that has come in; how that went, for its sender."""
        try:
            # In another thread: while one mail is read, others come in.
            await asyncio.get_running_loop().run_in_executor(self._readers, self._read, envelope)
        except Exception:  # noqa: BLE001  # whatever is wrong with one mail, the others are taken
            _LOG.exception("a mail that came in could not be taken")
            return "451 4.3.0 the mail could not be taken, which is a mistake of the mock"
        finally:
            envelope.content = None  # where its sender has gone, it still stands in line
        self.received += 1
        return "250 2.6.0 taken"

    async def handle_exception(self, error: Exception) -> str:
        """Answer what the library stumbles over."""
        return "500 5.5.2 not understood"

    def _read(self, envelope: Envelope) -> None:
        """Hand a mail on, unless its sender has gone before its turn came."""
        raw, sender = envelope.content, envelope.mail_from
        if isinstance(raw, bytes):
            self._take(raw, "" if sender in (None, _NOBODY) else sender, envelope.rcpt_tos)


class _Protocol(SMTP):
    """The library's protocol, but for mails: their lines may have any length, and are no objects of their own."""

    line_length_limit = 64 * 1024

    def __init__(self, handler: _Handler, connections: set[_Protocol]) -> None:
        super().__init__(
            handler,
            data_size_limit=LARGEST,
            enable_SMTPUTF8=True,
            hostname="localhost",  # the library would look one up
            ident="mockserver",
            timeout=_IDLE_S,
            loop=asyncio.get_running_loop(),
        )
        self._handler, self._connections = handler, connections

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._connections.add(self)
        if len(self._connections) > _CONNECTIONS:
            transport.write(b"421 4.3.2 too many connections\r\n")
            transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        self._connections.discard(self)
        super().connection_lost(error)

    @syntax("DATA")
    async def smtp_DATA(self, arg: str | None) -> None:  # noqa: N802  # aiosmtpd's
        if await self.check_helo_needed():
            return
        envelope = self.envelope
        if envelope is None or not envelope.rcpt_tos:
            await self.push("503 5.5.1 RCPT comes first")
        elif arg:
            await self.push("501 5.5.4 DATA stands alone")
        else:
            await self.push("354 the mail, then a line with a dot alone")
            await self._take_mail(envelope)

    async def _take_mail(self, envelope: Envelope) -> None:
        mail = Incoming(self._handler.room)
        try:
            await self._receive(mail)
            envelope.content = mail.content()
            answer = mail.refusal or await self._handler.take(envelope)
        finally:
            mail.forget()
        self.envelope = Envelope()
        await self.push(answer)
        if mail.is_endless:
            self._writer.close()

    async def _receive(self, mail: Incoming) -> None:
        """Read up to the end of a mail, or until nobody would wait for it; what follows the end are commands again."""
        rest = None
        while rest is None and not mail.is_endless:
            rest = mail.feed(await self._reader.read(LARGEST))
        # Nothing is left there, as a read takes all: this is what comes next.
        self._reader.feed_data(rest or b"")

    def abort(self) -> None:
        """Let the connection go, whatever is under way."""
        if isinstance(self.transport, asyncio.WriteTransport):
            self.transport.abort()


class Listener:
    """Listens from `start` to `stop`, in a thread of its own."""

    def __init__(self, host: str, port: int, take: Take) -> None:
        """Take the address; port 0 is a free one.

        Raises:
            OSError: it is taken, or none of this machine's.
        """
        self._socket = bind(host, port)
        self._handler = _Handler(take)
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()
        self._running = threading.Event()
        self._thread = threading.Thread(target=self._run, name="smtp-in", daemon=True)

    @property
    def address(self) -> str:
        """Where it listens, `HOST:PORT`."""
        host, port = self._socket.getsockname()[:2]
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    def start(self) -> None:
        self._address = self.address
        self._thread.start()
        self._running.wait(_PATIENCE_S)
        _LOG.info("mails are taken at %s", self._address)

    def stop(self) -> None:
        """Take no more mails; what is half-way in is lost, and its sender knows."""
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(_PATIENCE_S)

    def health(self) -> dict[str, Any]:
        """How it goes."""
        return {"address": self._address, "received": self._handler.received}

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._listen())

    async def _listen(self) -> None:
        connections: set[_Protocol] = set()
        server = await self._loop.create_server(lambda: _Protocol(self._handler, connections), sock=self._socket)
        self._running.set()
        await self._stopping.wait()
        server.close()
        self._handler.close()
        for connection in tuple(connections):
            connection.abort()


def _is_address(text: str) -> bool:
    """Whether the API could show it as an address."""
    try:
        _ADDRESS.deserialize(text)
    except ValidationError:
        return False
    return True
