"""Connections to SMTP servers, which can be cut off from another thread, and the messages of their errors."""

from __future__ import annotations

import contextlib
import re
import smtplib
import socket
import ssl

from mockserver.effects.deadline import Deadline
from mockserver.effects.egress import Egress, EgressRefusedError, connect

#: The longest error message, in characters: a reply of SMTP may have many lines (RFC 5321, 4.2.1). Chosen for a few.
_LONGEST = 500


class Connection(smtplib.SMTP):
    """A connection to an SMTP server at an address that the egress policy allows."""

    def __init__(self, egress: Egress, step_s: float) -> None:
        # Without local_hostname, smtplib would look up the name of this machine.
        super().__init__(local_hostname="localhost", timeout=step_s)
        self._egress = egress
        self.is_cut = False

    def hang_up(self) -> None:
        """Cut off the connection, from any thread: what waits for a reply fails at once."""
        self.is_cut = True
        sock = getattr(self, "sock", None)
        if sock is not None:
            with contextlib.suppress(OSError):
                socket.socket.shutdown(sock, socket.SHUT_RDWR)

    def open(self, host: str, port: int) -> None:
        """Connect, and read the greeting of the server.

        Raises:
            OSError: the server cannot be reached, or its greeting is not 220.
        """
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
        return found


class SecureConnection(Connection):
    """A connection to an SMTP server with TLS from the start, at an address that the egress policy allows."""

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        plain = super()._get_socket(host, port, timeout)
        try:
            return ssl.create_default_context().wrap_socket(plain, server_hostname=host)
        except OSError:
            plain.close()
            raise


# ---------------------------------------------------------------------- what went wrong


def is_final(error: Exception) -> bool:
    """Whether another try would fail as well: after a permanent reply (5yz), or an error that is not of the network."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return all(code >= 500 for code, _ in error.recipients.values())
    if isinstance(error, smtplib.SMTPResponseException):
        return error.smtp_code >= 500
    is_network = isinstance(error, OSError) and not isinstance(error, EgressRefusedError | ssl.SSLCertVerificationError)
    return not is_network or isinstance(error, smtplib.SMTPNotSupportedError)


def sentence(error: Exception) -> str:
    """The message of an error, in one line of at most `_LONGEST` characters."""
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
