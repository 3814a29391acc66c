from datetime import UTC, datetime

import pytest

from mockserver import MockServerError


@pytest.fixture
def asked(workspace, ask):
    """A workspace that got three requests."""
    ask(workspace, "GET", "/senders?ip=198.51.100.7")
    ask(workspace, "POST", "/senders", json={"name": "Ada", "email": "ada@acme.test", "colour": "red"})
    ask(workspace, "DELETE", "/senders/99")
    return workspace


def test_the_journal_lists_exchanges_newest_first_and_as_a_few_lines(asked):
    refused, created, listed = asked.requests.all()

    assert (created.operation, created.method, created.status) == ("createSender", "POST", 201)
    assert created.path.endswith("/senders")
    assert created.at == datetime(2026, 1, 15, 9, tzinfo=UTC)
    assert created.request.body == {"name": "Ada", "email": "ada@acme.test", "colour": "red"}
    assert created.answer.body["id"] == 3
    assert created.answer.headers["content-type"] == "application/json"
    assert [change["event"] for change in created.transitions] == ["create"]
    assert ["colour" in warning for warning in created.warnings] == [True]
    assert created.ms > 0
    assert listed.query == {"ip": "198.51.100.7"}
    assert str(listed).endswith("/senders?ip=198.51.100.7 200")
    assert str(created).splitlines()[1].startswith("    warning: ")
    assert (refused.status, refused.fault) == (404, None)
    assert "99" in refused.reason
    assert str(refused).startswith("DELETE ")
    assert str(refused).splitlines()[0].endswith("/senders/99 404")
    assert "99" in str(refused).splitlines()[1]


def test_an_exchange_without_an_answer_says_so_and_names_its_fault(workspace, ask):
    fault = workspace.faults.add("connection_reset", times=1)
    with pytest.raises(OSError):
        ask(workspace, "GET", "/senders")

    exchange = workspace.requests.latest(fault=fault.id)

    assert (exchange.status, exchange.answer) == (None, None)
    assert str(exchange).splitlines()[0].endswith("/senders no answer")
    assert f"    fault: {fault.id}" in str(exchange).splitlines()


def test_an_exchange_is_found_by_the_id_of_its_answer(workspace, ask):
    answer = ask(workspace, "GET", "/senders")

    assert workspace.requests.get(answer.headers["sib-request-id"]).operation == "getSenders"
    with pytest.raises(MockServerError, match="unknown request"):
        workspace.requests.get("none")


def test_exchanges_are_filtered_and_an_unknown_filter_is_refused(asked):
    assert [exchange.status for exchange in asked.requests.all(operation="createSender")] == [201]
    assert [exchange.method for exchange in asked.requests.all(status=404)] == ["DELETE"]
    assert [exchange.operation for exchange in asked.requests.all(limit=1)] == ["deleteSender"]
    assert asked.requests.latest(method="get").operation == "getSenders"
    assert [exchange.method for exchange in asked.requests.all(path="/v3/senders/*")] == ["DELETE"]
    for name in ("oauthRevoke", "sendTransacEmail"):  # beyond the API
        assert asked.requests.all(operation=name) == []
    with pytest.raises(MockServerError, match="colour"):
        asked.requests.all(colour="red")


def test_unknown_operation_is_refused_with_the_one_that_was_meant(workspace):
    for called in ("all", "page", "latest", "verify"):
        with pytest.raises(MockServerError, match="did you mean createSender"):
            getattr(workspace.requests, called)(operation="createSendr")


@pytest.mark.parametrize("way", ["all", "wait"])
def test_a_request_that_comes_later_is_waited_for(workspace, ask, later, way):
    later(ask, workspace, "GET", "/account")

    if way == "all":
        assert [exchange.status for exchange in workspace.requests.all(operation="getAccount", wait=10)] == [200]
    else:
        assert workspace.requests.wait(10, operation="getAccount").status == 200


