"""The sentences that users read when Redis fails, or cannot keep a store."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from redis import exceptions

from mockserver.storage.engine import UPGRADE, DamagedError, EngineError
from mockserver.storage.records.packing import UnreadableError

#: What follows the place in a sentence, by a word of the error's text: an error of a script names that of its command
#: somewhere in the text. Other texts are shown; none of them has a secret.
_ERRORS = {
    "NOAUTH": "wants a password: give it as redis://:PASSWORD@HOST",
    "WRONGPASS": "does not take this user with this password",
    "OOM command not allowed": "is full: its maxmemory is reached",
    "unknown command": "does not know a command that a store needs",  # the text may show the password
    "WRONGTYPE": "holds foreign data under keys that begin with mockserver:",
}
#: What follows the place, by the first word of the reply of a script that has done nothing.
_REFUSALS = {
    b"empty": "holds no store: it was emptied, or none was ever made",
    b"foreign": "holds keys that begin with mockserver:, and no store",
    b"format": f"is of format {{}}, written by {{}}: {UPGRADE}",
    b"layout": f"was written by {{}}, in another layout: {UPGRADE}",
}


@contextmanager
def translated(place: str, hint: str = "") -> Iterator[None]:
    """Translate errors within a `with` block into `EngineError` or `DamagedError`; without an answer, add the hint."""
    try:
        yield
    except (UnreadableError, UnicodeDecodeError) as error:
        raise DamagedError(f"{place} is damaged: {error}") from error
    except (exceptions.RedisError, OSError, ValueError) as error:
        kind = DamagedError if "WRONGTYPE" in str(error) else EngineError
        raise kind(f"{place} {_sentence(error, hint)}") from error


def refuse_reply(place: str, reply: Sequence[Any]) -> None:
    """Raise `EngineError` if a script has done nothing: the store is of another version or layout, or there is none."""
    if (sentence := _REFUSALS.get(reply[0])) is not None:
        raise EngineError(f"{place} {sentence.format(*map(shown, reply[1:]))}")


def refuse_server(place: str, info: Mapping[str, Any]) -> None:
    """Raise `EngineError` if a server cannot keep a store, by its reply to INFO."""
    version, policy = str(info.get("redis_version", "of no version")), str(info.get("maxmemory_policy", ""))
    if not re.match(r"6\.[2-9]|([7-9]|[1-9][0-9])\.", version):
        raise EngineError(f"{place} is Redis {version}: a store needs 6.2 or newer, or Valkey")
    if info.get("cluster_enabled"):
        raise EngineError(f"{place} is part of a cluster, and a store is kept by one server")
    if info.get("role") == "slave":
        raise EngineError(f"{place} is a replica, which cannot be written: name the primary")
    if info.get("maxmemory") and policy.startswith("allkeys"):
        raise EngineError(f"{place} drops keys when it is full: set its maxmemory-policy to noeviction, not {policy}")


def shown(text: bytes) -> str:
    """Return a text of the store, which a foreign program may have written, as messages show it."""
    return repr(text.decode("utf-8", "backslashreplace"))[1:-1] or "another program"


def _sentence(error: Exception, hint: str) -> str:
    text = f"{getattr(error, 'status_code', None) or ''} {error}".strip().rstrip(".")
    for word, sentence in _ERRORS.items():
        if word in text:
            return sentence
    if isinstance(error, exceptions.TimeoutError):
        return f"has not answered in time{hint}"
    if isinstance(error, exceptions.InvalidResponse | ValueError):
        return "does not speak the protocol of Redis"
    if isinstance(error, exceptions.ConnectionError | OSError):
        return f"cannot be reached: {text}{hint if 'closed' in text or 'reset' in text else ''}"
    return f"fails: {text}"
