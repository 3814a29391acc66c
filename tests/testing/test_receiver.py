from datetime import UTC, datetime

import pytest
import requests


@pytest.fixture(scope="session")
def post():
    """Sends a call to an address as a webhook does, through the proxies of the environment if there are any."""
    with requests.Session() as session:
        session.trust_env = False
        yield lambda url, data=b"", **options: session.post(url, data, timeout=10, **options)


def test_a_receiver_takes_any_call_without_a_token(workspace, post):
    receiver = workspace.receiver("mine")
    assert receiver.name == "mine"
    assert repr(receiver) == "Receiver('mine')"

    assert post(f"{receiver.url}?a=1", b'{"b": 2}', headers={"X-Three": "3"}).status_code == 200

    (call,) = receiver.calls()
    assert (call.method, call.query, call.body, call.headers["x-three"]) == ("POST", "a=1", {"b": 2}, "3")
    assert call.path.endswith("/_mock/receiver/mine")
    assert call.at == datetime(2026, 1, 15, 9, tzinfo=UTC)


def test_the_body_of_a_call_is_a_json_value_a_text_or_none(workspace, post):
    receiver = workspace.receiver()
    for sent, read in [(b"", None), (b"text", "text"), (b"[1]", [1])]:
        post(receiver.url, sent)
        assert receiver.calls()[0].body == read


def test_receivers_are_the_same_by_their_name_and_different_without_one_or_in_other_workspaces(server, workspace, post):
    one, two = workspace.receiver(), workspace.receiver()
    post(one.url)
    post(workspace.receiver("mine").url)

    assert (len(one.calls()), two.calls(), len(workspace.receiver("mine").calls())) == (1, [], 1)
    with server.workspace() as other:
        assert other.receiver("mine").calls() == []


def test_the_default_workspace_has_receivers_at_the_bare_root(server, post):
    receiver = server.default.receiver("root")
    assert receiver.url == f"{server.url}/_mock/receiver/root"
    post(receiver.url)

    assert len(receiver.calls()) == 1
    receiver.clear()


def test_a_receiver_answers_with_a_status_a_number_of_times_or_late_or_resets_a_connection(workspace, post):
    receiver = workspace.receiver()
    receiver.answer(503, times=2)
    assert [post(receiver.url).status_code for _ in range(3)] == [503, 503, 200]
    receiver.answer(delay_ms=50)
    assert post(receiver.url).elapsed.total_seconds() >= 0.05
    receiver.answer(reset=True)
    with pytest.raises(requests.ConnectionError):
        post(receiver.url)
    assert len(receiver.calls()) == 5


def test_calls_that_come_later_are_waited_for(workspace, post, later):
    receiver = workspace.receiver()
    later(lambda: [post(receiver.url, str(number)) for number in range(3)])

    assert [call.body for call in receiver.calls(count=3, wait=10)] == [2, 1, 0]


def test_too_few_calls_raise_an_error_that_lists_those_received(workspace, post):
    receiver = workspace.receiver("mine")
    post(receiver.url, b"hello")

    with pytest.raises(LookupError) as missing:
        receiver.calls(count=2, wait=0.01)

    lines = str(missing.value).splitlines()
    assert lines[0] == "1 of 2 calls after 0.01 s"
    assert lines[1].endswith("/_mock/receiver/mine at 2026-01-15 09:00:00: 'hello'")


def test_clearing_a_receiver_removes_its_calls_and_its_status(workspace, post):
    receiver = workspace.receiver()
    receiver.answer(500)
    post(receiver.url)

    receiver.clear()

    assert receiver.calls() == []
    assert post(receiver.url).status_code == 200
