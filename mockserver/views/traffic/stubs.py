"""The views of the stubs of a workspace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import fields

from mockserver.beyond.stubs.schema import StubItem, written_of
from mockserver.core.state import stubs
from mockserver.views.base import members
from mockserver.views.base.view import View, listing


class Stub(View, StubItem):
    """A stub as it was written, its members in their order, with its id, its hits and how far it has come.

    `stubbed` makes its rows.
    """

    as_given = True

    id = members.text()
    match = fields.Dict(keys=fields.String())  # type: ignore[assignment]  # as it was written
    hits = members.number("how many requests it has answered")
    position = members.number("how many answers of its sequence it has given")
    active = members.flag("whether it can still answer")


Stubs = listing(Stub, "Stubs")


class AddedStubs(View):
    """What was added: one stub, or a list of them."""

    alternatives = (Stub, Stubs)

    @classmethod
    def show(cls, row: Any) -> dict[str, Any]:
        return (Stubs if "items" in row else Stub).show(row)


def stubbed(stub: stubs.Stub) -> Mapping[str, Any]:
    """A stub as a row of `Stub`."""
    return {
        "id": stub.id,
        **written_of(stub),
        "hits": stub.hits,
        "position": stub.position,
        "active": stub.is_active,
    }
