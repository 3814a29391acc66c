"""`/_mock/stream`: what happens in a workspace, as server-sent events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from flask import Response, request
from marshmallow import ValidationError, fields, validate

from mockserver.control.framework import answers, dependencies, inputs, target
from mockserver.control.framework.resource import ControlResource
from mockserver.core.traffic.feed import LOST, FeedItem
from mockserver.core.workspaces.store import Store
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Item
from mockserver.views.traffic import deliveries, mails, requests
from mockserver.web.server import loop, stream
from mockserver.web.server.loop import LARGE_BODY, LeaveLoop
from mockserver.web.server.waiting import SUSPENDED

STREAM = ControlResource("stream", "/_mock/stream")

#: How items are told, by kind.
_TOLD: Mapping[str, Callable[[Any], dict[str, Any]]] = MappingProxyType(
    {
        "request": requests.Request.show,
        "mail": lambda mail: mails.Mail.show(mails.Posted(mail)),
        "delivery": lambda told: deliveries.Delivery.show(deliveries.Owned(*told)),
        "transition": requests.Change.show,
        "reset": lambda _: {},
    }
)
#: All kinds.
STREAM_KINDS = tuple(_TOLD)
#: What is sent at once: so many bytes, rounded up to a whole event.
_PART = 64 * 1024


class Kinds(fields.Field[frozenset[str]]):
    """Some kinds of items, with commas between them."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> frozenset[str]:
        found = frozenset(str(value).split(","))
        if not found <= _TOLD.keys():
            raise ValidationError(f"kinds are {', '.join(_TOLD)}; give one, or several with commas between them")
        return found


class StreamFilter(Item):
    kind = Kinds(load_default=frozenset(_TOLD))
    #: Go on after this one.
    last_event_id = fields.Integer(validate=validate.Range(0, 2**53))
    #: Begin with what is still known, instead of with what happens from now on.
    replay = fields.Boolean(load_default=False)
    #: After how many seconds of silence a sign of life is sent.
    heartbeat = fields.Float(load_default=15.0, validate=validate.Range(0.05, 60))


@STREAM.call("GET", query=StreamFilter, media=("text/event-stream",))
def show(query: dict[str, Any]) -> Response:
    """What happens in the workspace, as it happens: requests, mails, attempts of deliveries, transitions, resets."""
    workspace = target.workspace()
    look = Look(dependencies.store(), workspace, query["kind"], _begin(workspace, query))
    events = stream.Stream(look.pull, workspace, b": nothing has happened\n\n", query["heartbeat"])
    answer = Response(content_type="text/event-stream; charset=utf-8")
    answer.automatically_set_content_length = False
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["X-Accel-Buffering"] = "no"  # a proxy is to pass on every event at once
    if request.method == "HEAD":
        return answer
    if SUSPENDED in request.environ:
        request.environ[stream.STREAM] = events
    else:
        answer.response = stream.blocking(events)
    return answer


def _begin(workspace: Workspace, query: Mapping[str, Any]) -> int:
    """After which number to begin.

    Raises:
        Problem: 400; the header is no number.
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


class Look:
    """One who looks on."""

    def __init__(self, store: Store, workspace: Workspace, kinds: frozenset[str], seen: int) -> None:
        self._store = store
        self._workspace = workspace
        self._kinds = kinds
        #: The number of the last item that was told or left out.
        self._seen = seen
        self._begun = False

    def pull(self, *, on_loop: bool) -> bytes | None:
        """What is new, in part if it is much; None: the workspace is gone, though another may have its name.

        Raises:
            LeaveLoop: it is on the loop, and to put the next thing into words takes long.
        """
        workspace = self._workspace
        if self._store.get(workspace.name) is not workspace:
            return None
        with workspace.lock:
            loop.catch_up(workspace, on_loop=on_loop)
            return self._start() or self._lost() or self._news(on_loop=on_loop)

    def _start(self) -> bytes:
        """A client that is cut off before the first event tells this number when it comes again."""
        begun, self._begun = self._begun, True
        return b"" if begun else b"id: %d\n\n" % self._seen

    def _lost(self) -> bytes:
        """How many are kept no more, if there are any."""
        lost = self._workspace.feed.lost(self._seen)
        if not lost:
            return b""
        self._seen += lost
        return _event(self._seen, "lost", {"count": lost})

    def _news(self, *, on_loop: bool) -> bytes:
        part, feed = bytearray(), self._workspace.feed
        for item in feed.after(self._seen):
            if len(part) >= _PART:
                break
            if item.kind in self._kinds:
                if on_loop and item.written is None and item.size > LARGE_BODY:
                    if part:
                        break
                    raise LeaveLoop
                part += feed.written(item, _told)
            self._seen = item.number
        return bytes(part)


def _told(item: FeedItem) -> bytes:
    if item.what is LOST:
        return _event(item.number, "lost", {"count": 1})
    return _event(item.number, item.kind, _TOLD[item.kind](item.what))


def _event(number: int, kind: str, data: dict[str, Any]) -> bytes:
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (number, kind.encode(), answers.written(data).rstrip(b"\n"))
