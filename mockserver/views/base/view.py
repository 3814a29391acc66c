"""The base of all views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from marshmallow import fields

from mockserver.views.base import members
from mockserver.web.schemas.dump import Dump, compiled
from mockserver.web.schemas.schema import Base

#: Fields whose values are shown as the row has them; moments become RFC 3339 when the JSON is written.
_PLAIN = (fields.String, fields.Integer, fields.Float, fields.Boolean, fields.DateTime, fields.UUID)


class View(Base):
    """The base of all views: a schema that shows a row; an optional member that has no value is left out."""

    @classmethod
    def show(cls, row: Any) -> dict[str, Any]:
        """A row as plain data; the row is an object with attributes, or a mapping by the names of members."""
        return _dump(cls)(row)


@cache
def _dump(view: type[View]) -> Dump:
    return compiled(view(), _PLAIN, in_order=True)


class Listing(View):
    """The base of the views of lists; `listing` makes the one for a view."""

    @staticmethod
    def row(rows: Sequence[Any], count: int | None = None, **members: Any) -> Mapping[str, Any]:
        """Rows as the row of a list's view; `count` is the number of all rows, where these are only a part."""
        return {"items": rows, "count": len(rows) if count is None else count, **members}


def listing(view: type[View], name: str, **more: Any) -> type[View]:
    """The view of a list whose items a view shows; `more` are its members beside `items` and `count`."""
    count = members.number("of all, where only a part is given")
    found: Any = Listing.from_dict({"items": members.many(view), "count": count, **more}, name=name)
    made: type[View] = found
    return made
