"""The address of a store in Redis."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from mockserver.storage.errors import EngineError

#: The schemes, and whether they stand for TLS.
_SCHEMES = {"redis": False, "rediss": True}
#: Where Redis listens.
_PORT = 6379
_DATABASE = re.compile(r"/?|/([0-9]{1,6})")
#: What may follow the question mark, as redis-py names it: files for TLS.
_FILES = frozenset({"ssl_ca_certs", "ssl_certfile", "ssl_keyfile"})
_FORM = "redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]"


class Address(NamedTuple):
    """Where a store is, and how its servers are let in."""

    host: str
    port: int
    database: int
    is_secure: bool
    user: str | None = None
    password: str | None = None
    #: The files for TLS: of authorities, and of a certificate with its key that the engine asks for.
    files: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, url: str) -> Address:
        """The address that a URL names.

        Raises:
            EngineError: it is none of a store in Redis; the message shows no secret.
        """
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise EngineError(f"the address of the store is not of the form {_FORM}: {_reason(error)}") from None
        database = _DATABASE.fullmatch(parts.path)
        if parts.scheme not in _SCHEMES or not parts.hostname or database is None or parts.fragment:
            raise EngineError(f"the address of the store is not of the form {_FORM}, or with rediss:// for TLS")
        return cls(
            parts.hostname,
            _PORT if port is None else port,
            int(database[1] or 0),
            _SCHEMES[parts.scheme],
            unquote(parts.username) if parts.username else None,
            unquote(parts.password) if parts.password else None,
            _files(parts.query, is_secure=_SCHEMES[parts.scheme]),
        )

    @property
    def place(self) -> str:
        """The address as users see it: without secrets."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'rediss' if self.is_secure else 'redis'}://{host}:{self.port}/{self.database}"


def _reason(error: ValueError) -> str:
    """Why a URL cannot be taken apart; what it holds is left out, as that may be a password."""
    return "its port is no number up to 65535" if "ort" in str(error) else "its host is not valid"


def _files(query: str, *, is_secure: bool) -> tuple[tuple[str, str], ...]:
    found = parse_qsl(query, keep_blank_values=True)
    unknown = sorted({name for name, _ in found} - _FILES)
    if unknown:
        raise EngineError(f"the address of the store has {', '.join(unknown)} after the ?: it takes {_known()}")
    if found and not is_secure:
        raise EngineError("the address of the store names files for TLS: it has to begin with rediss://")
    return tuple(found)


def _known() -> str:
    return ", ".join(sorted(_FILES))
