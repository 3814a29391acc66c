"""What has happened in the workspace of a test, read once: the report and the artifacts are made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mockserver.testing.client import Client, Refusal

Item = Mapping[str, Any]

#: The most things that one control call gives.
_PAGE = 1000
#: The kinds of which one control call gives all that it ever gives.
_ONE_PAGE = frozenset({"mailbox", "deliveries"})


class Listed(NamedTuple):
    """Things of one kind in a workspace, as the control API shows them."""

    #: Oldest first, of faults and stubs in the order in which they are asked.
    items: Sequence[Item] = ()
    #: How many older ones were not read.
    unread: int = 0
    #: How many older ones the workspace has removed to make room.
    evicted: int = 0


class Traffic(NamedTuple):
    """What has happened in a workspace."""

    requests: Listed
    #: The control calls that have changed something.
    calls: Listed
    mails: Listed
    deliveries: Listed
    #: The timers that have fired.
    timers: Listed
    faults: Listed
    stubs: Listed
    #: The control calls of this process that the server has refused.
    refusals: Sequence[Refusal]


class Reader:
    """Reads what the control API shows of one workspace."""

    def __init__(self, client: Client, name: str) -> None:
        self._client = client
        self._name = name

    def traffic(self, most: int | None = None) -> Traffic:
        """What has happened in the workspace, of each kind the last `most` things; None: all that are kept.

        Raises:
            MockServerError: the server does not answer, or the workspace is gone.
        """
        refusals = [row for row in list(self._client.refusals) if row.workspace == self._name]
        return Traffic(
            requests=self._newest("requests", most),
            calls=self._newest("calls", most),
            mails=self._newest("mailbox", most),
            deliveries=self._newest("deliveries", most),
            timers=self._newest("timers", most),
            faults=Listed(self.json("/faults")["items"]),
            stubs=Listed(self.json("/stubs")["items"]),
            refusals=refusals,
        )

    def json(self, path: str, **query: Any) -> Any:
        """The JSON answer to a control call that reads something."""
        return self._client.json("GET", f"/_mock{path}", query=query, headers={"X-Mock-Workspace": self._name})

    def text(self, path: str, media: str) -> str:
        """The text of an answer of another media type."""
        headers = {"X-Mock-Workspace": self._name, "Accept": media}
        return self._client.call("GET", f"/_mock{path}", headers=headers).text

    def _newest(self, kind: str, most: int | None) -> Listed:
        """The newest things of a kind; of those that are given in one page only, at most a page."""
        found: list[Item] = []
        while True:
            wanted = _PAGE if most is None else min(_PAGE, most - len(found))
            page = self.json(f"/{kind}", limit=wanted, offset=len(found) or None)
            found += page["items"]
            unread = page["count"] - len(found)
            if unread <= 0 or not page["items"] or len(found) == most or kind in _ONE_PAGE:
                return Listed(found[::-1], max(unread, 0), page.get("evicted", 0))
