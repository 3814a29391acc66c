"""The names of domains, in the one form in which they are compared."""

from __future__ import annotations

import re

#: RFC 1123, 2.1: letters, digits and hyphens, the latter not at an end.
_LABEL = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)", re.ASCII)
#: RFC 1035, 2.3.4, as it is written.
_LONGEST = 253


def is_host_name(name: str) -> bool:
    """Whether a name in the form of `domain_of` is one of two labels at least."""
    labels = name.split(".") if len(name) <= _LONGEST else []
    return len(labels) > 1 and all(map(_LABEL.fullmatch, labels))


def domain_of(address: str) -> str:
    """The domain of an address, or a domain itself, in the one form in which domains are compared: small, ASCII."""
    domain = address.rpartition("@")[2].strip().rstrip(".").lower()
    if domain.isascii():
        return domain
    try:
        return domain.encode("idna").decode()
    except UnicodeError:  # a label that is empty, too long, or no text
        return domain
