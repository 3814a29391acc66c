"""The warning of calls that block an event loop."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from types import FrameType
from typing import Any

from mockserver.testing.loops import running

#: The control calls that wait whatever they are asked, by method, first and last word of the path: for webhook calls
#: that fall due, for one that is made again, for an answer that leaves.
_WAITING = {("POST", "clock", "advance"), ("POST", "deliveries", "redeliver"), ("POST", "requests", "answer")}

#: Whether this process was warned; one warning is enough to know what to do about all such calls.
_is_warned = False


class BlockingCallWarning(UserWarning):
    """A handle that may wait was called where an event loop runs, which nothing else can use meanwhile."""


def may_wait(method: str, path: str, query: Mapping[str, Any] | None, body: object) -> bool:
    """Whether a control call may wait for something to happen, which what runs on an event loop may have to do."""
    _, _, first, *rest = path.split("/")
    if first == "clock" and not rest and isinstance(body, Mapping):
        return "now" in body  # to set a clock is to advance it
    return bool((query or {}).get("wait")) or (method, first, rest[-1] if rest else "") in _WAITING


def warn_of_loop() -> None:
    """Warn once in a process if an event loop runs in this thread, at the line outside of this package that calls."""
    global _is_warned  # noqa: PLW0603  # it is of the process
    if _is_warned:
        return
    library = running()
    if library is None:
        return
    _is_warned = True
    called, level = _caller(sys._getframe(1))  # noqa: SLF001  # its documentation allows that
    warnings.warn(
        f"{called} may wait, and meanwhile blocks the event loop of {library} that runs in this thread: nothing else "
        f"on it goes on, such as a webhook receiver or the program that is tested. Await the same call of "
        f"`workspace.asynchronous`, of the fixture `async_mockserver` or of `AsyncMockServer` instead",
        BlockingCallWarning,
        stacklevel=level,
    )


def _caller(frame: FrameType) -> tuple[str, int]:
    """Which method of this package was called from outside, and which level of the stack that is for a warning."""
    called, level = "This call", 2
    while frame.f_globals.get("__name__", "").startswith("mockserver.") and frame.f_back is not None:
        called = f"`{frame.f_code.co_qualname}`"
        frame, level = frame.f_back, level + 1
    return called, level
