"""The application keeps the contract of the service: it answers every case under `fixtures/` as promised."""

import http.client
from urllib.parse import urlsplit

import pytest
import yaml

from mockserver import Settings, create_app
from mockserver.evidence.fixture import cases, examples
from mockserver.evidence.replay import ReceivedAnswer, replay
from mockserver.resources.registry import API_OPERATIONS, RESOURCES
from mockserver.settings import data_folder
from mockserver.testing.replay import with_test_client

CASES = list(cases())
FILES = sorted(data_folder("fixtures").glob("*/*.yaml"))
#: The operations of the API that each resource has; those that need no key have no file.
OF_THE_API = {
    room.name: names for room in RESOURCES if (names := {row.id for row in room.operations if row.id in API_OPERATIONS})
}

#: The members that a file, a case and an exchange may have; a misspelt one would otherwise be ignored.
FILE_MEMBERS = {"operation", "scenario", "shared", "cases"}
CASE_MEMBERS = {"name", "scenario", "steps", "request", "answer", "then"}
REQUEST_MEMBERS = {"as", "path", "query", "headers", "json", "body"}
ANSWER_MEMBERS = {"status", "headers", "json", "body"}


@pytest.fixture(scope="module")
def client():
    return create_app(Settings(scenario="empty")).test_client()


@pytest.fixture(scope="module")
def send(client):
    return with_test_client(client)


@pytest.mark.parametrize("operation", API_OPERATIONS)
def test_cases_of_an_operation_are_answered_as_promised(operation, send):
    found = [
        f"{case.name}: {exchange.title}: {text}"
        for case in CASES
        if case.operation == operation
        for exchange in replay(case, send)
        for text in exchange.differences
    ]
    assert not found, "\n".join(["the answers are not as promised", *found])


def test_every_operation_has_a_fixture_file():
    wanted = {f"{room}/{operation}.yaml" for room, operations in OF_THE_API.items() for operation in operations}
    assert {f"{path.parent.name}/{path.name}" for path in FILES} == wanted


def test_every_operation_shows_a_success_first_then_every_error_that_an_input_can_reach():
    shown = examples()
    for operation in API_OPERATIONS.values():
        found = [case for case in CASES if case.operation == operation.id]
        assert found[0].answer["status"] == operation.status
        declared = {(row.status, row.code.code) for row in operation.errors if "by a fault only" not in row.when}
        assert declared <= set(map(_outcome, found)), operation.id
        whole = [row for row in shown.get(operation.id, ()) if row.status == operation.status]
        assert bool(whole) == (operation.answer_schema is not None), operation.id


def test_every_resource_refuses_a_caller_without_a_key():
    for operations in OF_THE_API.values():
        assert (401, "unauthorized") in {_outcome(case) for case in CASES if case.operation in operations}


def _outcome(case):
    body = case.answer.get("json")
    return case.answer["status"], body.get("code") if isinstance(body, dict) else None


def test_fixture_files_have_known_members_and_unique_names_only():
    for path in FILES:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert document["operation"] == path.stem
        assert document.keys() <= FILE_MEMBERS, path
        for case in document["cases"]:
            assert case.keys() <= CASE_MEMBERS, path
            assert case.get("request", {}).keys() <= REQUEST_MEMBERS, path
            assert case["answer"].keys() <= ANSWER_MEMBERS, path
            for step in [*case.get("steps", ()), *case.get("then", ())]:
                assert step.keys() <= REQUEST_MEMBERS | {"method", "answer"}, path
                assert step.get("answer", {}).keys() <= ANSWER_MEMBERS, path
    names = [(case.operation, case.name) for case in CASES]
    assert len(set(names)) == len(names)


@pytest.fixture(scope="module")
def answers(send):
    return _answers(CASES, send)


def _answers(some, send):
    return {
        (case.operation, case.name): [
            (exchange.title, exchange.answer) for exchange in replay(case, send) if " /v3/" in exchange.title
        ]
        for case in some
    }


@pytest.mark.slow
def test_cases_in_reverse_order_have_identical_answers(answers):
    fresh = create_app(Settings(scenario="standard")).test_client()
    again = _answers(reversed(CASES), with_test_client(fresh))
    assert {case: _without_date(rows) for case, rows in again.items()} == {
        case: _without_date(rows) for case, rows in answers.items()
    }


def _without_date(rows):
    return [(title, answer.status, _kept(answer.headers), answer.body) for title, answer in rows]


def _kept(headers):
    return {name: value for name, value in headers.items() if name.lower() != "date"}


def test_every_answer_has_the_headers_of_the_service(answers):
    """A 401 tells no rate limit (contract/rate-limits)."""
    always = {"sib-request-id", "access-control-allow-origin"}
    limits = {"x-sib-ratelimit-limit", "x-sib-ratelimit-remaining", "x-sib-ratelimit-reset"}
    wrong = [
        title
        for rows in answers.values()
        for title, answer in rows
        if (always | limits) & {name.lower() for name in answer.headers}
        != (always if answer.status == 401 else always | limits)
    ]
    assert wrong == []


@pytest.fixture(scope="module")
def json_answers(answers):
    """All answers but attachments, which have the form in which they came."""
    files = {name for name, row in API_OPERATIONS.items() if row.media}
    return [
        answer
        for (operation, _), rows in answers.items()
        for _, answer in rows
        if not (operation in files and answer.status == 200)
    ]


def test_every_body_is_compact_json_with_one_newline_at_its_end(json_answers):
    bodies = [answer for answer in json_answers if answer.body]
    assert {answer.headers["Content-Type"] for answer in bodies} == {"application/json"}
    assert all(answer.body.endswith(b"}\n") and answer.body.count(b"\n") == 1 for answer in bodies)


def test_an_answer_without_a_body_names_no_type(json_answers):
    empty = [answer for answer in json_answers if not answer.body]
    assert {answer.status for answer in empty} == {201, 202, 204}
    assert all("Content-Type" not in answer.headers for answer in empty)


@pytest.fixture(scope="module")
def over_a_socket(module_serve):
    connection = http.client.HTTPConnection(urlsplit(module_serve("empty")).netloc, timeout=20)

    def send(method, path, headers, body):
        connection.request(method, path, body, {"Host": "localhost", **headers})
        found = connection.getresponse()
        return ReceivedAnswer(found.status, dict(found.getheaders()), found.read())

    yield send
    connection.close()


def test_sample_of_cases_is_answered_alike_over_a_socket(answers, over_a_socket):
    """Only the server's headers differ, and the client's address and name in the log of activities."""
    sample = [case for case in CASES if case.operation != "getAccountActivity"][::10][:50]
    for case, rows in _answers(sample, over_a_socket).items():
        for (_, one), (_, other) in zip(rows, answers[case], strict=True):
            assert (one.status, one.body) == (other.status, other.body), case
            added = {"connection", "content-length"}
            kept = ({name.lower(): value for name, value in _kept(row.headers).items()} for row in (one, other))
            assert len({frozenset((n, v) for n, v in row.items() if n not in added) for row in kept}) == 1, case


@pytest.mark.slow
def test_the_state_that_a_case_leaves_can_be_written_and_restored(client, send):
    torn = []
    for case in CASES:
        for _ in replay(case, send):
            pass
        state = client.get("/_mock/state").json
        client.post("/_mock/reset", json={"scenario": state})
        if client.get("/_mock/state").json != state:
            torn.append(f"{case.operation}: {case.name}")
    assert torn == []
