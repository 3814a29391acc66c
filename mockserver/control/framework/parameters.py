"""The members of queries and bodies that several control calls take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, TypeVar

from marshmallow import fields, validate

from mockserver.control.framework.waiting import LONGEST_WAIT
from mockserver.core.workspaces.store import NAME
from mockserver.resources.section import Item, about

Row = TypeVar("Row")


def limit() -> fields.Integer:
    """A field: how many items of a list are answered at most, from 1 to 1,000."""
    return fields.Integer(load_default=100, validate=validate.Range(1, 1000), **about("how many there are at most"))


def offset() -> fields.Integer:
    """A field: how many items of a list are left out at its beginning.

    JSON numbers are exact up to 2**53 in every language (RFC 8259, 6).
    """
    return fields.Integer(load_default=0, validate=validate.Range(0, 2**53), **about("how many are left out first"))


def wait() -> fields.Float:
    """A field: how long to wait for a match, in seconds of real time."""
    return fields.Float(
        load_default=0.0,
        validate=validate.Range(0, LONGEST_WAIT),
        **about("how many seconds it waits until something matches"),
    )


def name() -> fields.String:
    """A field: the name of a workspace or of a snapshot."""
    error = "must be 1 to 64 letters, digits, dots, dashes and underscores"
    return fields.String(validate=validate.Regexp(rf"{NAME.pattern}\Z", error=error))


class Part(Item):
    """The part of a list that is asked for."""

    limit = limit()
    offset = offset()


class PartOrAll(Item):
    """The part of a list that is asked for; without a limit, all from the offset on."""

    limit = fields.Integer(validate=validate.Range(1, 1000), **about("how many there are at most; all without it"))
    offset = offset()


def part_of(rows: Iterable[Row], query: Mapping[str, Any]) -> list[Row]:
    """Return the part of a list that a query with a limit and an offset asks for."""
    first, most = query["offset"], query.get("limit")
    return list(islice(rows, first, None if most is None else first + most))
