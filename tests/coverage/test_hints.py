"""How each point of the contract is met, in words."""

from tables import tables

from mockserver.coverage.contract import Point, PointKind, hint, promises

#: The tables of the tests by name.
CASES = tables(__file__)
HINTS = CASES["hints"]


def test_a_hint_says_what_the_contract_knows():
    for kind, owner, name, words in HINTS:
        assert hint(Point(PointKind(kind), owner, name)) == words, (kind, owner, name)


def test_a_status_of_several_codes_names_them():
    assert hint(Point(PointKind.STATUSES, "createSender", "400")).startswith("any of the codes missing_parameter, ")


def test_every_point_of_the_contract_has_a_hint():
    assert [promise.point for promise in promises() if not hint(promise.point)] == []
