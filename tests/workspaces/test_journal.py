"""The journal: what it tells of each request, how it is searched, and how long it is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from time import time
from uuid import UUID

import pytest

from mockserver.core.workspaces.workspace import Workspace

OTP = 123456
WAITING = {"id": 2, "name": "Ops", "email": "ops@acme.test", "state": "awaiting_verification", "otp": OTP}
#: Of what stands beside it in every request of Flask's test client.
SENT = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "tester/1"}


pytestmark = pytest.mark.workspace(name="w")


@pytest.fixture(autouse=True)
def _more_of_the_story(story):
    story["accounts"][0]["senders"].append({**WAITING, "otp_expires_at": "PT15M"})


def last(workspace):
    return workspace.get("/_mock/requests?limit=1").json["items"][0]


# ---------------------------------------------------------------------- an entry


def test_an_entry_tells_all_of_a_request_and_its_answer(workspace):
    body = {"name": "A", "email": "a@acme.test", "colour": "red"}
    answer = workspace.post("/v3/senders?x=1&y=2&y=3", body, headers=SENT)

    entry = last(workspace)
    headers = {name.lower(): value for name, value in entry["request"]["headers"].items()}
    ms, real_at = entry.pop("ms"), datetime.fromisoformat(entry.pop("real_at"))
    changed_at = datetime.fromisoformat(entry["transitions"][0].pop("real_at"))
    mail = workspace.get("/_mock/mailbox").json["items"][0]["id"]
    request, timer = answer.headers["sib-request-id"], "sender.4.expire_otp.20260115T091500000000Z"
    caused = [{"kind": "timer", "id": timer}, {"kind": "mail", "id": mail}]

    sent = {"api-key": "***", **{name.lower(): value for name, value in SENT.items()}}
    assert headers.items() >= sent.items()
    told = {name.lower(): value for name, value in entry["answer"]["headers"].items()}
    for name in ("sib-request-id", "x-sib-ratelimit-limit", "content-type"):
        assert told[name] == answer.headers[name]
    assert 0 < ms < 10_000
    assert timedelta() <= changed_at - real_at < timedelta(seconds=10)
    assert timedelta() <= datetime.now(UTC) - real_at < timedelta(minutes=1)
    assert {**entry, "request": entry["request"]["body"], "answer": entry["answer"]["body"]} == {
        "id": answer.headers["sib-request-id"],
        "at": "2026-01-15T09:00:00Z",
        "operation": "createSender",
        "method": "POST",
        "path": "/v3/senders",
        "query": {"x": "1", "y": ["2", "3"]},
        "account": "acme",
        "request": body,
        "status": 201,
        "answer": answer.json,
        "fault": None,
        "held": False,
        "beyond": None,
        "stub": None,
        "transitions": [
            {
                "at": "2026-01-15T09:00:00Z",
                "machine": "sender",
                "key": 4,
                "event": "create",
                "from": "[*]",
                "to": "awaiting_verification",
                "caused": caused,
                "caused_by": [{"kind": "request", "id": request}],
            }
        ],
        "caused": caused,
        "caused_by": [],
        "warnings": [
            "createSender ignored the unknown query parameter `x`",
            "createSender ignored the unknown query parameter `y`",
            "createSender ignored the unknown body field `colour`",
        ],
        "reason": None,
    }


def test_an_entry_is_timed_from_when_its_request_came_and_not_from_when_its_workspace_was_free(api, monkeypatch):
    began, catch_up = [], Workspace.catch_up

    def noted(workspace, *leave):
        began.append(time())
        return catch_up(workspace, *leave)

    monkeypatch.setattr(Workspace, "catch_up", noted)
    api.get("/v3/account")

    assert api.workspace.journal.newest.real_at <= began[0]


def test_an_entry_is_found_by_the_id_that_its_answer_carried(workspace):
    ids = [workspace.get(path).headers["sib-request-id"] for path in ("/v3/senders", "/v3/nowhere", "/v3/account")]

    assert len({UUID(identifier) for identifier in ids}) == 3
    paths = ["/v3/senders", "/v3/nowhere", "/v3/account"]
    assert [workspace.get(f"/_mock/requests/{identifier}").json["path"] for identifier in ids] == paths
    assert workspace.get("/_mock/requests/nothing").status_code == 404


def test_calls_of_the_control_api_are_not_in_it(workspace):
    workspace.get("/_mock/clock")
    workspace.post("/_mock/reset")

    assert workspace.journal == []


def test_a_body_that_an_operation_does_not_take_is_warned_of(workspace):
    workspace.ask("DELETE", "/v3/senders/2", {"really": True})

    assert last(workspace)["warnings"] == ["deleteSender takes no body and ignored the body that was sent"]


def test_warnings_beyond_the_limit_are_counted(workspace):
    for parameters, members, further in (
        (15, 10, 5),
        (20, 5, 5),
        (24, 1, 5),
        (25, 0, 5),
        (0, 25, 5),
        (0, 1_020, "1,000"),
    ):
        query = "&".join(f"q{number}=1" for number in range(parameters))
        body = {"name": "A", "email": f"{parameters}@b.test", **{f"a{number}": 1 for number in range(members)}}
        workspace.post(f"/v3/senders?{query}", body)

        warnings = last(workspace)["warnings"]
        assert (len(warnings), warnings[20]) == (21, f"and {further} more")
    assert warnings[19] == "createSender ignored the unknown body field `a19`"


def test_a_member_that_is_refused_is_not_said_to_be_ignored(make_api):
    api = make_api({"strict": True})
    api.post("/v3/senders", json={"name": "A", "email": "a@b.test", "colour": 1})

    entry = api.get("/_mock/requests").json["items"][0]
    assert entry["warnings"] == []
    assert "unknown fields in the body of createSender: `colour`" in entry["reason"]


def test_an_inner_member_that_is_ignored_is_named_by_its_path(workspace):
    body = {"url": "http://127.0.0.1:9/a", "events": ["opened"], "headers": [{"key": "a", "value": "b", "colour": 1}]}
    workspace.post("/v3/webhooks", body)

    assert last(workspace)["warnings"] == ["createWebhook ignored the unknown body field `headers[0].colour`"]


def test_a_body_of_any_kind_is_shown(workspace):
    for raw, shown in [
        (b'{"name": "A', '{"name": "A'),
        (b"\xff\xfe", "��"),
        (b"[1, 2]", [1, 2]),
        (b'"text"', "text"),
        (b"0", 0),
    ]:
        workspace.post("/v3/senders", data=raw, content_type="application/json")

        assert last(workspace)["request"]["body"] == shown


def test_a_body_that_is_no_honest_json_never_spoils_the_journal(workspace):
    for raw in [
        b'{"name": 123456789012345678901234567890}',
        b'{"name": "\\ud800"}',
        b"[" * 300 + b"]" * 300,
        b"[" * 90_000,
        b'{"a": NaN}',
        b'{"a": 1, "a": 2}',
        b'{"a": 1e999}',
    ]:
        assert workspace.post("/v3/senders", data=raw, content_type="application/json").status_code == 400

        assert last(workspace)["request"]["body"] == raw.decode()
        assert workspace.post("/_mock/requests/verify", {"match": {"json": {"name": 1}}}).status_code == 200


# ---------------------------------------------------------------------- transitions


def test_transitions_are_those_of_the_request_and_not_of_what_was_due_before_it(make_api, new_workspace, story):
    story["clock"]["frozen"] = False
    story["accounts"][0]["senders"][-1]["otp_expires_at"] = "PT0.000001S"
    workspace = new_workspace(make_api(), story)

    workspace.delete("/v3/senders/2")

    assert [(row["event"], row["key"]) for row in last(workspace)["transitions"]] == [("delete", 2)]


def test_transitions_are_not_those_of_what_a_test_does_after_the_request(workspace):
    workspace.get("/v3/senders")
    workspace.post("/_mock/machines/sender/2/resend_otp")
    workspace.post("/_mock/clock/advance", {"by": "PT1H"})

    assert last(workspace)["transitions"] == []


def test_transitions_of_a_request_are_listed_in_order(make_api, new_workspace, story):
    story["behaviour"] = {"trust_authenticated_domains": True, "authenticate_domain": "immediate"}
    del story["accounts"][0]["senders"][-1]["otp_expires_at"]
    dns = {"brevo_code": "ok", "dkim_record": "ok", "dmarc_record": "ok"}
    story["accounts"][0]["domains"] = [{"name": "acme.test", "state": "verified", "dns": dns}]
    workspace = new_workspace(make_api(), story)

    assert workspace.put("/v3/senders/domains/acme.test/authenticate").status_code == 200

    assert [(row["machine"], row["event"]) for row in last(workspace)["transitions"]] == [
        ("domain", "authenticate"),
        ("sender", "trust"),
    ]


# ---------------------------------------------------------------------- reasons


def test_requests_that_reach_no_operation_are_in_it_with_the_reason(workspace):
    workspace.api.app.store.keys = "known"
    for method, path, key, status, reason in (
        ("GET", "/v3/senders", "who-are-you", 401, "is unknown: no account in workspace"),
        ("GET", "/v3/nowhere", None, 404, "unknown route: no operation has the path /v3/nowhere"),
        ("PATCH", "/v3/senders", None, 404, "allowed: GET (getSenders), POST (createSender)"),
        ("OPTIONS", "/v3/nowhere", None, 204, None),
    ):
        workspace.ask(method, path, key=key)

        entry = last(workspace)
        assert (entry["status"], entry["method"]) == (status, method)
        assert path == "/v3/senders" or entry["operation"] is None
        assert reason in entry["reason"] if reason else entry["reason"] is None


def test_successful_requests_have_no_reason(workspace):
    assert workspace.put("/v3/senders/2/validate", {"otp": OTP}).status_code == 204

    assert last(workspace)["reason"] is None


def test_a_fault_is_told_with_its_reason(workspace):
    workspace.post("/_mock/faults", {"fault": "unavailable", "id": "f1", "times": 1})
    answer = workspace.get("/v3/senders")

    entry = last(workspace)
    assert (answer.status_code, entry["status"], entry["fault"]) == (503, 503, "f1")
    assert "injected by fault f1 (unavailable)" in entry["reason"]


def test_a_request_that_got_no_answer_has_none_in_the_journal(workspace):
    workspace.post("/_mock/faults", {"fault": "connection_reset", "id": "f1"})
    with pytest.raises(ConnectionResetError):
        workspace.get("/v3/senders")

    entry = last(workspace)
    assert (entry["status"], entry["answer"], entry["fault"]) == (None, None, "f1")
    assert entry["reason"] == "fault f1 ended the request without an answer"


# ---------------------------------------------------------------------- filters

FILTERS = {
    "operation=createSender": {"/v3/senders"},
    "status=404": {"/v3/senders/9", "/v3/nowhere"},
    "method=get": {"/v3/senders", "/v3/senders/domains", "/v3/nowhere", "/v3/account"},
    "path=/v3/senders": {"/v3/senders"},
    "path=/v3/senders*": {"/v3/senders", "/v3/senders/9", "/v3/senders/domains"},
    "path=/v3/senders/?": {"/v3/senders/9"},
    "path=/V3/*": set(),
    "fault=f1": {"/v3/account"},
    "status=404&method=DELETE": {"/v3/senders/9"},
    "operation=createSender&status=404": set(),
    "code=document_not_found": {"/v3/senders/9"},
    "operation=getAccount&code=document_not_found": set(),
    "transition=sender.create": {"/v3/senders"},
    "transition=sender.verify": set(),
    "field=domain": {"/v3/senders"},
    "operation=createSender&field=domain": set(),
    "field=ip": set(),
}


def test_the_journal_is_searched_by_what_was_asked_and_answered(workspace):
    workspace.new_sender("a@acme.test")
    workspace.delete("/v3/senders/9")
    workspace.get("/v3/senders?domain=acme.test")
    workspace.get("/v3/senders/domains")
    workspace.get("/v3/nowhere")
    workspace.post("/_mock/faults", {"fault": "server_error", "id": "f1", "match": {"operation": "getAccount"}})
    workspace.get("/v3/account")

    for query, paths in FILTERS.items():
        found = workspace.get(f"/_mock/requests?{query}").json

        assert {row["path"] for row in found["items"]} == paths, query
        assert found["count"] == len(found["items"])


def test_a_part_of_the_journal_comes_with_the_count_of_all_that_match(workspace):
    for number in range(9):
        workspace.get(f"/v3/senders/{number}/ips")
    workspace.get("/v3/senders")

    part = workspace.get("/_mock/requests?path=*/ips&limit=3&offset=4").json

    assert ([row["path"][12] for row in part["items"]], part["count"], part["evicted"]) == (["4", "3", "2"], 9, 0)
    assert workspace.get("/_mock/requests?offset=10").json["items"] == []


def test_a_search_that_makes_no_sense_is_400_with_the_place(workspace):
    for query in ("limit=0", "limit=1001", "offset=-1", "status=x", "wait=31", "wait=-1", "what=1"):
        answer = workspace.get(f"/_mock/requests?{query}")

        assert (answer.status_code, answer.json["errors"][0]["path"]) == (400, f"/{query.partition('=')[0]}")


# ---------------------------------------------------------------------- bounds


def test_full_journal_drops_the_oldest_requests(make_api, default_workspace):
    workspace = default_workspace(make_api("empty", journal_limit=3))
    for number in range(5):
        workspace.get(f"/v3/senders/{number}")
    found = workspace.get("/_mock/requests").json

    assert ([row["path"][-1] for row in found["items"]], found["evicted"]) == (["4", "3", "2"], 2)


def test_the_oldest_fall_out_when_they_are_too_large_together(make_api, default_workspace):
    workspace = default_workspace(make_api("empty", journal_bytes_limit=80_000))
    for number in range(6):
        workspace.post("/v3/senders", {"name": f"{number}" * 15_000})
    found = workspace.get("/_mock/requests").json

    kept = [row["request"]["body"]["name"][0] for row in found["items"]]
    assert (kept, found["evicted"]) == (["5", "4", "3", "2"], 2)


def test_oversized_request_is_kept_without_its_bodies_and_leaves_the_others(make_api, default_workspace):
    workspace = default_workspace(make_api("empty", journal_bytes_limit=50_000))
    workspace.get("/v3/senders")
    workspace.post("/v3/senders", {"name": "A" * 60_000})
    found = workspace.get("/_mock/requests").json

    assert ([row["method"] for row in found["items"]], found["evicted"]) == (["POST", "GET"], 0)
    assert found["items"][0]["request"]["body"] is None
    assert "the bodies are not kept, too large for the journal" in found["items"][0]["warnings"][-1]


def test_a_journal_that_is_emptied_begins_anew(workspace):
    workspace.new_sender("a@acme.test")
    before = workspace.state, workspace.get("/_mock/mailbox").json

    assert workspace.delete("/_mock/requests").status_code == 204
    assert workspace.get("/_mock/requests").json == {"items": [], "count": 0, "evicted": 0}
    assert (workspace.state, workspace.get("/_mock/mailbox").json) == before


def test_timers_fired_by_a_request_are_in_its_entry(make_api):
    """A plan for many sub-accounts is taken, and applied at once as well (`behaviour.bulk_plan: {after: PT0S}`)."""
    api = make_api("corporate-v2")
    account = api.get("/v3/corporate/subAccount?offset=0&limit=1").json["subAccounts"][0]["id"]
    answer = api.put("/v3/corporate/subAccounts/plan", json={"subAccountIds": [account], "credits": {"email": 40001}})
    assert answer.status_code < 300, answer.json

    entry = api.get("/_mock/requests?limit=1").json["items"][0]

    assert [row["event"] for row in entry["transitions"]] == ["accept_bulk", "apply_bulk"]
