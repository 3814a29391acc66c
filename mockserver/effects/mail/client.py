"""E-mails that really leave, by SMTP: in the background, tried again, and never in anybody's way."""

from __future__ import annotations

import contextlib
import smtplib
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from functools import partial
from typing import Any, NamedTuple

from mockserver.core.effects.effects import Report, Wanted
from mockserver.core.traffic.mailbox import FAILED, SENT, WAITING, Sending
from mockserver.effects.dispatcher import Dispatcher, Task
from mockserver.effects.egress import Egress
from mockserver.effects.mail.connection import Connection, SecureConnection, is_final, sentence
from mockserver.effects.mail.url import SmtpUrl


class SmtpLimits(NamedTuple):
    """How patient an SMTP client is, and with how many e-mails."""

    #: How long after each failure an e-mail is tried again, in seconds; after the last try it has failed for good.
    delays: tuple[float, ...] = (1.0, 5.0, 30.0)
    #: How long a server may take for a step, in seconds: it is near, and only a broken one takes as long.
    step_s: float = 10.0
    #: How long a server may take for a whole e-mail, in seconds: all others wait for it.
    whole_s: float = 30.0
    #: How many e-mails wait; each keeps its workspace alive, and a further one is not taken.
    waiting: int = 10_000


@dataclass(slots=True, eq=False)
class _Email:
    """An e-mail on its way: who writes it, who is told what comes of it, and whether it is still to leave."""

    write: Callable[[], EmailMessage]
    report: Report
    wanted: Wanted
    tries: int = 0


class SmtpClient:
    """Takes e-mails to one server, one after another, in the background.

    TLS is used where the server offers it (STARTTLS), and its certificate is then checked: by the system's authorities,
    or by those of `SSL_CERT_FILE`.
    """

    def __init__(self, url: SmtpUrl, egress: Egress, limits: SmtpLimits | None = None) -> None:
        self._url, self._egress, self._limits = url, egress, limits or SmtpLimits()
        # One thread keeps the order; one of its own does not wait for webhook calls to receivers that hang.
        self._dispatcher = Dispatcher(threads=1, waiting=self._limits.waiting)
        #: Held for all below.
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._closed = False
        self._sent = self._failed = 0
        self._last_error: str | None = None

    def send(self, write: Callable[[], EmailMessage], report: Report, wanted: Wanted) -> None:
        """Let an e-mail be sent, as long as it is wanted."""
        report(Sending(WAITING))
        is_taken = self._dispatcher.submit(self._task(_Email(write, report, wanted)))
        if not is_taken and not self._closed:
            text = f"{self._limits.waiting} e-mails wait already"
            self._note_failure(text, is_over=True)
            report(Sending(FAILED, 0, text))

    def close(self) -> None:
        """Take no more e-mails anywhere, whatever is under way."""
        with self._lock:
            self._closed = True
            connection = self._connection
        self._dispatcher.close()
        if connection is not None:
            connection.hang_up()

    def health(self) -> dict[str, Any]:
        """How it goes."""
        waiting = self._dispatcher.unfinished
        with self._lock:
            return {
                "server": f"{self._url.host}:{self._url.port}",
                "sent": self._sent,
                "failed": self._failed,
                "waiting": waiting,
                "last_error": self._last_error,
            }

    # ------------------------------------------------------------------ tries

    def _task(self, email: _Email) -> Task:
        return Task(partial(self._try, email), partial(self._settle, email), email.wanted)

    def _try(self, email: _Email) -> Exception | None:
        """What has gone wrong; None, if the server has taken the e-mail."""
        email.tries += 1
        try:
            self._deliver(email.write())
        except Exception as error:  # noqa: BLE001  # whatever is wrong with one e-mail, the others are delivered
            return error
        return None

    def _settle(self, email: _Email, error: Exception | None) -> None:
        """Tell what came of a try, and try again where that may help."""
        if error is None:
            with self._lock:
                self._sent += 1
            email.report(Sending(SENT, email.tries))
            return
        is_over = is_final(error) or email.tries > len(self._limits.delays)
        text = sentence(error)
        self._note_failure(text, is_over=is_over)
        email.report(Sending(FAILED if is_over else WAITING, email.tries, text))
        if not is_over:
            self._dispatcher.repeat(self._task(email), self._limits.delays[email.tries - 1])

    def _note_failure(self, text: str, *, is_over: bool) -> None:
        with self._lock:
            self._last_error = text
            self._failed += is_over

    # ------------------------------------------------------------------ the conversation

    def _deliver(self, message: EmailMessage) -> None:
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
        with self._lock:
            if self._closed:
                raise ConnectionAbortedError("the client is closed")
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
            with self._lock:
                self._connection = None
            server.close()
