"""The address of an SMTP server, as a setting gives it."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

#: The ports that IANA gives to SMTP (RFC 5321, 4.5.4.2), and to SMTP with TLS from the start (RFC 8314, 3.3).
_PORTS = {"smtp": 25, "smtps": 465}


class SmtpUrl(NamedTuple):
    """`smtp://user:password@host:port`, or `smtps://` for TLS from the start."""

    host: str
    port: int
    tls: bool = False
    user: str | None = None
    password: str = ""

    @classmethod
    def parse(cls, url: str) -> SmtpUrl:
        """The parts of a URL; without a port, that is 25, or 465 for `smtps`.

        Raises:
            ValueError: it is malformed; the message does not repeat the URL, as it may have a password.
        """
        try:
            parts = urlsplit(url)
            port = _PORTS.get(parts.scheme, 0) if parts.port is None else parts.port
        except ValueError as error:
            raise ValueError(f"the SMTP URL is invalid: {error}") from None
        if not parts.hostname or not port or not _is_bare(parts) or url.split() != [url]:
            raise ValueError("the SMTP URL must be smtp://[USER:PASSWORD@]HOST[:PORT], or the same with smtps://")
        user = unquote(parts.username) if parts.username else None
        return cls(parts.hostname, port, parts.scheme == "smtps", user, unquote(parts.password or ""))


def _is_bare(parts: SplitResult) -> bool:
    """Whether a URL is one of SMTP with nothing after host and port."""
    is_smtp = parts.scheme in _PORTS
    return is_smtp and parts.path in ("", "/") and not parts.query and not parts.fragment
