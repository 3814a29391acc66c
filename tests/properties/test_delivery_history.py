"""Whatever happens to webhooks and their calls, in whatever order: none is lost, none is made twice."""

from __future__ import annotations

import copy
import itertools
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

START = datetime(2026, 1, 15, 9, tzinfo=UTC)
DELAYS = [timedelta(minutes=minutes) for minutes in (10, 60, 120, 480)]
SCENARIO = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "accounts": [
        {
            "name": "acme",
            "api_keys": ["acme-key"],
            "webhooks": [
                {"id": 1, "url": "http://127.0.0.1:9/one", "events": ["delivered", "spam"]},
                {"id": 2, "url": "http://127.0.0.1:9/two", "events": ["delivered"]},
            ],
        }
    ],
}
SUBSCRIBED = {"delivered": (1, 2), "spam": (1,)}
POSITIONS = st.integers(0, 8)
ANSWERS = st.sampled_from([200, 204, 400, 429, 500, "timed out"])
#: What a receiver answers in one move of the clock, in the order of the calls.
SCRIPTS = st.lists(ANSWERS, min_size=1, max_size=5)
BY_HAND = {
    "succeed": ("scheduled", "retrying"), "fail": ("scheduled", "retrying"), "give_up": ("scheduled", "retrying"),
    "cancel": ("scheduled", "retrying"), "redeliver": ("delivered", "dropped", "retrying"),
}  # fmt: skip


@dataclass
class Call:
    """A delivery as the model has it."""

    id: int
    webhook: int
    mark: str
    created: datetime
    state: str = "scheduled"
    attempts: list = field(default_factory=list)
    failures: int = 0
    due: datetime | None = None
    #: The number of the request that is under way.
    request: int | None = None


@dataclass
class Workspace:
    """All that a snapshot keeps."""

    now: datetime = START
    calls: dict = field(default_factory=dict)
    webhooks: set = field(default_factory=lambda: {1, 2})
    last: int = 0


