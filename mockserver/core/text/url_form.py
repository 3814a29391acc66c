"""What an http or https URL may be (RFC 3986)."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

#: The most characters of a URL. Proposed (contract/transport): browsers and proxies take about as many.
LONGEST_URL = 2_048
#: Percent-encoded, reserved and unreserved characters (RFC 3986, 2).
_CHARACTERS = re.compile(r"(?:%[0-9A-Fa-f]{2}|[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-])++")


def is_url(text: str) -> bool:
    """Return whether a text is an http or https URL of at most `LONGEST_URL` characters."""
    if len(text) > LONGEST_URL:
        return False
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(host) and _CHARACTERS.fullmatch(text) is not None
