"""E-mails that really leave, by SMTP: in the background, tried again, and never in anybody's way."""

from __future__ import annotations

import contextlib
import logging
import smtplib
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from mockserver.core.traffic.mailbox import FAILED, SENT, WAITING, Sending
from mockserver.core.workspaces.effects import Report, Wanted
from mockserver.effects.egress import Egress
from mockserver.effects.mail.connection import Connection, SecureConnection, is_final, sentence

#: How long after a failure an e-mail is tried again, in seconds; after the last try it has failed for good.
DELAYS = (1.0, 5.0, 30.0)
#: How long a server may take for a step, and for a whole e-mail, in seconds.
_STEP_S, _WHOLE_S = 10.0, 30.0
#: How many e-mails wait; a further one is not taken.
_WAITING = 10_000
#: How long a close waits for the thread to see it, in seconds.
_PATIENCE_S = 0.5


_LOG = logging.getLogger(__name__)


class SmtpUrl(NamedTuple):
    """`smtp://user:password@host:port`, or `smtps://` for TLS from the start."""

    host: str
    port: int
    tls: bool = False
    user: str | None = None
    password: str = ""

    @classmethod
    def parse(cls, url: str) -> SmtpUrl:
        """The parts of an address; without a port it is 25, or 465 for `smtps`.

        Raises:
            ValueError: it is none; the message does not repeat it, as a password may stand in it.
        """
        try:
            parts = urlsplit(url)
            tls = parts.scheme == "smtps"
            port = parts.port if parts.port is not None else 465 if tls else 25
        except ValueError as error:
            raise ValueError(f"the SMTP url is none: {error}") from None
        is_bare = parts.path in ("", "/") and not parts.query and not parts.fragment
        if (
            parts.scheme not in ("smtp", "smtps")
            or not parts.hostname
            or not port
            or not is_bare
            or url.split() != [url]
        ):
            raise ValueError("the SMTP url must be smtp://[USER:PASSWORD@]HOST[:PORT], or the same with smtps://")
        user = unquote(parts.username) if parts.username else None
        return cls(parts.hostname, port, tls, user, unquote(parts.password or ""))


class SmtpLimits(NamedTuple):
    """How patient a postman is, in seconds, and with how many e-mails."""

    delays: tuple[float, ...] = DELAYS
    step_s: float = _STEP_S
    whole_s: float = _WHOLE_S
    waiting: int = _WAITING


@dataclass(slots=True, eq=False)
class _Letter:
    """An e-mail on its way: who writes it, who is told what comes of it, and whether it is still to leave."""

    write: Callable[[], EmailMessage]
    report: Report
    wanted: Wanted
    tries: int = 0
    not_before: float = 0.0