class DeliveryHistory(RuleBasedStateMachine):
    def __init__(self, api, effects):
        super().__init__()
        self.api = api
        self.effects = effects
        self.model = Workspace()
        self.kept = None
        self.marks = itertools.count(1)
        #: The marks of all requests that have left, in their order.
        self.sent = []
        #: What is answered at once, one after the other; None: requests are held.
        self.script = None

    @initialize()
    def begin(self):
        assert self.api.post("/_mock/reset").status_code == 200
        assert self.api.post("/_mock/snapshots", json={"name": "kept"}).status_code == 201
        self.kept = copy.deepcopy(self.model)

    # ------------------------------------------------------------------ the model

    def call(self, position):
        calls = list(self.model.calls.values())
        return calls[position % len(calls)] if calls else None

    def wait_until(self, call, moment):
        call.due, call.request = moment, None

    def send_what_is_due(self, moment):
        """Let time pass in the model; gives what happens on the way."""
        passed = []
        model = self.model
        while due := [call for call in model.calls.values() if call.due is not None and call.due <= moment]:
            call = min(due, key=lambda call: (call.due, call.id))
            model.now, call.due = max(model.now, call.due), None
            self.sent.append(call.mark)
            call.request = len(self.sent)
            if self.script is not None:
                passed.append((model.now, call.id, self.settle(call, next(self.script))))
        model.now = max(model.now, moment)
        return passed

    def settle(self, call, answer):
        call.attempts.append((self.model.now, answer))
        is_retried = not isinstance(answer, int) or answer == 429
        if isinstance(answer, int) and answer < 300:
            event = "succeed"
        else:
            event = "fail" if is_retried and call.failures < len(DELAYS) else "give_up"
        self.happened(call, event)
        return event

    def happened(self, call, event):
        call.request = call.due = None
        if event == "fail":
            call.state = "retrying"
            self.wait_until(call, self.model.now + DELAYS[min(call.failures, 3)])
            call.failures = min(call.failures + 1, len(DELAYS))
        elif event == "redeliver":
            call.state, call.failures = "scheduled", 0
            self.wait_until(call, self.model.now)
        else:
            call.state = "delivered" if event == "succeed" else "dropped"

    # ------------------------------------------------------------------ what can happen

    @rule(event=st.sampled_from(sorted(SUBSCRIBED)))
    def trigger(self, event):
        mark = str(next(self.marks))
        body = {"event": event, "payload": {"mark": mark}}
        made = self.api.post("/_mock/trigger", json=body).json["items"]
        wanted = [number for number in SUBSCRIBED[event] if number in self.model.webhooks]
        assert [row["webhook"] for row in made] == wanted
        for number in wanted:
            self.model.last += 1
            found = Call(self.model.last, number, f"{number}-{mark}", self.model.now)
            self.model.calls[found.id] = found
            self.wait_until(found, self.model.now)
        self.send_what_is_due(self.model.now)

    @precondition(lambda self: self.effects.held)
    @rule(position=POSITIONS, answer=ANSWERS)
    def answer(self, position, answer):
        numbers = sorted(self.effects.held)
        self.let_come_of(numbers[position % len(numbers)], answer)

    def let_come_of(self, number, answer):
        """A request that is held comes to something; of one that was called off nothing does."""
        self.effects.answer(number, **_outcome(answer))
        for call in self.model.calls.values():
            if call.request == number:
                self.settle(call, answer)

    @rule(script=SCRIPTS, minutes=st.sampled_from([5, 10, 60, 130, 720]))
    def advance(self, script, minutes):
        self.move(script, {"by": f"PT{minutes}M"}, lambda: self.model.now + timedelta(minutes=minutes))

    @rule(script=SCRIPTS)
    def advance_to_the_next_attempt(self, script):
        def next_one():
            return min((call.due for call in self.model.calls.values() if call.due), default=self.model.now)

        self.move(script, {"to": "next"}, next_one)

    def move(self, script, body, target):
        for number in sorted(self.effects.held):
            self.let_come_of(number, script[0])
        with self.answering(script):
            answer = self.api.post("/_mock/clock/advance", json=body).json
            passed = self.send_what_is_due(target())
        assert answer["now"] == _written(self.model.now)
        assert [(row["at"], row["key"], row["event"]) for row in answer["fired"]] == [
            (_written(at), key, event) for at, key, event in passed
        ]

    def answering(self, script):
        return _Answering(self, script)

    @rule(position=POSITIONS, script=SCRIPTS)
    def redeliver(self, position, script):
        call = self.call(position)
        with self.answering(script):
            answer = self.api.post(f"/_mock/deliveries/{call.id if call else 99}/redeliver")
            if call is None:
                assert answer.status_code == 404
            elif call.request is not None or call.state == "scheduled":
                assert answer.status_code == 409
            else:
                self.happened(call, "redeliver")
                self.send_what_is_due(self.model.now)
                assert (answer.status_code, answer.json["state"]) == (200, call.state)

    @rule(position=POSITIONS, event=st.sampled_from(sorted(BY_HAND)))
    def fire_by_hand(self, position, event):
        call = self.call(position)
        answer = self.api.post(f"/_mock/machines/delivery/{call.id if call else 99}/{event}")
        applies = call is not None and call.state in BY_HAND[event]
        assert answer.status_code == (200 if applies else 404 if call is None else 409)
        if applies:
            self.happened(call, event)
            self.send_what_is_due(self.model.now)

    @rule(number=st.sampled_from([1, 2]))
    def delete_webhook(self, number):
        there = number in self.model.webhooks
        assert self.api.delete(f"/v3/webhooks/{number}").status_code == (204 if there else 404)
        self.model.webhooks.discard(number)
        for call in self.model.calls.values():
            # A call can be made again although its webhook has gone before.
            if there and call.webhook == number and call.state in ("scheduled", "retrying"):
                self.happened(call, "cancel")

    @rule()
    def reset(self):
        assert self.api.post("/_mock/reset").status_code == 200
        self.model = Workspace()

    @rule()
    def snapshot(self):
        assert self.api.post("/_mock/snapshots", json={"name": "kept"}).status_code == 201
        self.kept = copy.deepcopy(self.model)

    @rule()
    def restore(self):
        assert self.api.post("/_mock/snapshots/kept/restore").status_code == 200
        self.go_on_from(copy.deepcopy(self.kept))

    @rule()
    def put_back_what_the_state_says(self):
        assert self.api.put("/_mock/state", json=self.api.get("/_mock/state").json).status_code == 200
        self.go_on_from(self.model)

    def go_on_from(self, model):
        """A state is loaded: what was under way in it is made again, and nobody hears of the first time any more."""
        self.model = model
        for call in model.calls.values():
            if call.request is not None:
                self.wait_until(call, model.now)
        self.send_what_is_due(model.now)

    # ------------------------------------------------------------------ what always holds

    @invariant()
    def deliveries_are_the_model(self):
        shown = self.api.get("/_mock/deliveries?limit=1000").json["items"]
        assert [_shown(row) for row in shown] == [_told(call) for call in reversed(self.model.calls.values())]

    @invariant()
    def requests_left_as_the_model_says(self):
        assert [f"{body['id']}-{body['mark']}" for body in map(_body, self.effects.calls)] == self.sent


class _Answering:
    """Lets requests be answered at once, in the workspace and in the model."""

    def __init__(self, history, script):
        self.history, self.script = history, script

    def __enter__(self):
        theirs = itertools.cycle(self.script)
        self.history.script = itertools.cycle(self.script)
        self.history.effects.answer_at_once = lambda job: _outcome(next(theirs))

    def __exit__(self, *_):
        self.history.script = self.history.effects.answer_at_once = None


def _body(job):
    return json.loads(job.body)


def _outcome(answer):
    return {"status": answer} if isinstance(answer, int) else {"error": answer}


def _written(moment):
    return None if moment is None else f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def _shown(row):
    attempts = [(attempt["at"], attempt.get("status", attempt.get("error"))) for attempt in row["attempts"]]
    return row["id"], row["webhook"], row["state"], attempts, row["next_at"], row["in_flight"], row["created_at"]


def _told(call):
    attempts = [(_written(at), answer) for at, answer in call.attempts]
    is_under_way = call.request is not None
    return call.id, call.webhook, call.state, attempts, _written(call.due), is_under_way, _written(call.created)


@pytest.mark.hypothesis
def test_deliveries_follow_the_model(make_api, elsewhere, run_history):
    def history(api):
        api.workspace.effects = elsewhere()
        return DeliveryHistory(api, api.workspace.effects)

    run_history(history, make_api(SCENARIO, key="acme-key"), most=60, steps=40)
