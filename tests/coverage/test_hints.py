"""How each point of the contract is met, in words."""

import pytest

from mockserver.coverage.contract import Point, PointKind, hint, promises

HINTS = {
    (PointKind.OPERATIONS, "createSender", "createSender"): "POST /v3/senders",
    (PointKind.STATUSES, "createSender", "201"): "a call that succeeds",
    (PointKind.STATUSES, "deleteSender", "404"): "unknown senderId",
    (PointKind.STATUSES, "deleteSender", "418"): "",
    (PointKind.CODES, "deleteSender", "document_not_found"): "unknown senderId",
    (PointKind.CODES, "createSender", "missing_parameter"): "email or name is absent; ips, with dedicated IPs",
    (PointKind.CODES, "createSender", "made_up"): "",
    (PointKind.FIELDS, "getSenders", "domain"): "a call with it in the query",
    (PointKind.FIELDS, "createSender", "ips[].weight"): "a call with it in the body",
    (PointKind.FIELDS, "createWebhook", "auth.token"): "a call with it in the body",
    (PointKind.TRANSITIONS, "sender", "create"): "a new one becomes awaiting_verification",
    (PointKind.TRANSITIONS, "sender", "verify"): "awaiting_verification becomes verified",
    (PointKind.TRANSITIONS, "sender", "expire_otp"): "awaiting_verification stays; the clock does it",
    (PointKind.TRANSITIONS, "sender", "delete"): "awaiting_verification goes; verified goes",
    (PointKind.TRANSITIONS, "sender", "made_up"): "",
    (PointKind.TRANSITIONS, "made_up", "create"): "",
    (PointKind.STATUSES, "made_up", "200"): "",
}


@pytest.mark.parametrize(("point", "words"), HINTS.items(), ids=lambda value: "-".join(value)[:60])
def test_a_hint_says_what_the_contract_knows(point, words):
    assert hint(Point(*point)) == words


def test_a_status_of_several_codes_names_them():
    assert hint(Point(PointKind.STATUSES, "createSender", "400")).startswith("any of the codes missing_parameter, ")


def test_every_point_of_the_contract_has_a_hint():
    assert [promise.point for promise in promises() if not hint(promise.point)] == []
