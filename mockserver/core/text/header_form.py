"""What the name and the value of an HTTP header may be (RFC 9110, 5.1 and 5.5, without folded lines)."""

from __future__ import annotations

import re

#: Headers about the connection, the host and the length of a call (RFC 9110, 7): the HTTP client writes them itself.
OF_THE_CALL = frozenset(
    ["connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"]
)
_NAME = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


def is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None


def is_value(text: str) -> bool:
    return _VALUE.fullmatch(text) is not None