class SmtpClient:
    """Takes e-mails to one server, one after another, in a thread of its own.

    TLS is used where the server offers it (STARTTLS), and its certificate is then checked: by the system's authorities,
    or by those of `SSL_CERT_FILE`.
    """

    def __init__(self, url: SmtpUrl, egress: Egress, limits: SmtpLimits | None = None) -> None:
        self._url, self._egress, self._limits = url, egress, limits or SmtpLimits()
        #: Held for all below.
        self._changed = threading.Condition()
        self._letters: list[_Letter] = []
        self._thread: threading.Thread | None = None
        self._connection: Connection | None = None
        self._closed = False
        self._sent = self._failed = self._under_way = 0
        self._last_error: str | None = None

    def send(self, write: Callable[[], EmailMessage], report: Report, wanted: Wanted) -> None:
        """Let an e-mail be sent, as long as it is wanted."""
        report(Sending(WAITING))
        with self._changed:
            is_full = len(self._letters) >= self._limits.waiting
            if not is_full:
                self._letters.append(_Letter(write, report, wanted))
                self._start()
                self._changed.notify()
        if is_full:
            self._note_failure(f"{self._limits.waiting} e-mails wait already", is_over=True)
            report(Sending(FAILED, 0, self._last_error))

    def close(self) -> None:
        """Take no more e-mails anywhere, whatever is under way."""
        with self._changed:
            self._closed = True
            self._letters.clear()
            self._changed.notify()
            connection = self._connection
        if connection is not None:
            connection.hang_up()
        if self._thread is not None:
            self._thread.join(_PATIENCE_S)

    def health(self) -> dict[str, Any]:
        """How it goes."""
        with self._changed:
            return {
                "server": f"{self._url.host}:{self._url.port}",
                "sent": self._sent,
                "failed": self._failed,
                "waiting": len(self._letters) + self._under_way,
                "last_error": self._last_error,
            }

    # ------------------------------------------------------------------ the thread

    def _start(self) -> None:
        if self._thread is None and not self._closed:
            thread = threading.Thread(target=self._run, name="postman", daemon=True)
            try:
                thread.start()
            except RuntimeError:
                _LOG.exception("no thread could be started: e-mails wait for the next one")
            else:
                self._thread = thread

    def _run(self) -> None:
        while (letter := self._next()) is not None:
            try:
                if letter.wanted():
                    self._deliver(letter)
            except Exception:  # noqa: BLE001  # the thread has more to deliver
                _LOG.exception("an e-mail has failed in a way that nobody has thought of")
            with self._changed:
                self._under_way = 0

    def _next(self) -> _Letter | None:
        """The letter whose turn has come, as soon as it has; None: there will be no more."""
        with self._changed:
            while not self._closed:
                now = time.monotonic()
                soonest = min(self._letters, key=lambda letter: letter.not_before, default=None)
                if soonest is not None and soonest.not_before <= now:
                    self._letters.remove(soonest)
                    self._under_way = 1
                    return soonest
                self._changed.wait(None if soonest is None else soonest.not_before - now)
            return None

    def _deliver(self, letter: _Letter) -> None:
        letter.tries += 1
        try:
            self._send(letter.write())
        except Exception as error:  # noqa: BLE001  # whatever is wrong with one letter, the others are delivered
            if not self._closed:
                self._fail(letter, error)
        else:
            with self._changed:
                self._sent += 1
            letter.report(Sending(SENT, letter.tries))

    def _fail(self, letter: _Letter, error: Exception) -> None:
        is_over = is_final(error) or letter.tries > len(self._limits.delays)
        text = sentence(error)
        self._note_failure(text, is_over=is_over)
        letter.report(Sending(FAILED if is_over else WAITING, letter.tries, text))
        if not is_over:
            letter.not_before = time.monotonic() + self._limits.delays[letter.tries - 1]
            with self._changed:
                self._letters.append(letter)

    def _note_failure(self, text: str, *, is_over: bool) -> None:
        with self._changed:
            self._last_error = text
            self._failed += is_over

    # ------------------------------------------------------------------ the conversation

    def _send(self, message: EmailMessage) -> None:
        sender, to = (message[name].addresses[0].addr_spec for name in ("From", "To"))
        with self._connected() as server:
            server.ehlo_or_helo_if_needed()
            if not self._url.tls and server.has_extn("starttls"):
                server.starttls(context=ssl.create_default_context())
            if self._url.user is not None:
                server.login(self._url.user, self._url.password)
            server.send_message(message, sender, [to])

    @contextlib.contextmanager
    def _connected(self) -> Iterator[smtplib.SMTP]:
        """A connection to the server, which is cut when the time for a whole e-mail is up."""
        kind = SecureConnection if self._url.tls else Connection
        server = kind(self._egress, self._limits.step_s)
        cut = threading.Timer(self._limits.whole_s, server.hang_up)
        cut.daemon = True
        with self._changed:
            self._connection = server
        cut.start()
        try:
            server.meet(self._url.host, self._url.port)
            yield server
            with contextlib.suppress(OSError):  # it was taken; whatever comes now changes nothing
                server.quit()
        except OSError:
            if server.is_cut:
                raise TimeoutError(f"it took longer than {self._limits.whole_s:g} seconds") from None
            raise
        finally:
            cut.cancel()
            with self._changed:
                self._connection = None
            server.close()
