"""What users are told when Redis fails."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager

from redis import exceptions

from mockserver.storage.errors import DamagedError, EngineError
from mockserver.storage.records.unreadable import UnreadableError

#: What follows the place in a sentence, by a word of the error's text, looked for in this order: an error of a script
#: names that of its command somewhere in the text.
_REPLIES = {
    "NOAUTH": "wants a password: give it as redis://:PASSWORD@HOST",
    "WRONGPASS": "does not take this user with this password",
    "without any password configured": "has no password, and was given one",
    "NOPERM": "does not allow its user what a store needs: {}",
    "LOADING": "is still loading what it has on its disk",
    "READONLY": "is a replica, which cannot be written: name the primary",
    "MASTERDOWN": "is a replica that does not reach its primary",
    "OOM command not allowed": "is full: its maxmemory is reached",
    "MISCONF": "takes no changes, as it cannot write to its disk",
    "NOREPLICAS": "takes no changes, as it has too few replicas",
    "MOVED": "is part of a cluster, and a store is kept by one server",
    "CLUSTERDOWN": "is part of a cluster, and a store is kept by one server",
    "BUSY": "is busy with a script that does not end",
    "DB index is out of range": "has no database of this number",
    "max number of clients reached": "takes no further connections: its maxclients is reached",
    "WRONGTYPE": "holds foreign data under keys that begin with mockserver:",
    "wrong number of arguments for 'auth'": "is older than Redis 6.2: it knows no users",
}


@contextmanager
def told(place: str, hint: str = "") -> Iterator[None]:
    """Tell what goes wrong with Redis within a `with` block as a sentence; where it says nothing, with a hint.

    Raises:
        EngineError: it has failed, or cannot be reached; nobody knows whether what was asked for is done.
        DamagedError: it does not hold what was written.
    """
    try:
        yield
    except UnreadableError as error:
        raise DamagedError(f"{place} is damaged: {error}") from error
    except (exceptions.RedisError, OSError) as error:
        raise EngineError(f"{place} {_sentence(error, hint)}") from error


def _sentence(error: Exception, hint: str) -> str:
    text = f"{getattr(error, 'status_code', None) or ''} {error}".strip()
    for word, sentence in _REPLIES.items():
        if word in text:
            return sentence.format(text)
    if isinstance(error, exceptions.TimeoutError | TimeoutError):
        return f"has not answered in time{hint}"
    if isinstance(error, exceptions.InvalidResponse):
        return "does not speak the protocol of Redis"
    if isinstance(error, exceptions.ConnectionError | OSError):
        return f"cannot be reached: {_line(error, hint)}"
    return f"fails: {text}"


def _line(error: BaseException, hint: str) -> str:
    """What is wrong with a connection, as the error says that began it."""
    first = error
    while (before := first.__cause__ or first.__context__) is not None:
        first = before
    if isinstance(first, socket.gaierror):
        return "its name is not known"
    if isinstance(first, ssl.SSLError):
        return _tls_line(first)
    if isinstance(first, ConnectionResetError | BrokenPipeError) or "closed" in str(first):
        return f"it has closed the connection{hint}"
    if isinstance(first, OSError) and first.strerror:
        return first.strerror[:1].lower() + first.strerror[1:]
    return str(first)


def _tls_line(error: ssl.SSLError) -> str:
    """What is wrong with a handshake."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not valid: {error.verify_message}"
    if isinstance(error, ssl.SSLEOFError) or "CERTIFICATE_REQUIRED" in (error.reason or ""):
        return "it has ended TLS, as where it asks for a certificate: ssl_certfile and ssl_keyfile after the ? give one"
    return "it does not speak TLS, or not as this server does"
