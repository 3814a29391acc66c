"""Exchanges that were forwarded become stubs that answer as the peer did."""

import pytest

from mockserver.beyond.recording import MOST_ANSWERS, recorded


def entry(path="/v3/contacts", body=None, *, method="GET", status=200, query=None, operation=None, **members):
    """An entry of the journal, as the control API shows it."""
    headers = {"Content-Type": "application/json", "sib-request-id": "1", "X-Mock-Answered": "forwarded"}
    found = {
        "method": method, "path": path, "query": query or {}, "operation": operation, "status": status, "fault": None,
        "beyond": "forwarded", "warnings": [], "answer": {"headers": headers, "body": body},
    }  # fmt: skip
    return {**found, **members}


def answered(body, **headers):
    """An entry with these headers of its answer."""
    found = entry(body=body)
    found["answer"]["headers"] = {name.replace("_", "-"): value for name, value in headers.items()}
    return found


def stubs(*entries):
    found = recorded(entries)
    assert found.left_out == []
    return found.stubs


def reasons(*entries):
    found = recorded(entries)
    assert found.stubs == []
    return [row.reason for row in found.left_out]


@pytest.mark.parametrize(
    ("entries", "method", "answer"),
    [
        ([entry(body={"contacts": []})], "GET", {"status": 200, "json": {"contacts": []}}),
        ([entry(method="DELETE", status=204)], "DELETE", {"status": 204}),
        ([entry(body=[], method="HEAD"), entry(body=[])], "GET", {"status": 200, "json": []}),
        ([entry(body=[])] * 3, "GET", {"status": 200, "json": []}),
        ([answered("done", **{"Content-Type": "application/json"})], "GET", {"status": 200, "json": "done"}),
        ([entry(body={"message": "up"}, status=502)], "GET", {"status": 502, "json": {"message": "up"}}),
    ],
    ids=["body", "no body", "head", "repeated", "text of JSON", "bad gateway of the peer"],
)
def test_an_answer_becomes_a_stub(entries, method, answer):
    assert stubs(*entries) == [{"method": method, "path": "/v3/contacts", "answer": answer}]


@pytest.mark.parametrize("query", [{"email": "ada@acme.com"}, {"token": "***"}])
def test_replaced_and_redacted_parameters_are_not_matched(query):
    (stub,) = stubs(entry(body=[], query={**query, "limit": "1"}))
    assert stub["match"] == {"query": {"limit": "1"}}


def test_answers_that_were_not_forwarded_become_no_stub():
    assert recorded([entry(beyond="stubbed"), entry(beyond=None), entry(beyond="refused")]).stubs == []


def test_several_answers_of_one_call_become_a_sequence():
    (stub,) = stubs(entry(body=[]), entry("/v3/contacts", body=[1], status=202))
    assert stub["answers"] == [{"status": 200, "json": []}, {"status": 202, "json": [1]}]


def test_different_query_gives_a_separate_stub():
    first, second, plain = stubs(
        entry(body=[]), entry(body=[1], query={"limit": "1"}), entry(body=[2], query={"limit": "1", "id": ["1", "2"]})
    )
    assert first["match"] == {"query": {"id": ["1", "2"], "limit": "1"}}
    assert second["match"] == {"query": {"limit": "1"}}
    assert "match" not in plain


