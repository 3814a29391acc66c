"""A receiver of webhook calls on the mock itself, for tests without an HTTP server of their own."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

__tracebackhide__ = True  # pytest shows the line of the test instead


class Call(NamedTuple):
    """One call that a receiver has received."""

    #: When the call was received, on the workspace's clock.
    at: datetime
    method: str
    path: str
    #: The query as it was sent, without the question mark.
    query: str
    #: The headers, whose names are in lower case.
    headers: Mapping[str, str]
    #: The value of a JSON body, or the text of another body; None: there is no body.
    body: Any
