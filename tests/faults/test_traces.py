"""What a fault leaves behind: a line in the journal, a count in the coverage, and nothing else."""

from __future__ import annotations

import pytest

REFUSING = ["unauthorized", "rate_limited", "duplicate_request", "server_error", "unavailable", "maintenance"]
WITHOUT_ANSWER = ["hang", "connection_reset", "empty_response"]
GENUINE = [{"fault": "latency", "ms": 0}, {"fault": "slow_body", "ms": 0}]
NEW = {"name": "New", "email": "new@acme.test"}


def create(api, **headers):
    """Create a sender; None: there was no answer."""
    try:
        return api.post("/v3/senders", json=NEW, headers=headers)
    except ConnectionResetError:
        return None


def state(api):
    """The whole workspace but the count of requests and of what the rules did."""
    found = api.get("/_mock/state").json
    return {**found, "faults": None, "resume": {**found["resume"], "draws": _draws(found)}}


def _draws(document):
    """The place in every stream of draws, but those of the rules."""
    draws = document["resume"]["draws"].items()
    return {name: place for name, place in draws if not name.startswith("fault ")}


def journal(api):
    return api.get("/_mock/requests").json["items"]


# ---------------------------------------------------------------------- state


@pytest.mark.parametrize("fault", [*REFUSING, *WITHOUT_ANSWER])
def test_a_request_that_is_refused_leaves_the_workspace_as_it_was(api, rules, fault):
    rules.add(fault)
    before = state(api)
    create(api)
    assert state(api) == before
    assert api.get("/_mock/mailbox").json["count"] == 0


@pytest.mark.parametrize(
    "rule",
    [{"fault": "lost_answer"}, {"fault": "truncated_body"}, {"fault": "malformed_body"}, *GENUINE],
    ids=lambda rule: rule["fault"],
)
def test_a_request_that_is_done_leaves_the_workspace_as_without_a_fault(make_api, scenario, rules_of, rule):
    plain, faulty = make_api(scenario, key="master-key"), make_api(scenario, key="master-key")
    for api in (plain, faulty):
        rules_of(api).add(**{**rule, "probability": float(api is faulty)})
        create(api)
    assert state(faulty) == state(plain)
    assert [mail["otp"] for mail in faulty.get("/_mock/mailbox").json["items"]] == [
        mail["otp"] for mail in plain.get("/_mock/mailbox").json["items"]
    ]


def test_a_request_that_is_refused_shifts_no_code_and_no_id(make_api, scenario, rules_of):
    found = []
    for refused in (0, 3):
        api = make_api(scenario, key="master-key")
        if refused:
            rules_of(api).add("server_error", times=refused, probability=0.5)
        while any(rule["active"] for rule in rules_of(api).all()):
            api.put("/v3/senders/none/validate")
        answer = create(api)
        found.append((answer.json, [mail["otp"] for mail in api.get("/_mock/mailbox").json["items"]]))
    assert found[0] == found[1]


def test_a_code_still_expires_when_its_refusal_was_injected(api, rules):
    rules.add("otp_expired", times=1)
    assert api.put("/v3/senders/2/validate", json={"otp": 123456}).status_code == 400
    api.advance("PT14M")
    assert api.put("/v3/senders/2/validate", json={"otp": 123456}).status_code == 204


# ---------------------------------------------------------------------- journal


@pytest.mark.parametrize("fault", REFUSING)
def test_the_journal_names_the_fault_and_says_why(api, rules, fault):
    rule = rules.add(fault, id="mine")
    answer = create(api)
    found = journal(api)[0]
    assert (found["fault"], found["status"], found["operation"]) == (rule["id"], answer.status_code, "createSender")
    assert found["reason"] == f"injected by fault mine ({fault})"
    assert found["answer"]["body"] == answer.json
    assert found["transitions"] == []
    assert found["id"] == answer.headers["sib-request-id"]


