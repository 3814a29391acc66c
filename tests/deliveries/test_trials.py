"""Trials of a receiver: calls that are forged, duplicated, reordered or late."""

import pytest

from mockserver import MockServerError

START = "2026-01-15T09:00:00Z"
SECRETS = {
    "token": ({"auth": {"type": "bearer", "token": "s3cret"}}, "authorization", [None, "Bearer forged"]),
    "header": ({"headers": [{"key": "X-Shop", "value": "s3cret"}]}, "x-shop", [None, "forged"]),
    "user info": ({"url": "http://shop:s3cret@"}, "authorization", [None, "Basic Zm9yZ2VkOmZvcmdlZA=="]),
}


@pytest.fixture
def make_hooked(server):
    """A factory of workspaces whose webhook calls a receiver of the mock, and has called it about so many events."""
    made = []

    def make(*, events=1, **members):
        workspace = server.workspace({"clock": {"start": START, "frozen": True}})
        receiver = workspace.receiver()
        url = receiver.url.replace("http://", members.pop("url", "http://"))
        workspace.seed({"webhooks": [{"id": 1, "url": url, "events": ["delivered"], **members}]})
        for number in range(events):
            workspace.trigger("delivered", to=f"{number}@example.test")
            workspace.clock.advance("PT1S")
        made.append(workspace)
        return workspace, receiver

    yield make
    for workspace in made:
        workspace.drop()


def received(receiver, *, beyond):
    """The recipients of the payloads that came in after so many calls, oldest first."""
    return [call.body["email"] for call in reversed(receiver.calls())][beyond:]


@pytest.mark.parametrize(("secret", "header", "values"), SECRETS.values(), ids=SECRETS)
def test_a_forged_call_is_made_without_the_secrets_and_with_wrong_ones(make_hooked, secret, header, values):
    workspace, receiver = make_hooked(**secret)

    found = workspace.deliveries.redeliver(1, as_="forged")

    assert (found.id, found.sent_as, [attempt.status for attempt in found.attempts]) == (2, "forged", [200, 200])
    last, first, real = receiver.calls()
    assert [first.headers.get(header), last.headers.get(header)] == values
    assert real.headers[header] not in values
    assert first.body == last.body == real.body


@pytest.mark.parametrize("members", [{}, {"auth": {"type": "bearer"}}], ids=str)
def test_a_call_without_secrets_cannot_be_forged(make_hooked, members):
    workspace, receiver = make_hooked(**members)

    with pytest.raises(MockServerError, match="nothing to check: webhook 1 has neither") as refusal:
        workspace.deliveries.redeliver(1, as_="forged")

    assert (refusal.value.status, len(receiver.calls())) == (409, 1)


def test_the_present_secrets_of_the_webhook_are_forged(make_hooked, ask):
    workspace, receiver = make_hooked()
    ask(workspace, "PUT", "/webhooks/1", {"headers": [{"key": "X-Shop", "value": "s3cret"}]})

    workspace.deliveries.redeliver(1, as_="forged")

    assert receiver.calls()[0].headers["x-shop"] == "forged"


@pytest.mark.parametrize(
    ("kind", "expected"), {"duplicated": ["1", "1"], "reordered": ["2", "1"], "late": ["1"]}.items()
)
def test_a_trial_sends_the_old_payloads_in_its_order(make_hooked, kind, expected):
    workspace, receiver = make_hooked(events=3)
    before = receiver.calls()

    found = workspace.deliveries.redeliver(2, as_=kind)

    assert received(receiver, beyond=3) == [f"{number}@example.test" for number in expected]
    assert all(call.body in [row.body for row in before] for call in receiver.calls())
    assert {row.sent_as for row in workspace.deliveries.all()} == {None, kind}
    assert found == workspace.deliveries.all()[0]


def test_a_second_call_is_sent_when_the_receiver_has_answered_the_first_one(make_hooked):
    workspace, receiver = make_hooked(events=2)
    receiver.answer(delay_ms=100, times=1)

    workspace.deliveries.redeliver(1, as_="reordered")

    assert received(receiver, beyond=2) == ["1@example.test", "0@example.test"]


def test_a_trial_neither_retries_nor_changes_the_delivery_that_it_repeats(make_hooked):
    workspace, receiver = make_hooked()
    receiver.answer(429)
    before = workspace.deliveries.get(1)

    found = workspace.deliveries.redeliver(1, as_="late")

    assert (found.state, found.next_at) == ("dropped", None)
    assert workspace.deliveries.get(1) == before


def test_a_reordered_trial_needs_two_deliveries_that_the_service_has_sent(make_hooked):
    workspace, _ = make_hooked()
    workspace.deliveries.redeliver(1, as_="late")

    with pytest.raises(MockServerError, match="webhook 1 has one delivery only; reordered needs two"):
        workspace.deliveries.redeliver(1, as_="reordered")


def test_a_delivery_that_was_not_sent_yet_is_refused(make_hooked):
    workspace, _ = make_hooked(events=0)
    *_, later = workspace.story("delivered")

    with pytest.raises(MockServerError, match="delivery 1 has no attempt yet"):
        workspace.deliveries.redeliver(later.id, as_="late")


def test_an_unknown_trial_is_refused(make_hooked):
    workspace, _ = make_hooked()

    with pytest.raises(MockServerError, match="forged, duplicated, reordered, late") as refusal:
        workspace.deliveries.redeliver(1, as_="lost")

    assert (refusal.value.status, refusal.value.errors[0]["path"]) == (400, "/as")


def test_a_trial_survives_a_state_that_is_saved_and_loaded(make_hooked):
    workspace, _ = make_hooked(headers=[{"key": "X-Shop", "value": "s3cret"}])
    found = workspace.deliveries.redeliver(1, as_="forged")

    workspace.state.put(workspace.state.get())

    assert workspace.deliveries.get(2) == found
