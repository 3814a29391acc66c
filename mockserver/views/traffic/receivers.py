"""The views of receivers of webhook calls, and of the calls that they have received."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from marshmallow import fields

from mockserver.core.traffic import receivers
from mockserver.views.base import members
from mockserver.views.base.view import View, listing
from mockserver.web.schemas import json_text


class MannerOut(View):
    status = members.number()
    delay_ms = members.needed(fields.Float)
    reset = members.flag()
    times = members.number(allow_none=True)


class Receiver(View):
    name = members.text()
    answers = members.part(MannerOut, attribute="manner")
    answered = members.number("how many calls were answered in this manner")
    count = members.number("of the calls that are kept", attribute="kept")
    evicted = members.evicted()


Receivers = listing(Receiver, "Receivers")


def _body(call: receivers.ReceivedCall) -> Any:
    """The value of a JSON body, the text of any other body, or of JSON that an answer cannot hold; None if empty."""
    if call.left_out:
        return f"{call.left_out:,} bytes, too many to be kept"
    try:
        return json_text.read(call.body) if call.body else None
    except json_text.JsonError:
        return call.body.decode(errors="replace")


class ReceivedCall(View):
    at = members.moment()
    method = members.text()
    path = members.text()
    query = members.text()
    headers = members.mapping(fields.String(), of=lambda call: {name.lower(): value for name, value in call.headers})
    body = members.needed(fields.Raw, allow_none=True, of=_body)


class ReceiverCalls(Receiver):
    """A receiver with some of the calls that it has received; `received` makes its rows."""

    items = members.many(ReceivedCall, "newest first")


def received(receiver: receivers.Receiver, calls: Sequence[receivers.ReceivedCall]) -> Mapping[str, Any]:
    """A receiver with some of its calls, as a row of `ReceiverCalls`."""
    return {
        "name": receiver.name,
        "manner": receiver.manner,
        "answered": receiver.answered,
        "kept": receiver.kept,
        "evicted": receiver.evicted,
        "items": calls,
    }
