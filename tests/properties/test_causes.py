"""Whatever happens, in whatever order: what names something as caused is named by it, and the other way round."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

SCENARIO = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "behaviour": {"authenticate_domain": {"after": "PT1H"}, "export": {"after": "PT1M"}},
    "accounts": [
        {
            "name": "acme",
            "api_keys": ["acme-key"],
            "enterprise": True,
            "webhooks": [
                {"id": 1, "url": "http://127.0.0.1:9/one", "events": ["delivered", "spam"]},
                {"id": 2, "url": "http://127.0.0.1:9/two", "events": ["delivered"], "batched": True},
            ],
            "scheduled_emails": [
                {"message_id": f"<{number}@a.test>", "to": "b@b.test", "subject": "Hi", "scheduled_at": f"PT{number}M"}
                for number in (1, 20, 90)
            ],
        }
    ],
}
#: The webhook that gets the events of several requests in one call.
BATCHED = 2
#: Where things of each kind are listed, and where one is found.
PLACES = {
    "request": "/_mock/requests", "mail": "/_mock/mailbox", "delivery": "/_mock/deliveries", "timer": "/_mock/timers",
    "control": "/_mock/calls",
}  # fmt: skip


class Causes(RuleBasedStateMachine):
    def __init__(self, api, effects):
        super().__init__()
        self.api, self.effects = api, effects
        self.numbers = itertools.count(1)
        #: Whether the journal tells of what another state has undone: its transitions name what is gone.
        self.has_gone_back = False

    @initialize()
    def begin(self):
        self.effects.answer_at_once = lambda call: {"status": 200}
        self.done(self.api.post("/_mock/reset"))

    @staticmethod
    def done(answer):
        assert answer.status_code < 500, answer.json

    @rule()
    def make_a_sender(self):
        number = next(self.numbers)
        self.done(self.api.post("/v3/senders", json={"name": "A", "email": f"{number}@a.test"}, key="acme-key"))

    @rule(number=st.integers(1, 3), name=st.sampled_from("ab"))
    def change_a_sender(self, number, name):
        body = {"name": "B", "email": f"{name}{number}@b.test"}
        self.done(self.api.put(f"/v3/senders/{number}", json=body, key="acme-key"))

    @rule(number=st.integers(1, 3))
    def delete_a_sender(self, number):
        self.done(self.api.delete(f"/v3/senders/{number}", key="acme-key"))

    @rule(event=st.sampled_from(["delivered", "spam"]))
    def raise_an_event(self, event):
        self.done(self.api.post("/_mock/trigger", json={"event": event}))

    @rule()
    def ask_for_an_export(self):
        body = {"event": "delivered", "notifyURL": "http://127.0.0.1:9/ready", "type": "transactional"}
        self.done(self.api.post("/v3/webhooks/export", json=body, key="acme-key"))

    @rule(event=st.sampled_from(["resend_otp", "expire_otp", "delete"]), number=st.integers(1, 3))
    def fire_by_hand(self, event, number):
        self.done(self.api.post(f"/_mock/machines/sender/{number}/{event}"))

    @rule(number=st.integers(1, 6))
    def redeliver(self, number):
        self.done(self.api.post(f"/_mock/deliveries/{number}/redeliver"))

    @rule(status=st.sampled_from([200, 429, 500]), by=st.sampled_from(["PT0S", "PT5M", "PT11M", "PT3H", "P1D"]))
    def move_the_clock(self, status, by):
        self.effects.answer_at_once = lambda call: {"status": status}
        self.done(self.api.post("/_mock/clock/advance", json={"by": by}))

    @rule(name=st.sampled_from("xy"))
    def keep(self, name):
        self.done(self.api.post("/_mock/snapshots", json={"name": name}))

    @rule(name=st.sampled_from("xy"))
    def return_to(self, name):
        self.has_gone_back = True
        self.done(self.api.post(f"/_mock/snapshots/{name}/restore"))

    @rule()
    def write_and_read(self):
        self.has_gone_back = True
        self.done(self.api.put("/_mock/state", json=self.api.get("/_mock/state").json))

    @rule(rare=st.integers(0, 9))
    def reset(self, rare):
        if not rare:
            self.has_gone_back = False
            self.done(self.api.post("/_mock/reset"))

    # ------------------------------------------------------------------ what holds

    def there(self):
        """All that can be found, by kind and id: what the lists show, and the timers that these name."""
        found = {}
        for kind, place in PLACES.items():
            if kind != "timer":
                for row in self.api.get(f"{place}?limit=1000").json["items"]:
                    found[kind, str(row["id"])] = row
        pending = [row["id"] for row in self.api.get("/_mock/clock/timers?limit=1000").json["items"]]
        named = [name for row in found.values() for name in ends(row) if name[0] == "timer"]
        for identifier in {*pending, *(identifier for _, identifier in named)}:
            answer = self.api.get(f"/_mock/timers/{identifier}")
            if answer.status_code == 200:
                found["timer", identifier] = answer.json
        return found

    @invariant()
    def all_links_hold(self):
        found = self.there()
        self.each_side_of_a_link_names_the_other(found)
        self.mails_and_deliveries_of_one_event_have_one_cause(found)
        self.a_request_or_a_call_that_has_caused_something_is_found(found)
        if not self.has_gone_back:
            self.a_transition_is_among_those_of_its_cause(found)
            self.what_followed_from_a_transition_was_caused(found)

    def each_side_of_a_link_names_the_other(self, found):
        for name, row in found.items():
            for other in row["caused"]:
                effect = found.get((other["kind"], other["id"]))
                assert effect is None or name in members(effect, "caused_by"), (name, other)
            for other in row["caused_by"]:
                cause = found.get((other["kind"], other["id"]))
                assert cause is None or name in members(cause, "caused"), (name, other)

    def mails_and_deliveries_of_one_event_have_one_cause(self, found):
        for (kind, _), row in found.items():
            if kind == "mail" or (kind == "delivery" and row["webhook"] != BATCHED):
                assert len(row["caused_by"]) <= 1, row

    def a_request_or_a_call_that_has_caused_something_is_found(self, found):
        for name, row in found.items():
            for kind, identifier in members(row, "caused_by"):
                if kind in ("request", "control") and name[0] in ("mail", "request"):
                    assert (kind, identifier) in found, name

    def a_transition_is_among_those_of_its_cause(self, found):
        for row in found.values():
            for change in row.get("transitions", ()):
                for kind, identifier in members(change, "caused_by"):
                    cause = found.get((kind, identifier), {})
                    assert "transitions" not in cause or change in cause["transitions"], change

    def what_followed_from_a_transition_was_caused(self, found):
        for row in found.values():
            if row.get("transitions") and "method" in row:
                for change in row["transitions"]:
                    if members(change, "caused_by") == [cause_of(row)]:
                        assert set(members(change, "caused")) <= set(members(row, "caused"))


def members(row, name):
    return [(other["kind"], other["id"]) for other in row[name]]


def ends(row):
    return members(row, "caused") + members(row, "caused_by")


def cause_of(row):
    return ("request" if "operation" in row else "control", row["id"])


@pytest.mark.hypothesis
def test_causes_and_effects_name_each_other(make_api, elsewhere, run_history):
    def history(api):
        api.workspace.effects = elsewhere()
        return Causes(api, api.workspace.effects)

    run_history(history, make_api(SCENARIO, key="acme-key"), most=40, steps=10)
