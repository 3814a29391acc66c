"""The SMTP client, which sends e-mails to a real server in the background, with retries."""

from __future__ import annotations

import contextlib
import re
import smtplib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from functools import partial
from typing import Any, NamedTuple

from mockserver.core.effects import IsWanted, Report
from mockserver.core.traffic.mail import FAILED, SENT, WAITING, Sending
from mockserver.effects.addresses import SmtpUrl
from mockserver.effects.deadline import Deadline
from mockserver.effects.dispatcher import Dispatcher, Task
from mockserver.effects.egress import Egress, EgressRefusedError, connect

#: The longest error message, in characters: a reply of SMTP may have many lines (RFC 5321, 4.2.1). Chosen for a few.
_LONGEST = 500


class Connection(smtplib.SMTP):
    """An SMTP connection within the egress policy."""

    def __init__(self, egress: Egress, step_s: float, *, tls: bool) -> None:
        """Prepare a connection; `tls` begins it with TLS."""
        # Without local_hostname, smtplib would look up the name of this machine.
        super().__init__(local_hostname="localhost", timeout=step_s)
        self._egress, self._tls = egress, tls
        self.is_cut = False

    def hang_up(self) -> None:
        """Cut the connection from any thread, failing pending replies."""
        self.is_cut = True
        sock = getattr(self, "sock", None)
        if sock is not None:
            with contextlib.suppress(OSError):
                socket.socket.shutdown(sock, socket.SHUT_RDWR)

    def open(self, host: str, port: int) -> None:
        """Connect, and read the server's greeting."""
        self._host = host  # smtplib checks the certificate of STARTTLS against this name
        code, greeting = self.connect(host, port)
        if code != 220:
            raise smtplib.SMTPConnectError(code, greeting)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        found = connect(host, port, self._egress, Deadline(timeout))
        found.settimeout(timeout)
        self.sock = found  # before `is_cut` is read: `hang_up` writes that, and reads this afterwards
        if self.is_cut:
            found.close()
            raise ConnectionAbortedError("the connection was cut off")
        if not self._tls:
            return found
        try:
            return ssl.create_default_context().wrap_socket(found, server_hostname=host)
        except OSError:
            found.close()
            raise


def is_final(error: Exception) -> bool:
    """Return whether retries would fail: after permanent replies (5yz) and errors outside the network."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return all(code >= 500 for code, _ in error.recipients.values())
    if isinstance(error, smtplib.SMTPResponseException):
        return error.smtp_code >= 500
    is_network = isinstance(error, OSError) and not isinstance(error, EgressRefusedError | ssl.SSLCertVerificationError)
    return not is_network or isinstance(error, smtplib.SMTPNotSupportedError)


def sentence(error: Exception) -> str:
    """Return an error's message as one line, up to `_LONGEST` characters."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        text = "; ".join(f"{to}: {code} {_text(answer)}" for to, (code, answer) in error.recipients.items())
    elif isinstance(error, smtplib.SMTPResponseException):
        text = f"{error.smtp_code} {_text(error.smtp_error)}"
    elif _is_timeout(error) or _is_timeout(error.__context__):
        text = "the server did not answer in time"
    else:
        text = str(error) or type(error).__name__
    return re.sub(r"\s+", " ", text).strip()[:_LONGEST]


def _is_timeout(error: BaseException | None) -> bool:
    return isinstance(error, TimeoutError) and str(error) in ("", "timed out")


def _text(answer: bytes | str) -> str:
    return answer.decode(errors="replace") if isinstance(answer, bytes) else answer


#: The headers with the sender and, after it, the recipients of an e-mail.
_PARTIES = ("From", "To", "Cc", "Bcc")


class SmtpLimits(NamedTuple):
    #: How long after each failure an e-mail is tried again, in seconds; after the last try it has failed for good.
    #: Chosen: a server that restarts in a test environment is back within them.
    delays: tuple[float, ...] = (1.0, 5.0, 30.0)
    #: How long a server may take for a step, in seconds; chosen for a server in the same network.
    step_s: float = 10.0
    #: How long a server may take for a whole e-mail, in seconds: all others wait for it. Chosen: three steps.
    whole_s: float = 30.0
    #: How many e-mails may wait, as each keeps its workspace in memory; chosen far above what tests send.
    waiting: int = 10_000