@pytest.mark.parametrize("fault", WITHOUT_ANSWER)
def test_the_journal_says_that_there_was_no_answer(api, rules, fault):
    rules.add(fault)
    assert create(api) is None
    found = journal(api)[0]
    assert (found["status"], found["fault"]) == (None, "fault-1")
    assert found["reason"] == "fault fault-1 ended the request without an answer"


def test_the_journal_says_what_a_lost_answer_did(api, rules):
    rules.add("lost_answer")
    create(api)
    found = journal(api)[0]
    assert (found["status"], found["reason"]) == (504, "injected by fault fault-1 (lost_answer)")
    assert [change["event"] for change in found["transitions"]] == ["create"]


def test_the_journal_of_a_delayed_refusal_has_the_services_own_reason(api, rules):
    api.put("/v3/senders/2/validate", json={"otp": 654321})
    rules.add("latency", ms=0)
    api.put("/v3/senders/2/validate", json={"otp": 654321})
    late, natural = journal(api)
    assert late["fault"] == "fault-1"
    assert late["reason"] == natural["reason"]


def test_a_fault_of_one_call_is_the_header_in_the_journal(api):
    create(api, **{"X-Mock-Fault": "unavailable"})
    assert journal(api)[0]["fault"] == "header"


def test_the_journal_is_searched_by_fault(api, rules):
    rules.add("unavailable", id="mine", times=2)
    for _ in range(3):
        create(api)
    assert api.get("/_mock/requests?fault=mine").json["count"] == 2


# ---------------------------------------------------------------------- coverage


def codes(api):
    return api.workspace.coverage.codes


def test_an_injected_code_is_met_as_injected(api, rules):
    rules.add("otp_expired")
    api.put("/v3/senders/2/validate", json={"otp": 123456})
    assert codes(api) == {("validateSenderByOtp", "OTP code has expired", True): 1}
    assert api.workspace.coverage.answers == {("validateSenderByOtp", 400): 1}
    assert api.workspace.coverage.transitions == {}


def test_a_lost_answer_meets_the_transition_and_the_injected_code(api, rules):
    rules.add("lost_answer")
    create(api)
    assert codes(api) == {("createSender", "internal_error", True): 1}
    assert api.workspace.coverage.transitions == {("sender", "create"): 1}


@pytest.mark.parametrize("rule", GENUINE, ids=lambda rule: rule["fault"])
def test_the_services_own_code_is_met_by_nature_although_it_comes_late(api, rules, rule):
    rules.add(**rule)
    api.put("/v3/senders/2/validate", json={"otp": 654321})
    assert codes(api) == {("validateSenderByOtp", "Invalid OTP code provided", False): 1}


@pytest.mark.parametrize("fault", ["truncated_body", "malformed_body"])
def test_the_services_own_code_is_not_met_by_who_could_not_read_it(api, rules, fault):
    rules.add(fault)
    api.put("/v3/senders/2/validate", json={"otp": 654321})
    assert codes(api) == {("validateSenderByOtp", "Invalid OTP code provided", True): 1}


@pytest.mark.parametrize("fault", WITHOUT_ANSWER)
def test_missing_answer_is_counted_as_separate_status(api, rules, fault):
    rules.add(fault)
    create(api)
    assert api.workspace.coverage.answers == {("createSender", None): 1}
    assert codes(api) == {}


# ---------------------------------------------------------------------- memory


def test_nothing_grows_with_the_requests_that_are_hit(make_api, rules_of):
    """All that is kept of a request is in the journal, which is bounded."""
    api = make_api("empty", journal_limit=10)
    rules = rules_of(api)
    rules.add("latency", distribution={"type": "uniform", "low_ms": 0, "high_ms": 0}, probability=0.5)
    rules.add("lost_answer", probability=0.5)
    rules.add("unavailable")

    def sizes():
        workspace = api.workspace
        kept = (
            workspace.journal,
            workspace.state.random.positions,
            workspace.coverage.codes,
            workspace.coverage.answers,
            workspace.state.faults,
        )
        return [len(part) for part in kept]

    def play(number):
        for _ in range(number):
            api.get("/v3/account")
        return sizes()

    assert play(60) == play(300)
    assert sum(rules.hits()) == 360
