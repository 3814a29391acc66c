"""The handle on stubs: they are added, replaced, listed and removed from Python."""

import pytest

from mockserver import MockServerError

ANSWER = {"status": 201, "json": {"id": 7}}


@pytest.fixture
def stub(workspace):
    return workspace.stubs.add("POST", "/v3/contacts/{email}/notes", ANSWER, match={"json": {"kind": "call"}}, times=2)


def test_a_stub_is_added_with_what_is_given_and_nothing_else(workspace, stub):
    assert workspace.stubs.all()[0].stub == {
        "id": stub.id, "method": "POST", "path": "/v3/contacts/{email}/notes", "match": {"json": {"kind": "call"}},
        "answer": ANSWER, "times": 2, "hits": 0, "position": 0, "active": True,
    }  # fmt: skip
    assert (stub.method, stub.path) == ("POST", "/v3/contacts/{email}/notes")
    assert repr(stub) == f"Stub('POST', '/v3/contacts/{{email}}/notes', id={stub.id!r})"


def test_a_stub_counts_what_it_has_answered(workspace, stub, ask):
    answers = [ask(workspace, "POST", "/contacts/bob@acme.test/notes", json={"kind": "call"}) for _ in range(3)]

    assert [(answer.status, answer.json.get("id")) for answer in answers] == [(201, 7), (201, 7), (404, None)]
    assert (stub.hits, stub.active) == (2, False)
    assert [found.stub for found in workspace.requests.all()] == [None, stub.id, stub.id]


def test_the_stub_that_was_added_last_is_asked_first_and_may_have_a_sequence_of_answers(workspace, stub):
    answers = [{"status": 202}, {"json": {"done": True}}]

    other = workspace.stubs.add("POST", stub.path, answers=answers)

    assert other.stub["answers"] == answers
    assert [row.id for row in workspace.stubs.all()] == [other.id, stub.id]


def test_a_stub_is_replaced_under_its_id(workspace, stub):
    other = stub.replace({"status": 404})

    assert (other.id, other.stub["answer"], "times" in other.stub) == (stub.id, {"status": 404}, False)
    assert [row.stub for row in workspace.stubs.all()] == [other.stub]


def test_handle_removes_a_stub(workspace, stub):
    stub.remove()

    assert workspace.stubs.all() == []
    for gone in (stub.remove, lambda: stub.replace(ANSWER), lambda: stub.hits, lambda: stub.active):
        with pytest.raises(MockServerError, match="unknown stub"):
            gone()


def test_stubs_are_added_as_a_scenario_has_them_and_removed_together(workspace, stub):
    items = [{"method": "GET", "path": "/v3/contacts", "answer": {}}, {"method": "GET", "path": "/v3/x", "answer": {}}]

    added = workspace.stubs.add_all(items)

    assert [row.path for row in workspace.stubs.all()] == ["/v3/contacts", "/v3/x", stub.path]
    assert [row.path for row in added] == ["/v3/contacts", "/v3/x"]
    workspace.stubs.clear()
    assert workspace.stubs.all() == []