def test_a_missing_request_raises_an_error_that_lists_the_journal(asked):
    with pytest.raises(LookupError) as missing:
        asked.requests.wait(0.01, operation="getAccount", status=200)

    first, *rest = str(missing.value).splitlines()
    assert first == "no request with operation='getAccount', status=200 after 0.01 s; the journal shows"
    assert [line.split()[0] for line in rest] == ["DELETE", "POST", "GET"]
    asked.requests.clear()
    assert asked.requests.all() == []
    with pytest.raises(LookupError, match=r"^no request; the journal is empty$"):
        asked.requests.latest()


def test_requests_that_are_as_many_as_wanted_satisfy(asked):
    for wanted in [
        {},
        {"count": 1, "operation": "createSender"},
        {"count": 1, "json": {"name": "Ada"}},
        {"count": 0, "operation": "getAccount"},
        {"at_least": 1, "at_most": 2, "operation": ["createSender", "deleteSender"]},
        {"at_most": 1, "path": {"senderId": 99}, "status": 404},
        {"query": {"ip": "198.51.100.7"}},
        {"count": 1, "json_exactly": {"name": "Ada", "email": "ada@acme.test", "colour": "red"}},
        {"count": 0, "json_exactly": {"name": "Ada", "email": "ada@acme.test"}},
        {"count": 1, "operation": None, "method": "POST"},
    ]:
        ids = asked.requests.verify(**wanted)
        assert set(ids) <= {exchange.id for exchange in asked.requests.all()}, wanted
        assert len(ids) == wanted.get("count", len(ids)), wanted


def test_secrets_are_verified_as_they_were_sent(workspace, ask):
    ask(workspace, "PUT", "/senders/2/validate", json={"otp": 123456})

    assert workspace.requests.latest().request.body == {"otp": "***"}
    assert len(workspace.requests.verify(json={"otp": 123456}, headers={"api-key": workspace.api_key})) == 1


def test_a_failed_verification_shows_the_closest_requests_with_their_differences(asked):
    with pytest.raises(AssertionError) as beyond:
        asked.requests.verify(operation="createSender", json_exactly={"name": "Eve", "email": "ada@acme.test"})
    with pytest.raises(AssertionError) as unsatisfied:
        asked.requests.verify(operation="createSender", json={"name": "Eve", "ips": []}, count=1)

    assert str(beyond.value).splitlines()[2:4] == [
        '    /json/name: wanted "Eve", got "Ada"', '    /json/colour: wanted nothing, got "red"'
    ]  # fmt: skip
    lines = str(unsatisfied.value).splitlines()
    assert lines[0] == (
        "expected 1 request with operation='createSender', json={'name': 'Eve', 'ips': []}, found 0; closest are"
    )
    assert lines[1].startswith("  POST ")
    assert lines[1].endswith("/senders (createSender)")
    assert lines[2:4] == ['    /json/name: wanted "Eve", got "Ada"', "    /json/ips: wanted [], got nothing"]


def test_of_many_differences_a_hundred_are_shown(workspace, ask):
    ask(workspace, "POST", "/senders", json={"name": "Ada"})
    with pytest.raises(AssertionError) as unsatisfied:
        workspace.requests.verify(operation="createSender", json={f"a{number}": 1 for number in range(1_200)})

    lines = str(unsatisfied.value).splitlines()
    assert (len(lines), lines[-1]) == (103, "    and 1,100 more")


def test_a_failed_verification_counts_the_matching_requests_or_says_that_the_journal_is_empty(asked):
    with pytest.raises(AssertionError, match=r"^expected at least 0 and at most 2 requests, found 3$"):
        asked.requests.verify(at_least=0, at_most=2)
    asked.requests.clear()
    with pytest.raises(AssertionError, match=r"^expected at least 1 requests, found 0; the journal is empty$"):
        asked.requests.verify()


def test_verify_takes_a_count_or_bounds_and_refuses_an_unknown_argument_with_advice(workspace):
    with pytest.raises(TypeError, match="either count"):
        workspace.requests.verify(count=1, at_most=2)
    with pytest.raises(MockServerError, match="did you mean json_exactly"):
        workspace.requests.verify(json_exact={})
