"""How a test verifies by the journal what its product has asked, and what it is shown where that fails."""

from __future__ import annotations

import pytest

from mockserver.core.traffic.exchange import Journal

OTP = 123456


pytestmark = pytest.mark.workspace(name="w")


@pytest.fixture(autouse=True)
def _more_of_the_story(story):
    waiting = {"id": 2, "name": "Ops", "email": "ops@acme.test", "state": "awaiting_verification", "otp": OTP}
    story["accounts"][0]["senders"].append(waiting)


def verify(workspace, match=None, count=None, **more):
    wanted = {"match": match, "count": count, **more}
    return workspace.post("/_mock/requests/verify", {key: value for key, value in wanted.items() if value is not None})


@pytest.fixture
def asked(workspace):
    """Three senders made, one of them in vain."""
    for email in ("a@acme.test", "b@acme.test", "b@acme.test"):
        workspace.new_sender(email)
    return workspace


def test_matching_requests_are_counted_and_named_by_verify(asked):
    ids = [row["id"] for row in asked.journal]
    for count, satisfied in (
        (None, True), (3, True), (2, False), (4, False), (0, False), ({"at_least": 3}, True), ({"at_least": 4}, False),
        ({"at_most": 3}, True), ({"at_most": 2}, False), ({"at_least": 1, "at_most": 5}, True),
    ):  # fmt: skip
        found = verify(asked, {"operation": "createSender"}, count).json

        assert (found["satisfied"], found["matched"]) == (satisfied, 3), count
        assert (found["ids"], found["near_misses"]) == (ids, [])


def test_verify_counts_requests_by_sent_and_answered_parts(asked):
    for match, matched in [
        ({}, 3),
        ({"operation": ["createSender", "getSenders"]}, 3),
        ({"method": "GET"}, 0),
        ({"path": "/v3/*"}, 3),
        ({"status": 201}, 2),
        ({"code": "duplicate_parameter"}, 1),
        ({"json": {"email": "b@acme.test"}}, 2),
        ({"json": {"name": "Ops", "email": "a@acme.test"}}, 1),
        ({"json": {"email": "b@acme.test"}, "status": 400}, 1),
        ({"headers": {"Content-Type": "application/json"}}, 3),
        ({"query": {"x": 1}}, 0),
    ]:
        assert verify(asked, match).json["matched"] == matched


def test_exact_body_has_no_further_members_at_any_depth(workspace):
    ips = [{"ip": "198.51.100.7", "weight": 1}]
    workspace.post("/v3/senders", {"name": "Ops", "email": "a@acme.test", "ips": ips})

    for wanted, paths in (
        ({"name": "Ops", "email": "a@acme.test", "ips": ips}, None),
        ({"email": "a@acme.test", "ips": [{"ip": "198.51.100.7"}]}, ["/json/ips/0/weight", "/json/name"]),
        ({"name": "Ops", "email": "a@acme.test", "ips": []}, ["/json/ips"]),
        ([], ["/json"]),
        (None, ["/json"]),
    ):
        found = verify(workspace, {"json_exactly": wanted}, 1).json

        assert found["satisfied"] is (paths is None)
        told = [[row["path"] for row in miss["differences"]] for miss in found["near_misses"]]
        assert told == ([paths] if paths else [])
    assert verify(workspace, {"json": {"ips": []}}).json["matched"] == 0


def test_further_members_are_redacted_in_a_near_miss(asked):
    asked.put("/v3/senders/2/validate", {"otp": OTP})

    near = verify(asked, {"operation": "validateSenderByOtp", "json_exactly": {}}, 1).json["near_misses"]

    assert near[0]["differences"] == [{"path": "/json/otp", "wanted": None, "got": "***"}]


def test_verify_matches_path_parameters(workspace):
    workspace.delete("/v3/senders/2")

    assert verify(workspace, {"path": {"senderId": 2}}, 1).json["satisfied"]
    assert verify(workspace, {"path": {"senderId": 3}}, 0).json["satisfied"]


def test_a_match_is_of_what_was_sent_before_redaction(asked):
    asked.put("/v3/senders/2/validate", {"otp": OTP})

    assert verify(asked, {"json": {"otp": OTP}}, 1).json["satisfied"]
    assert verify(asked, {"headers": {"api-key": asked.key}}, 4).json["satisfied"]
    assert not verify(asked, {"json": {"otp": "***"}}).json["satisfied"]


def test_near_misses_are_shown_with_the_fewest_differences_first(asked):
    asked.get("/v3/account")
    found = verify(asked, {"operation": "createSender", "status": 201, "json": {"name": "Ops", "email": "c@x.test"}})

    near = found.json["near_misses"]
    assert not found.json["satisfied"]
    assert [[row["path"] for row in miss["differences"]] for miss in near] == [
        ["/json/email"],
        ["/json/email"],
        ["/json/email", "/status"],
        ["/operation", "/json", "/status"],
    ]
    assert near[0]["differences"] == [{"path": "/json/email", "wanted": "c@x.test", "got": "b@acme.test"}]
    # Of two that are equally close the newer one comes first.
    assert [miss["id"] for miss in near[:2]] == [
        row["id"] for row in asked.get("/_mock/requests?status=201").json["items"]
    ]


def test_a_hundred_differences_are_told_and_the_others_counted(workspace):
    workspace.post("/v3/senders", json={f"a{number}": 1 for number in range(150)})
    (near,) = verify(workspace, {"json": {f"a{number}": 2 for number in range(150)}}).json["near_misses"]

    assert near["differences"][-1] == {"path": "/json/a99", "wanted": 2, "got": 1}
    assert (len(near["differences"]), near["further"]) == (100, 50)


def test_the_journal_is_read_while_nobody_writes_it(make_api, monkeypatch):
    api, read = make_api("empty"), []
    workspace, storage = api.workspace, api.store.storage

    def rows(journal):
        read.append(workspace.access.step is storage.step is not None)
        return iter(())

    monkeypatch.setattr(Journal, "__iter__", rows)
    assert api.post("/_mock/requests/verify", json={"match": {"method": "POST"}}).status_code == 200

    assert read
    assert all(read)


def test_verify_lists_at_most_five_near_misses(workspace):
    for number in range(9):
        workspace.get(f"/v3/senders/{number}")

    assert len(verify(workspace, {"method": "POST"}).json["near_misses"]) == 5


def test_a_question_that_makes_no_sense_is_400_with_the_place(workspace):
    for body, path in [
        ({"match": {"operation": "createSendr"}}, "/match/operation"),
        ({"match": {"what": 1}}, "/match/what"),
        ({"match": {"json": {}, "json_exactly": {}}}, "/match/json_exactly"),
        ({"count": -1}, "/count"),
        ({"count": "1"}, "/count"),
        ({"count": True}, "/count"),
        ({"count": {}}, "/count"),
        ({"count": {"at_least": 3, "at_most": 2}}, "/count"),
        ({"count": {"exactly": 2}}, "/count"),
        ({"match": {"status": 99}}, "/match/status"),
        ({"cuont": 1}, "/cuont"),
    ]:
        answer = workspace.post("/_mock/requests/verify", body)

        assert answer.status_code == 400
        assert path in [row["path"] for row in answer.json["errors"]]
