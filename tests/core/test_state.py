"""The state of a workspace: plain data that can be copied, written down, compared and put in the place of another."""

import copy
import pickle

import pytest
from state_comparison import difference, equal

from mockserver.resources.senders.model import Sender
from mockserver.resources.webhooks.model import Webhook
from mockserver.scenario.documents.library import Library

every_scenario = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name == "large" else name for name in Library().names()]
)
SENDER = {"name": "New", "email": "new@acme.test"}
WEBHOOK = {"url": "http://127.0.0.1:9/hook", "events": ["delivered"], "type": "transactional"}


@pytest.fixture
def busy_state(make_api):
    """A factory of states of scenarios in which something of every kind has happened."""

    def made(name):
        api = make_api(name)
        api.post("/v3/senders", json=SENDER)
        api.post("/v3/domains", json={"name": "new.test"})
        assert api.post("/v3/webhooks", json=WEBHOOK).status_code in (201, 403)
        assert api.post("/_mock/faults", json={"fault": "latency", "probability": 0.5, "ms": 0}).status_code == 201
        api.get("/v3/senders")
        assert api.post("/_mock/trigger", json={"event": "delivered"}).status_code == 200
        assert api.post("/_mock/seed", json={"senders": [{"name": "s", "email": "s@acme.test"}]}).status_code == 200
        api.advance("PT1M")
        return api.workspace.state

    return made


pytestmark = pytest.mark.api({"extends": "standard", "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}})


@pytest.fixture
def states(api):
    """A state, and a copy of it."""
    return api.workspace.state, copy.deepcopy(api.workspace.state)


@every_scenario
def test_a_state_that_was_written_down_is_equal_when_it_is_read(name, busy_state):
    state = busy_state(name)

    assert difference(pickle.loads(pickle.dumps(state)), state) is None


@every_scenario
def test_deep_copy_of_a_state_equals_the_state(name, busy_state):
    state = busy_state(name)

    assert difference(copy.deepcopy(state), state) is None


CHANGES = {
    "a member of a row": lambda state: setattr(next(iter(_senders(state).values())), "name", "Other"),
    "a row": lambda state: _senders(state).pop(1),
    "the order of rows": lambda state: _senders(state).update({1: _senders(state).pop(1)}),
    "an account": lambda state: state.remove_account(state.first_account),
    "a key": lambda state: state.revoked_keys.add("k"),
    "an id": lambda state: state.next_id("sender"),
    "a draw": lambda state: state.random.uuid("webhook"),
    "the time": lambda state: state.clock.thaw(),
    "a timer": lambda state: state.timers.set(state.clock.now(), 1, "sender", 1, "expire"),
    "a switch": lambda state: setattr(state, "strict", True),
    "a choice of the behaviour": lambda state: setattr(state, "behaviour", state.behaviour._replace(dkim="cname")),
}


def _senders(state):
    return state.first_account.table(Sender)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_states_that_differ_are_not_equal(states, change):
    one, other = states

    change(other)

    assert not equal(one, other)


def test_a_table_in_which_somebody_looked_in_vain_makes_no_difference(states):
    one, other = states
    for account in other.accounts.values():
        account.table(Webhook)
        account.table(int)

    assert equal(one, other)


def test_a_difference_is_told_with_its_path(states):
    one, other = states
    other.behaviour = other.behaviour._replace(dkim="cname")

    assert difference(one, other) == "state.behaviour.3: 'txt' is not 'cname'"


def test_nothing_that_happens_to_a_copy_reaches_the_state(api):
    copied, before = copy.deepcopy(api.workspace.state), api.get("/_mock/state").json

    copied.remove_account(copied.first_account)
    copied.clock.thaw()
    copied.random.uuid("webhook")

    assert api.get("/_mock/state").json == before


def test_rows_that_were_copied_are_counted_once(states):
    one, other = states

    del _senders(other)[1]

    assert one.kept() == other.kept() + 1


def test_a_state_takes_the_place_of_another_by_one_assignment(make_api):
    api, other = make_api("standard"), make_api("corporate-v2")

    api.workspace.state = other.workspace.state

    assert api.get("/_mock/state").json["accounts"] == other.get("/_mock/state").json["accounts"]
    assert api.get("/v3/account").json == other.get("/v3/account").json
