"""Requests as the tests of rules play them."""

from __future__ import annotations

from typing import Any, NamedTuple


class Call(NamedTuple):
    """A request, `wait` seconds after the end of the one before; `took` seconds pass until its client has an answer."""

    method: str
    path: str
    body: Any = None
    fault: str = ""
    wait: float = 1.0
    took: float = 0.0
    #: The client's port, its program, and its account.
    port: int = 50_000
    agent: str = "shop/1.0"
    key: str = "master-key"
    headers: Any = ()
    #: Whether the client left before the answer came.
    left: bool = False
    #: By how much the workspace's clock is moved before.
    advance: str = ""
