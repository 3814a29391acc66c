"""A view shows a row: what it dumps, and in which order."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace

from marshmallow import fields

from mockserver.views.base import members
from mockserver.views.base.view import Listing, View, listing

NOON = datetime(2026, 1, 15, 12, tzinfo=UTC)


class Point(View):
    name = members.text()
    note = members.maybe(fields.String)
    far = members.text(data_key="from", attribute="place.name")
    double = members.number(of=lambda row: 2 * row.number)
    at = members.moment(allow_none=True)


class Given(View):
    as_given = True

    name = members.text()


class Path(View):
    start = members.part(Point, allow_none=True)
    points = members.many(Point)
    given = members.many(Given)


def row(name="a", **members):
    return SimpleNamespace(**{"name": name, "note": None, "place": row, "number": 1, "at": None, **members})


row.name = "here"


def test_a_member_reads_the_attribute_of_its_name_or_the_one_that_it_names_or_what_is_made_of_the_row():
    assert Point.show(row()) == {"name": "a", "from": "here", "double": 2, "at": None}


def test_a_member_that_may_be_left_out_stands_in_its_place():
    assert list(Point.show(row(note="b"))) == ["name", "note", "from", "double", "at"]


def test_a_moment_is_left_to_whoever_writes_the_json():
    assert Point.show(row(at=NOON))["at"] is NOON


def test_views_stand_in_each_other():
    path = {"start": None, "points": (row("a"), row("b")), "given": []}

    shown = Path.show(path)

    assert shown["start"] is None
    assert [point["name"] for point in shown["points"]] == ["a", "b"]


def test_what_is_given_as_plain_data_keeps_its_members_and_their_order():
    given = {"z": 1, "name": "a"}

    assert Path.show({"points": [], "given": [given]})["given"] == [given]
    assert list(Given.show(given)) == ["z", "name"]


def test_a_list_tells_how_many_there_are_in_all():
    points = listing(Point, "Points", evicted=members.evicted())

    assert list(points.show(Listing.row([row()], evicted=3)).items())[1:] == [("count", 1), ("evicted", 3)]
    assert points.show(Listing.row([row()], 9, evicted=0))["count"] == 9
