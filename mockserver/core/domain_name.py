"""The names of domains, in the one form in which they are compared."""

from __future__ import annotations

#: The longest domain (RFC 1035, 2.3.4), in characters; what is longer is none, and compared as it stands.
_LONGEST = 253


def domain_of(address: str) -> str:
    """The domain of an address, or a domain itself, in the one form in which domains are compared: small, ASCII."""
    domain = address.rpartition("@")[2].strip().rstrip(".").lower()
    if domain.isascii() or len(domain) > _LONGEST:
        return domain
    try:
        return domain.encode("idna").decode()
    except UnicodeError:  # a label that is empty, too long, or no text
        return domain
