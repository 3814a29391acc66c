"""What is checked alike of webhooks on the wire and in a scenario."""

from __future__ import annotations

from mockserver.web.schemas.errors import Longest, invalid

#: The only kind of `auth` that is documented (contract/webhooks#configuration); another one is refused, which is
#: proposed.
BEARER = "bearer"
#: How many headers of its own a webhook may have (proposed); chosen: far above what honest clients send.
MOST_HEADERS = 100
#: How many characters the names and values of these headers may have altogether (proposed): few receivers take more.
_LONGEST_HEADERS = 64 * 1024


def _check_headers(headers: list[dict[str, str]]) -> None:
    if sum(len(text) for header in headers for text in header.values()) > _LONGEST_HEADERS:
        raise invalid(f"Longer than {_LONGEST_HEADERS:,} characters altogether")


#: The validators of a list of headers, on the wire and in a scenario.
CHECK_HEADERS = (Longest(MOST_HEADERS), _check_headers)
