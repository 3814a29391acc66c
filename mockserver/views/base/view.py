"""The base of all views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from marshmallow import fields

from mockserver.views.base import members
from mockserver.web.schemas.dump import Dump, compiled
from mockserver.web.schemas.schema import Base

#: Members whose values are of the right type already; whoever writes the JSON writes moments as RFC 3339.
_PLAIN = (fields.String, fields.Integer, fields.Float, fields.Boolean, fields.DateTime, fields.UUID)


class View(Base):
    """What is shown of something; an optional member that has no value is left out."""

    @classmethod
    def show(cls, row: Any) -> dict[str, Any]:
        """What is shown of a row: an object, or a mapping of the members' names."""
        return _dump(cls)(row)


@cache
def _dump(view: type[View]) -> Dump:
    return compiled(view(), _PLAIN, in_order=True)


class Listing(View):
    """The form of all lists; `listing` makes that of a view."""

    @staticmethod
    def row(rows: Sequence[Any], count: int | None = None, **members: Any) -> Mapping[str, Any]:
        """Many rows as the row of their list; `count` is that of all, where these are only a part."""
        return {"items": rows, "count": len(rows) if count is None else count, **members}


def listing(view: type[View], name: str, **more: Any) -> type[View]:
    """The list of a view's rows; `more` are members beside `items` and `count`."""
    count = members.number("of all, where only a part is given")
    found: Any = Listing.from_dict({"items": members.many(view), "count": count, **more}, name=name)
    made: type[View] = found
    return made
