"""The stubs of a workspace: answers for operations that the mock does not have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from mockserver.testing.arguments import StubMembers
from mockserver.testing.client import path_segment
from mockserver.testing.handles.link import Handle, Link, asks, given

__tracebackhide__ = True  # pytest shows the line of the test instead


class Stub(Handle):
    """One stub, which answers for an operation that the mock does not have."""

    def __init__(self, link: Link, item: Mapping[str, Any]) -> None:
        super().__init__(link)
        #: The id of the stub, which the journal names as `stub` of the requests that it has answered.
        self.id: str = str(item["id"])
        self.method: str = str(item["method"])
        #: The pattern of the path for which it answers.
        self.path: str = str(item["path"])
        #: The members of the stub, with its hits, as they were when this object was made.
        self.stub: Mapping[str, Any] = item
        self._address = f"/stubs/{path_segment(self.id)}"

    def __repr__(self) -> str:
        return f"Stub({self.method!r}, {self.path!r}, id={self.id!r})"

    @property
    @asks
    def hits(self) -> int:
        """How many requests the stub has answered so far.

        Raises:
            MockServerError: 404; the stub was removed.
        """
        return int(self._link.get(self._address)["hits"])

    @property
    @asks
    def active(self) -> bool:
        """Whether the stub can still answer: it has not reached `times`.

        Raises:
            MockServerError: 404; the stub was removed.
        """
        return bool(self._link.get(self._address)["active"])

    def replace(self, answer: Mapping[str, Any] | None = None, **members: Unpack[StubMembers]) -> Stub:
        """Put another stub for the same requests in the place of this one, and return it; its hits begin anew.

        `answer` and `members` are those of `Stubs.add`. What is left out the new stub does not have, but method and
        path.

        Raises:
            MockServerError: 400, the stub is not valid, and this one stays; 404, the stub was removed.
        """
        body = {"method": self.method, "path": self.path, "answer": answer, **members}
        found = self._link.put(self._address, given(body))
        return Stub(self._link, found)

    def remove(self) -> None:
        """Remove the stub.

        Raises:
            MockServerError: 404; the stub was removed already.
        """
        self._link.delete(self._address)


class Stubs(Handle):
    """The stubs of one workspace. The one that was added last is asked first."""

    def add(
        self, method: str, path: str, answer: Mapping[str, Any] | None = None, **members: Unpack[StubMembers]
    ) -> Stub:
        """Let a stub answer for a method and a path, before the stubs that there are, and return it.

        `path` begins with `/v3/`; `{name}` in it stands for any one segment. `answer` has `status` (200), `headers`,
        and `json` or `text`, in which texts may have expressions.

        Raises:
            MockServerError: 400, the stub is not valid, or could answer for an operation that the mock has, and the
                message says what is wrong where; 409, there are as many stubs as there may be.
        """
        body = {"method": method, "path": path, "answer": answer, **members}
        return Stub(self._link, self._link.post("/stubs", given(body)))

    def add_all(self, items: Sequence[Mapping[str, Any]]) -> list[Stub]:
        """Add stubs as a scenario has them under `stubs`, in their order before those that there are: all, or none.

        Raises:
            MockServerError: 400, one of them is not valid; 409, one has an id that is taken, or they are too many.
        """
        answer = self._link.post("/stubs", {"items": list(items)})
        return [Stub(self._link, item) for item in answer["items"]]

    def all(self) -> list[Stub]:
        """All stubs in the order in which they are asked, those included that answer no longer."""
        return [Stub(self._link, item) for item in self._link.items("/stubs")]

    def clear(self) -> None:
        """Remove all stubs; what they have stored stays."""
        self._link.delete("/stubs")
