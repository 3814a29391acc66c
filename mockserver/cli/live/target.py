"""The workspace of a running server with which a command works."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from mockserver.cli.live.progress import progress
from mockserver.cli.output import fail
from mockserver.cli.program import Misused
from mockserver.cli.remote import RequestRefused, Shape, Unreachable, answer_or_exit, checked, root_of, send

Found = TypeVar("Found")

#: The most seconds for which a command asks the server to wait at once; below the 30 that a control call takes.
_WAIT_S = 25.0
#: How long an answer may take beyond the time that the server is asked to wait, in seconds.
_SPARE_S = 10.0


class Target:
    """A workspace of a running server. Its methods exit with 2 if a call is refused, with 1 if no server answers."""

    def __init__(self, url: str | None, token: str | None, workspace: str | None) -> None:
        """Take the options `SERVER` of a command.

        Raises:
            Misused: the address is no http address.
        """
        self.root = root_of(url)
        self.workspace = workspace or "default"
        self.token = token

    def call(
        self, method: str, path: str, body: object = None, *, shape: Shape | None = None, timeout: float = _SPARE_S
    ) -> Any:
        """The JSON object that a control call answers, with the members of a shape.

        `path` is what follows `/_mock`; without a shape the answer has to be empty.
        """
        return answer_or_exit(self.root, method, f"/_mock{path}", shape, body=body, timeout=timeout, **self._names)

    def get(self, path: str, shape: Shape, /, *, wait: float = 0, **query: Any) -> Any:
        """The JSON object that a GET answers, which may wait for so many seconds."""
        wanted = {name: value for name, value in query.items() if value is not None}
        if wait > 0:
            wanted["wait"] = f"{wait:.3f}"
        target = f"{path}?{urlencode(wanted)}" if wanted else path
        return self.call("GET", target, shape=shape, timeout=wait + _SPARE_S)

    def listed(self, path: str, shape: Shape, /, *, wait: float = 0, **query: Any) -> Any:
        """The object `{"items", "count"}` that a GET answers; each item has the members of a shape."""
        return self.checked(self.get(path, {"items": list}, wait=wait, **query), shape)

    def awaited(self, path: str, shape: Shape, wait: float, waiting_for: str, /, **query: Any) -> Any:
        """The object of `listed`, as soon as it has an item; after so many seconds without one."""
        found: Any = None

        def look(seconds: float) -> Any:
            nonlocal found
            found = self.listed(path, shape, wait=seconds, **query)
            return found if found["items"] else None

        until(wait, look, waiting_for)
        return found

    def checked(self, found: Any, shape: Shape) -> Any:
        """An object with `items`, each of which has the members of a shape."""
        try:
            for item in found["items"]:
                checked(self.root, item, shape)
        except Unreachable as error:
            fail(str(error))
        return found

    def text(self, path: str, media: str) -> str:
        """The text of a media type that a GET answers."""
        return self.raw("GET", path, accept=media).decode(errors="replace")

    def raw(self, method: str, path: str, body: bytes | None = None, **options: Any) -> bytes:
        """What a control call answers, of whatever media type."""
        try:
            return send(self.root, method, f"/_mock{path}", body=body, timeout=_SPARE_S, **self._names, **options)
        except RequestRefused as error:
            raise Misused(str(error)) from error
        except Unreachable as error:
            fail(str(error))

    @property
    def _names(self) -> dict[str, Any]:
        return {"workspace": self.workspace, "token": self.token}


def until(seconds: float, look: Callable[[float], Found | None], waiting_for: str) -> Found | None:
    """What `look` finds, as soon as it finds something; None if it is not there after so many seconds.

    `look` is told how many seconds it may wait itself; a terminal shows what is waited for.
    """
    deadline = time.monotonic() + seconds
    found = look(0)
    if found is not None or seconds <= 0:
        return found
    with progress(f"waiting for {waiting_for}"):
        while found is None and (left := deadline - time.monotonic()) > 0:
            found = look(min(left, _WAIT_S))
    return found


def segment(text: object) -> str:
    """A value as one percent-encoded segment of a path."""
    return quote(str(text), safe="")
