"""`/_mock/stream`: what happens in a workspace, as server-sent events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from flask import Response, request
from marshmallow import ValidationError, fields, validate

from mockserver.control.framework import inputs, target
from mockserver.control.framework.call import ControlResource, written
from mockserver.core.traffic.causes import Links
from mockserver.core.traffic.ring import LOST, FeedItem
from mockserver.core.waiting import CONTROL, RESETS
from mockserver.core.workspaces.store import Store
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Item
from mockserver.views.traffic import show_delivery, show_exchange, show_mail, show_transition
from mockserver.web.server import loop, stream
from mockserver.web.server.loop import LARGE_BODY

STREAM = ControlResource("stream", "/_mock/stream")

#: The function that makes the data of an event from a feed item, by the kind of the item.
_VIEWS: Mapping[str, Callable[[Any, Links], Any]] = MappingProxyType(
    {
        "request": lambda exchange, _: show_exchange(exchange),
        "answered": lambda exchange, _: show_exchange(exchange),
        "mail": lambda mail, links: show_mail(mail, None, links),
        "delivery": lambda owned, links: show_delivery(owned[0], owned[1], links),
        "transition": lambda change, _: show_transition(change),
        "reset": lambda _, __: {},
    }
)
#: The kinds of feed items, which are the types of events of a stream.
STREAM_KINDS = tuple(_VIEWS)
#: How many bytes are sent at once, rounded up to a whole event; chosen so that one write takes little memory, and
#: the workspace for a short while.
_CHUNK = 64 * 1024


class Kinds(fields.Field[frozenset[str]]):
    """Kinds of feed items, with commas between them."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> frozenset[str]:
        found = frozenset(str(value).split(","))
        if not found <= _VIEWS.keys():
            raise ValidationError(f"unknown kind; known, separated by commas: {', '.join(_VIEWS)}")
        return found


class StreamFilter(Item):
    kind = Kinds(load_default=frozenset(_VIEWS))
    #: The number of the last event that the client has seen.
    last_event_id = fields.Integer(validate=validate.Range(0, 2**53))
    #: Whether to begin with what the feed still keeps, instead of with what happens from now on.
    replay = fields.Boolean(load_default=False)
    #: After how many seconds without an event a comment is sent, to show that the connection is alive.
    heartbeat = fields.Float(load_default=15.0, validate=validate.Range(0.05, 60))
    #: Every how many seconds at most to tell how much has happened, in the place of what it is.
    every = fields.Float(validate=validate.Range(0.1, 60))


@STREAM.call("GET", query=StreamFilter, media=("text/event-stream",))
def show(workspace: Workspace, query: dict[str, Any]) -> Response:
    """What happens in the workspace, as it happens: requests, mails, attempts of deliveries, transitions, resets."""
    every_s = query.get("every", 0.0)
    kind_of = Subscription if not every_s else Counting
    subscriber = kind_of(target.store(), workspace, query["kind"], _begin(workspace, query))
    events = stream.Stream(subscriber.pull, workspace, b": nothing has happened\n\n", query["heartbeat"], every_s)
    answer = Response(content_type="text/event-stream; charset=utf-8")
    answer.automatically_set_content_length = False
    answer.headers["X-Accel-Buffering"] = "no"  # a proxy is to pass on every event at once
    if request.method == "HEAD":
        return answer
    request.environ[stream.STREAM] = events
    return answer


def _begin(workspace: Workspace, query: Mapping[str, Any]) -> int:
    """Return the number of the feed item to begin after.

    Raises:
        Problem: 400, the header `Last-Event-ID` is no number.
    """
    last = workspace.feed.last
    seen = query.get("last_event_id")
    header = request.headers.get("Last-Event-ID")
    if header:
        seen = inputs.loaded(StreamFilter(), {"last_event_id": header})["last_event_id"]
    if seen is None:
        return 0 if query["replay"] else last
    # A number that has not been given out is of an earlier server, or of another workspace of this name.
    return seen if seen <= last else 0


class Subscription:
    """A client of a stream: wanted kinds of feed items, and the position in the feed."""

    def __init__(self, store: Store, workspace: Workspace, kinds: frozenset[str], seen: int) -> None:
        self._store = store
        self._workspace = workspace
        self._kinds = kinds
        #: The number of the last feed item that was sent or left out.
        self._seen = seen
        self._begun = False

    def pull(self) -> bytes | None:
        """Return the next events as bytes, or None if the workspace no longer exists, even under a reused name.

        Raises:
            LeaveLoop: this step runs on the event loop, and the next event takes long to write.
        """
        workspace = self._workspace
        if self._store.peek(workspace.name) is not workspace:
            return None
        workspace.open()
        return self._next()

    def _next(self) -> bytes:
        return self._start() or self._lost() or self._news()

    def _start(self) -> bytes:
        """Return the first event: the position from which a client resumes if its connection breaks early."""
        begun, self._begun = self._begun, True
        return b"" if begun else b"id: %d\n\n" % self._seen

    def _lost(self) -> bytes:
        lost = self._workspace.feed.lost(self._seen)
        if not lost:
            return b""
        self._seen += lost
        return _event(self._seen, "lost", {"count": lost})

    def _news(self) -> bytes:
        """Return the next wanted feed items as events, up to a chunk."""
        chunk, feed = bytearray(), self._workspace.feed
        for item in feed.after(self._seen):
            if len(chunk) >= _CHUNK:
                break
            if item.kind in self._kinds:
                if item.written is None and item.size > LARGE_BODY:
                    if chunk:
                        break
                    loop.leave()
                chunk += feed.written(item, partial(_written, self._workspace.links))
            self._seen = item.number
        return bytes(chunk)


class Counting(Subscription):
    """A client that wants only the number of new feed items of each kind.

    A client that wants all kinds also gets the number of control calls, which are no feed items.
    """

    def __init__(self, store: Store, workspace: Workspace, kinds: frozenset[str], seen: int) -> None:
        super().__init__(store, workspace, kinds, seen)
        self._calls = self._counted_calls()

    def _counted_calls(self) -> int:
        watchers = self._workspace.watchers
        return watchers.happened(CONTROL) - watchers.happened(RESETS)

    def _next(self) -> bytes:
        """Return an event with the numbers of new feed items of each wanted kind, and of lost ones."""
        begun, feed, seen = self._start(), self._workspace.feed, self._seen
        self._seen = feed.last
        found = {kind: count for kind, count in feed.kinds_after(seen).items() if kind in self._kinds}
        if lost := feed.lost(seen):
            found["lost"] = lost
        before, self._calls = self._calls, self._counted_calls()
        if self._calls > before and self._kinds == _VIEWS.keys():
            found["control"] = self._calls - before
        return begun + (_event(self._seen, "news", found) if found else b"")


def _written(links: Links, item: FeedItem) -> bytes:
    if item.what is LOST:
        return _event(item.number, "lost", {"count": 1})
    return _event(item.number, item.kind, _VIEWS[item.kind](item.what, links))


def _event(number: int, kind: str, data: Any) -> bytes:
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (number, kind.encode(), written(data).rstrip(b"\n"))
