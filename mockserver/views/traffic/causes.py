"""What the views of requests, e-mails, deliveries, timers and control calls tell of causes, and of real time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from marshmallow import validate

from mockserver.core.traffic import causes
from mockserver.core.traffic.causes import Links
from mockserver.views.base import members
from mockserver.views.base.view import View

#: How many causes a member lists; chosen: more than anybody reads, and few enough for a list of views.
_MOST = 1_000


class Cause(View):
    """What has caused something, or was caused: an inbound mail has its uuid as id, a control call `X-Mock-Call`."""

    kind = members.text(validate=validate.OneOf(causes.KINDS))
    id = members.text()


def caused(of: Callable[[Any], Sequence[causes.Cause]]) -> Any:
    """The member `caused`."""
    about = "the e-mails, deliveries and timers that it has caused, the first thousand; some may be gone by now"
    return members.many(Cause, about, of=lambda row: of(row)[:_MOST])


def caused_by(of: Callable[[Any], Sequence[causes.Cause]]) -> Any:
    """The member `caused_by`."""
    about = "what has caused it, the first thousand; empty where nobody knows, or it is too long ago"
    return members.many(Cause, about, of=lambda row: of(row)[:_MOST])


def linked(kind: str, thing: Callable[[Any], Any], links: Callable[[Any], Links | None]) -> tuple[Any, Any]:
    """The members `caused` and `caused_by` of a thing of a kind, both given as functions of the row."""

    def effects(row: Any) -> Sequence[causes.Cause]:
        known = links(row)
        return () if known is None else known.caused(causes.Cause(kind, thing(row)))

    def reasons(row: Any) -> Sequence[causes.Cause]:
        known = links(row)
        return () if known is None else known.caused_by(causes.Cause(kind, thing(row)))

    return caused(effects), caused_by(reasons)


def real(seconds: float) -> datetime:
    """The moment of real time so many seconds after the beginning of 1970."""
    return datetime.fromtimestamp(seconds, UTC)


def real_at() -> Any:
    """The member `real_at`."""
    return members.moment("the same moment in real time", of=lambda row: real(row.real_at))
