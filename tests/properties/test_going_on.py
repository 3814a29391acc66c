"""A state that was put back goes on as the workspace would have in which it was written."""

from __future__ import annotations

import itertools
from datetime import timedelta

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from state_comparison import without_ids_of_requests

from mockserver.core.workspaces import lifecycle

START = "2026-01-15T09:00:00Z"
HOOKS = [("one", False), ("two", False), ("three", True)]
#: The account that comes first has the larger id.
SCENARIO = {
    "clock": {"start": START, "frozen": True},
    "behaviour": {"export": {"after": "PT10M"}, "bulk_plan": {"after": "PT10M"}, "otp_lifetime": "PT10M"},
    "accounts": [
        {
            "name": name,
            "id": number,
            "api_keys": [name],
            "enterprise": True,
            "webhooks": [
                {"url": f"http://127.0.0.1:9/{name}/{hook}", "events": ["request", "delivered"], "batched": batched}
                for hook, batched in HOOKS
            ],
        }
        for name, number in (("acme", 1000002), ("globex", 1000001))
    ],
}
NAMES = st.sampled_from(["acme", "globex"])
POSITIONS = st.integers(0, 8)
#: Few moments, so that much is due at the same one.
MINUTES = st.sampled_from([0, 5, 10])
STEPS = st.one_of(
    st.tuples(st.just("trigger"), NAMES),
    st.tuples(st.just("mail"), NAMES, MINUTES),
    st.tuples(st.just("sender"), NAMES),
    st.tuples(st.just("export"), NAMES),
    st.tuples(st.just("redeliver"), POSITIONS),
    st.tuples(st.just("fire"), POSITIONS, st.sampled_from(["succeed", "give_up", "cancel"])),
    st.tuples(st.just("delete"), NAMES, st.integers(1, 6)),
    st.tuples(st.just("advance"), MINUTES),
)
ANSWERS = st.sampled_from([200, 400, 429])
SCRIPTS = st.lists(ANSWERS, min_size=1, max_size=5)


class Player:
    """Does in a workspace what a list of steps says."""

    def __init__(self, api, effects):
        self.api, self.effects = api, effects
        self.numbers = itertools.count(1)

    def answer_by(self, script):
        answers = itertools.cycle(script)
        self.effects.calls.clear()
        self.effects.answer_at_once = lambda _: {"status": next(answers)}

    def play(self, steps):
        for name, *arguments in steps:
            getattr(self, name)(*arguments)

    def trigger(self, account):
        self.api.post("/_mock/trigger", json={"event": "delivered", "account": account})

    def mail(self, account, minutes):
        # Those that are made later come first by their names.
        number = 1_000 - next(self.numbers)
        email = {"message_id": f"<{number}@a.test>", "to": "a@b.test", "scheduled_at": f"PT{minutes + 10}M"}
        document = {"accounts": [{"name": account, "scheduled_emails": [email]}]}
        assert self.api.post("/_mock/seed", json=document).status_code == 200

    def sender(self, account):
        body = {"name": "n", "email": f"s{next(self.numbers)}@a.test"}
        assert self.api.post("/v3/senders", key=account, json=body).status_code == 201

    def export(self, account):
        body = {"type": "transactional", "event": "allEvents", "notifyURL": "http://127.0.0.1:9/done"}
        self.api.post("/v3/webhooks/export", key=account, json=body)

    def of_call(self, position, path):
        found = self.api.get("/_mock/deliveries").json["items"]
        if found:
            self.api.post(path.format(found[position % len(found)]["id"]))

    def redeliver(self, position):
        self.of_call(position, "/_mock/deliveries/{}/redeliver")

    def fire(self, position, event):
        self.of_call(position, f"/_mock/machines/delivery/{{}}/{event}")

    def delete(self, account, number):
        self.api.delete(f"/v3/webhooks/{number}", key=account)

    def advance(self, minutes):
        self.api.advance(f"PT{minutes}M")

    def go_on(self, steps, script):
        """What a workspace does from here on: the state in which it ends, what happened on the way, and who was
        called."""
        self.numbers = itertools.count(500)
        self.answer_by(script)
        self.play(steps)
        fired = self.api.advance("PT2H")["fired"]
        calls = [(post.url, post.body) for post in self.effects.calls]
        return without_ids_of_requests(self.api.get("/_mock/state").json), fired, calls


@pytest.mark.hypothesis
def test_a_state_that_was_put_back_goes_on_as_before(make_api, elsewhere):
    api = make_api(SCENARIO, deliveries_limit=6)
    api.workspace.effects = elsewhere()

    @examples(120)
    @given(before=st.lists(STEPS, max_size=12), first=SCRIPTS, after=st.lists(STEPS, max_size=6), then=SCRIPTS)
    def check(before, first, after, then):
        player = Player(api, api.workspace.effects)
        assert api.post("/_mock/reset").status_code == 200
        player.answer_by(first)
        player.play(before)
        written = api.get("/_mock/state").json

        expected = player.go_on(after, then)
        assert api.put("/_mock/state", json=written).status_code == 200
        assert player.go_on(after, then) == expected

    check()


def test_timers_of_one_moment_fire_before_their_calls_leave_whatever_turns_others_get(make_api, elsewhere, monkeypatch):
    monkeypatch.setattr(lifecycle, "_TURN_S", 0)
    api = make_api(SCENARIO)
    api.workspace.effects = elsewhere()
    player = Player(api, api.workspace.effects)
    player.answer_by([200])
    # The call of the batched webhook is due at the moment of the e-mail, and its timer is the first.
    player.play([("advance", 5), ("trigger", "acme"), ("mail", "acme", -5)])
    state = api.workspace.state

    def step():
        move = lifecycle.Advance(api.workspace, timedelta(minutes=5))
        assert not move.step()
        assert api.workspace.jobs
        return [timer.machine for timer in state.timers.all() if timer.moment <= state.clock.now()]

    assert api.workspace.run(step) == []
