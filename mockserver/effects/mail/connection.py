"""Connections to SMTP servers at addresses that were checked, which can be cut off; and what goes wrong with them."""

from __future__ import annotations

import contextlib
import re
import smtplib
import socket
import ssl

from mockserver.effects.deadline import Deadline
from mockserver.effects.egress import Egress, EgressRefusedError, connect

#: How much of an error is kept, in characters: an answer of SMTP may have many lines (RFC 5321, 4.2.1).
_LONGEST = 500


class Connection(smtplib.SMTP):
    """A connection to an address that has been checked."""

    def __init__(self, egress: Egress, step_s: float) -> None:
        # With a name of its own: the library would look one up.
        super().__init__(local_hostname="localhost", timeout=step_s)
        self._egress = egress
        self.is_cut = False

    def hang_up(self) -> None:
        """Cut the connection off, from whatever thread: what waits for an answer fails at once."""
        self.is_cut = True
        sock = getattr(self, "sock", None)
        if sock is not None:
            with contextlib.suppress(OSError):
                socket.socket.shutdown(sock, socket.SHUT_RDWR)

    def meet(self, host: str, port: int) -> None:
        """Connect, and hear the greeting.

        Raises:
            OSError: the server cannot be reached, or wants nobody.
        """
        self._host = host  # whose certificate it must have
        code, greeting = self.connect(host, port)
        if code != 220:
            raise smtplib.SMTPConnectError(code, greeting)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        found = connect(host, port, self._egress, Deadline(timeout))
        found.settimeout(timeout)
        self.sock = found  # before the look at what `hang_up` leaves, as that looks at this afterwards
        if self.is_cut:
            found.close()
            raise ConnectionAbortedError("the connection was cut off")
        return found


class SecureConnection(Connection):
    """The same with TLS from the start."""

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        plain = super()._get_socket(host, port, timeout)
        try:
            return ssl.create_default_context().wrap_socket(plain, server_hostname=host)
        except OSError:
            plain.close()
            raise


# ---------------------------------------------------------------------- what went wrong


def is_final(error: Exception) -> bool:
    """Whether another try would come to the same."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return all(code >= 500 for code, _ in error.recipients.values())
    if isinstance(error, smtplib.SMTPResponseException):
        return error.smtp_code >= 500
    is_network = isinstance(error, OSError) and not isinstance(error, EgressRefusedError | ssl.SSLCertVerificationError)
    return not is_network or isinstance(error, smtplib.SMTPNotSupportedError)


def sentence(error: Exception) -> str:
    """What went wrong, in a line."""
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