@dataclass(slots=True, eq=False)
class _Email:
    """An e-mail: `write` makes its message, `report` takes its state, `wanted` says whether it is still to be sent."""

    write: Callable[[], EmailMessage]
    report: Report
    wanted: IsWanted
    tries: int = 0


class SmtpClient:
    """Sends e-mails to one server, one by one, in the background.

    TLS is used where the server offers it (STARTTLS), and its certificate is then checked: by the system's authorities,
    or by those of `SSL_CERT_FILE`.
    """

    def __init__(self, url: SmtpUrl, egress: Egress, limits: SmtpLimits | None = None) -> None:
        self._url, self._egress, self._limits = url, egress, limits or SmtpLimits()
        # One thread, as e-mails keep their order; of its own, as webhook calls may hang.
        self._dispatcher = Dispatcher(threads=1, waiting=self._limits.waiting)
        #: Held for all attributes below.
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._closed = False
        self._sent = self._failed = 0
        self._last_error: str | None = None

    def send(self, write: Callable[[], EmailMessage], report: Report, wanted: IsWanted) -> None:
        """Queue an e-mail; `report` takes its state after each try."""
        is_taken = self._dispatcher.submit(self._task(_Email(write, report, wanted)))
        if not is_taken and not self._closed:
            text = f"the queue is full: {self._limits.waiting} e-mails"
            self._note_failure(text, is_over=True)
            self._dispatcher.refuse(report, Sending(FAILED, 0, text))

    def close(self) -> None:
        """Send no more e-mails, and cut the running connection."""
        with self._lock:
            self._closed = True
            connection = self._connection
        self._dispatcher.close()
        if connection is not None:
            connection.hang_up()

    def health(self) -> dict[str, Any]:
        """The server, the numbers of e-mails that were sent, failed and wait, and the last error."""
        waiting = self._dispatcher.unfinished
        with self._lock:
            return {
                "server": f"{self._url.host}:{self._url.port}",
                "sent": self._sent,
                "failed": self._failed,
                "waiting": waiting,
                "last_error": self._last_error,
            }

    def _task(self, email: _Email) -> Task:
        return Task(partial(self._try, email), partial(self._conclude, email), email.wanted)

    def _try(self, email: _Email) -> Exception | None:
        email.tries += 1
        try:
            self._deliver(email.write())
        except Exception as error:  # noqa: BLE001  # whatever is wrong with one e-mail, the others are delivered
            return error
        return None

    def _conclude(self, email: _Email, error: Exception | None) -> None:
        """Report a try's outcome, and queue a useful retry."""
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

    def _deliver(self, message: EmailMessage) -> None:
        sender, *to = (address.addr_spec for name in _PARTIES if name in message for address in message[name].addresses)
        with self._connected() as server:
            server.ehlo_or_helo_if_needed()
            if not self._url.tls and server.has_extn("starttls"):
                server.starttls(context=ssl.create_default_context())
            if self._url.user is not None:
                server.login(self._url.user, self._url.password)
            server.send_message(message, sender, to)  # without the blind copies

    @contextlib.contextmanager
    def _connected(self) -> Iterator[smtplib.SMTP]:
        server = Connection(self._egress, self._limits.step_s, tls=self._url.tls)
        cut = threading.Timer(self._limits.whole_s, server.hang_up)
        cut.daemon = True
        with self._lock:
            if self._closed:
                raise ConnectionAbortedError("the client is closed")
            self._connection = server
        cut.start()
        try:
            server.open(self._url.host, self._url.port)
            yield server
            with contextlib.suppress(OSError):  # the server has taken the e-mail, and an error of QUIT changes nothing
                server.quit()
        except OSError:
            if server.is_cut:
                raise TimeoutError(f"timeout after {self._limits.whole_s:g} seconds") from None
            raise
        finally:
            cut.cancel()
            with self._lock:
                self._connection = None
            server.close()