def test_what_a_peer_has_sent_beside_the_body_is_kept():
    own = {"Content-Type": "text/csv", "Retry_After": "7", "X_Mock_Beyond": "a", "x_sib_ratelimit_limit": "9",
           "Content_Length": "3", "access_control_allow_origin": "*", "X_Secret": "***"}  # fmt: skip
    (stub,) = stubs(answered("a,b", **own))
    assert stub["answer"] == {"status": 200, "headers": {"Retry-After": "7", "Content-Type": "text/csv"}, "text": "a,b"}


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        ("Hi {{ params.name }}", "Hi {{ '{{' }} params.name }}"),
        ("{% if a %}{# b #}", "{{ '{%' }} if a %}{{ '{#' }} b #}"),
        ("{{{%", "{{ '{{{%' }}"),
        ("{\r{{", "{{ '{' }}{{ '\\r' }}{{ '{{' }}"),
        ("{ a }", "{ a }"),
        ("{{ a }}\n", "{{ '{{' }} a }}\n{{ '' }}"),
    ],
)
def test_a_template_of_the_services_is_no_template_of_a_stub(said, quoted):
    (stub,) = stubs(entry(body={"html": said}))
    assert stub["answer"]["json"] == {"html": quoted}


def test_an_address_in_a_path_may_be_any_other_and_is_said_again():
    (stub,) = stubs(
        entry("/v3/companies/Ada@acme.com", {"email": "ada@acme.com", "of": "acme.com"}, operation="getCompaniesById")
    )
    assert stub["path"] == "/v3/companies/{id}"
    assert stub["answer"]["json"] == {"email": "{{ request.path.id }}", "of": "host1.test"}


def test_calls_that_differ_in_an_address_only_become_a_sequence():
    (stub,) = stubs(entry("/v3/contacts/ada@acme.com", {"id": 1}), entry("/v3/contacts/bob@acme.com", {"id": 2}))
    assert stub["path"] == "/v3/contacts/{part3}"
    assert [answer["json"] for answer in stub["answers"]] == [{"id": 1}, {"id": 2}]


def test_an_address_that_is_part_of_a_longer_word_is_not_said_again():
    one = entry("/v3/x/10.0.0.1", ["10.0.0.1", *(f"10.0.0.{number}" for number in range(2, 11))])
    (stub,) = stubs(one)
    assert stub["answer"]["json"] == ["{{ request.path.part3 }}", *(f"192.0.2.{number}" for number in range(2, 11))]


def test_redacted_path_segment_becomes_a_parameter():
    (stub,) = stubs(entry("/v3/x/***/y", {"a": "***"}))
    assert (stub["path"], stub["answer"]["json"]) == ("/v3/x/{part3}/y", {"a": "***"})


def test_addresses_of_tests_stay():
    (stub,) = stubs(entry("/v3/contacts/ada@acme.test", {"email": "ada@acme.test"}, query={"of": "acme.test"}))
    assert (stub["path"], stub["match"]) == ("/v3/contacts/ada@acme.test", {"query": {"of": "acme.test"}})


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (entry(body={}, fault="f1"), "a fault has changed its answer"),
        (entry(status=None, answer=None), "a fault has changed its answer"),
        (entry(body={"code": "internal_error", "message": "Bad gateway: no answer"}, status=502), "the peer gave no"),
        (entry(warnings=["the bodies of 1 and 9 bytes are not kept: they are too large"]), "which is too large"),
        (answered("a\ufffdb", **{"Content-Type": "image/png"}), "its body is no text"),
        (entry("/v3/companies/a/b/c", operation="getCompaniesById"), "a part of its path has an encoded slash"),
        (entry("/v3/contacts/a b?", {}), "is not a segment of a path"),
        (entry(body="x" * 70_000), "expected at most 65,536"),
    ],
)
def test_what_can_be_no_stub_is_left_out_with_the_reason(one, reason):
    (told,) = reasons(one)
    assert reason in told


def test_a_body_that_is_nested_too_deeply_is_left_out():
    body = []
    for _ in range(5_000):
        body = [body]
    assert reasons(entry(body=body)) == ["its answer is nested too deeply"]


def test_of_very_many_answers_the_first_are_kept():
    found = recorded(entry(body=number) for number in range(MOST_ANSWERS + 1))
    (stub,) = found.stubs
    assert [answer["json"] for answer in stub["answers"]] == list(range(MOST_ANSWERS))
    assert "the first of 101" in found.left_out[0].reason
