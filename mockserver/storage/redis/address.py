"""The address of a store in Redis."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

from mockserver.storage.engine import EngineError

_DATABASE = re.compile(r"/?|/([0-9]{1,6})")
#: The options that may follow the question mark, as redis-py names them: files for TLS.
_FILES = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile")
_FORM = "the address of the store is not of the form redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]"


def place_of(url: str) -> str:
    """Return the address of a store without its secrets.

    Raises:
        EngineError: it is not such an address; the message shows no part of it, which may be one of the password.
    """
    try:
        parts = urlsplit(url)
        port = parts.port or 6379
    except ValueError as error:
        reason = "its port is no number up to 65535" if "ort" in str(error) else "its host is not valid"
        raise EngineError(f"{_FORM}: {reason}") from None
    database = _DATABASE.fullmatch(parts.path)
    if parts.scheme not in ("redis", "rediss") or not parts.hostname or database is None or parts.fragment:
        raise EngineError(f"{_FORM}, or with rediss:// for TLS")
    options = {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
    if not options <= set(_FILES):
        raise EngineError(f"the address of the store takes nothing after the ? but {', '.join(_FILES)}")
    if options and parts.scheme == "redis":
        raise EngineError("the address of the store names files for TLS: it has to begin with rediss://")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}:{port}/{int(database[1] or 0)}"
