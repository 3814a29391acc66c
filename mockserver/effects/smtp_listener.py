"""The SMTP listener, which passes received e-mails to a function."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from aiosmtpd.smtp import SMTP, Envelope, Session, syntax
from marshmallow import ValidationError

from mockserver.web.schemas.fields import Email
from mockserver.web.server.server import bind

#: The largest mail that is taken, in bytes; chosen above what tests send.
LARGEST = 10 * 1024 * 1024
#: How many bytes all mails may take together that are received or wait to be read; chosen for six of the largest.
MOST_TOGETHER = 64 * 1024 * 1024
#: After how many times the size of the largest mail a mail without an end is given up; chosen: far above use.
_TIMES = 20
#: How many bytes are replaced at once: for more of them, the GIL would be held so long that other threads notice.
_PIECE = 256 * 1024
#: The end of a line, the dot that is put before one at the beginning of a line, and the end of a mail: a line with a
#: dot alone (RFC 5321, 4.5.2 and 4.1.1.4).
_LINE, _DOT = b"\r\n", b"."
_END = _LINE + _DOT + _LINE


@dataclass(slots=True)
class TotalSize:
    taken: int = 0


class Incoming:
    """An e-mail received in blocks; refused e-mails are dropped."""

    def __init__(self, total: TotalSize) -> None:
        self._total = total
        #: How many bytes of this mail are counted in the total.
        self._counted = 0
        self._size = 0
        #: It begins with the end of the line of the DATA command, as the first line may be the last.
        self._kept = bytearray(_LINE)
        #: The reply that refuses the mail; empty if it is not refused.
        self.refusal = ""

    @property
    def is_endless(self) -> bool:
        """Whether too many bytes arrived without end of the e-mail."""
        return self._size > _TIMES * LARGEST

    def feed(self, block: bytes) -> bytes | None:
        """Add a block. Return bytes after the end of the e-mail, or None before its end."""
        begin = max(0, len(self._kept) - len(_END) + 1)
        self._size += len(block)
        self._kept += block
        end = self._kept.find(_END, begin)
        rest = None if end < 0 else bytes(self._kept[end + len(_END) :])
        if rest is not None:
            self._size -= len(self._kept) - end - len(_LINE)
            del self._kept[end + len(_LINE) :]
        self._apply_limits()
        return rest

    def content(self) -> bytes:
        """Return the e-mail with undoubled dots, once; its size counts until `forget`."""
        content = b"".join(self._pieces())
        self._kept = bytearray()
        return content[len(_LINE) :]

    def forget(self) -> None:
        self._kept.clear()
        self._count()

    def _pieces(self) -> Iterator[bytearray]:
        """Yield the e-mail without doubled dots, in pieces of whole lines."""
        start = 0
        while start < len(self._kept):
            end = self._kept.find(_LINE, start + _PIECE)
            end = len(self._kept) if end < 0 else end
            yield self._kept[start:end].replace(_LINE + _DOT, _LINE)
            start = end

    def _apply_limits(self) -> None:
        self._count()
        if self._size > LARGEST:
            self.refusal = f"552 5.3.4 the mail is larger than {LARGEST} bytes"
        elif self._total.taken > MOST_TOGETHER:
            self.refusal = "452 4.3.1 too many mails are coming in"
        if self.refusal:
            del self._kept[: -len(_END)]
            self._count()

    def _count(self) -> None:
        self._total.taken += len(self._kept) - self._counted
        self._counted = len(self._kept)


#: How many recipients a mail may have; RFC 5321, 4.5.3.1.8, asks for as many at least.
MOST_RECIPIENTS = 100
#: How many connections there may be at once, as each keeps up to 64 kB of a line; chosen far above what tests open.
_CONNECTIONS = 100
#: How many mails are read at once; more threads of Python would be no faster, and slow down all others.
_READERS = 2
#: How long a connection may be idle, in seconds; chosen above any pause of a test.
_IDLE_S = 60.0
#: How long `start` and `stop` wait for the thread of the listener, in seconds; chosen far above what it needs.
_JOIN_S = 1.0
#: How aiosmtpd writes the empty sender, that of bounces (RFC 5321, 4.5.5).
_NOBODY = "<>"
_ADDRESS = Email()

#: Takes the bytes of a mail, its sender (empty for bounces) and its recipients. Returns False if it cannot be saved.
Take = Callable[[bytes, str, Sequence[str]], bool | None]

_LOG = logging.getLogger(__name__)


class _Handler:
    def __init__(self, take: Take) -> None:
        self._take = take
        self._readers = ThreadPoolExecutor(_READERS, "mail-reader")
        self.total = TotalSize()
        self.received = 0

    def close(self) -> None:
        self._readers.shutdown(wait=False, cancel_futures=True)

    async def handle_MAIL(  # noqa: N802  # aiosmtpd's
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address != _NOBODY and not _is_address(address):
            return "553 5.1.7 the sender is not an e-mail address"
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 2.1.0 OK"

    async def handle_RCPT(  # noqa: N802  # aiosmtpd's
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if not _is_address(address):
            return "553 5.1.3 the recipient is not an e-mail address"
        if len(envelope.rcpt_tos) >= MOST_RECIPIENTS:
            return f"452 4.5.3 a mail can have at most {MOST_RECIPIENTS} recipients"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def take(self, envelope: Envelope) -> str:
        """Pass an e-mail to the function, and return the reply."""
        try:
            # In another thread: while one mail is read, others are received.
            is_saved = await asyncio.get_running_loop().run_in_executor(self._readers, self._read, envelope)
        except Exception:  # noqa: BLE001  # whatever is wrong with one mail, the others are taken
            _LOG.exception("a mail that came in could not be taken")
            return "451 4.3.0 the mail could not be taken, because of a bug of the mock"
        finally:
            envelope.content = None  # if its sender has gone, the queue of readers still has the envelope
        if is_saved is False:
            return "451 4.3.0 the mail could not be saved; see GET /_mock/readyz"
        self.received += 1
        return "250 2.6.0 taken"

    async def handle_exception(self, error: Exception) -> str:
        """Return the reply to a failed command of aiosmtpd."""
        return "500 5.5.2 not understood"

    def _read(self, envelope: Envelope) -> bool | None:
        """Pass a mail to the function, unless its sender has left meanwhile. Return False if it cannot be saved."""
        raw, sender = envelope.content, envelope.mail_from
        if not isinstance(raw, bytes):
            return None
        return self._take(raw, "" if sender in (None, _NOBODY) else sender, envelope.rcpt_tos)


class _Protocol(SMTP):
    """aiosmtpd's protocol with lines of any length in e-mails, in one buffer."""

    #: In bytes, of commands; chosen far above the 512 of RFC 5321, 4.5.3.1.4.
    line_length_limit = 64 * 1024

    def __init__(self, handler: _Handler, connections: set[_Protocol]) -> None:
        super().__init__(
            handler,
            data_size_limit=LARGEST,
            enable_SMTPUTF8=True,
            hostname="localhost",  # without one, aiosmtpd would look up the name of this machine
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
            await self.push("501 5.5.4 DATA takes no argument")
        else:
            await self.push("354 the mail, then a line with a dot alone")
            await self._take_mail(envelope)

    async def _take_mail(self, envelope: Envelope) -> None:
        mail = Incoming(self._handler.total)
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
        """Read an e-mail to its end or limit, leaving later bytes for the next command."""
        rest = None
        while rest is None and not mail.is_endless:
            rest = mail.feed(await self._reader.read(LARGEST))
        # A read takes all that the reader has, so this is put back as the next bytes.
        self._reader.feed_data(rest or b"")

    def abort(self) -> None:
        if isinstance(self.transport, asyncio.WriteTransport):
            self.transport.abort()


class Listener:
    """An SMTP server for inbound mails, in a thread."""

    def __init__(self, host: str, port: int, take: Take) -> None:
        """Bind an address; port 0 is free."""
        self._socket = bind(host, port, f"--smtp-in {host}:0")
        self._handler = _Handler(take)
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()
        self._running = threading.Event()
        self._thread = threading.Thread(target=self._run, name="smtp-in", daemon=True)

    @property
    def address(self) -> str:
        host, port = self._socket.getsockname()[:2]
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    def start(self) -> None:
        self._address = self.address
        self._thread.start()
        self._running.wait(_JOIN_S)
        _LOG.info("mails are taken at %s", self._address)

    def stop(self) -> None:
        """Stop receiving; an incomplete e-mail is lost without reply."""
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(_JOIN_S)

    def health(self) -> dict[str, Any]:
        """Return address and number of received e-mails, for `/_mock/health`."""
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
    try:
        _ADDRESS.deserialize(text)
    except ValidationError:
        return False
    return True
