"""Whatever a master does with the plans of its sub-accounts, its pool always adds up: what is left, what is given."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

START = datetime(2026, 1, 15, 9, tzinfo=UTC)
BULK = timedelta(hours=1)
POOL = {"email": 1000, "sms": 100, "users": 6}
CREDITS = ("email", "sms", "wpSubscribers")
FIRST = 1_000_001
#: How the detail names what the update names otherwise.
READ = {"email": "emails"}
#: How the master's features are named.
MASTER = {"email": "RECURRING_CREDITS", "users": "MULTI_USER"}

POSITIONS = st.integers(0, 7)
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "email": st.sampled_from([100, 250, 400, 600, 1001, 0, -1]),
        "sms": st.sampled_from([20, 60, 0, -1]),
        "users": st.sampled_from([1, 3, 6, 7, 0]),
        "wpSubscribers": st.sampled_from([-1, 0]),
    },
)


def scenario(solution):
    return {
        "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
        "solution": solution,
        "behaviour": {"bulk_plan": {"after": "PT1H"}},
        "accounts": [
            {
                "name": "acme",
                "id": FIRST - 1,
                "role": "master",
                "api_keys": ["master-key"],
                "pool": {"credits": {"email": POOL["email"], "sms": POOL["sms"]}, "features": {"users": POOL["users"]}},
            }
        ],
    }


def body(change):
    return {
        "credits": {name: amount for name, amount in change.items() if name in CREDITS},
        "features": {name: amount for name, amount in change.items() if name not in CREDITS},
    }


@dataclass
class SubAccount:
    assigned: dict[str, int] = field(default_factory=dict)
    has_plan: bool = False
    keys: list[str] = field(default_factory=list)


@dataclass(eq=False)
class Bulk:
    due: datetime
    change: dict[str, int]
    members: list[int]


class PlanHistory(RuleBasedStateMachine):
    unlimited = True

    def __init__(self, api):
        super().__init__()
        self.api = api
        self.subs: dict[int, SubAccount] = {}
        #: Accepted and not applied yet, in the order in which they were accepted.
        self.bulks: list[Bulk] = []
        self.dead_keys: list[str] = []
        self.now = START
        self.created = 0

    @initialize(count=st.integers(1, 3))
    def begin(self, count):
        assert self.api.post("/_mock/reset").status_code == 200
        for _ in range(count):
            self.create()

    # ------------------------------------------------------------------ the model

    def number(self, position):
        """The id of a sub-account that is there; seldom of one that is not."""
        there = list(self.subs)
        return there[position % len(there)] if there and position < 7 else FIRST + 99

    def given(self, name):
        return sum(max(row.assigned.get(name, 0), 0) for row in self.subs.values())

    def short(self, numbers, change):
        """Whether the pool holds too little to give the change to every one of them."""
        for name in POOL.keys() & change.keys():
            others = sum(max(row.assigned.get(name, 0), 0) for key, row in self.subs.items() if key not in numbers)
            wanted = max(change[name], 0) * len(numbers)
            has = sum(max(self.subs[number].assigned.get(name, 0), 0) for number in numbers)
            if wanted > has and others + wanted > POOL[name]:
                return True
        return False

    def pending(self, number):
        return any(number in bulk.members for bulk in self.bulks)

    def state(self, number):
        if self.pending(number):
            return "change_pending" if self.subs[number].has_plan else "assignment_pending"
        return "active" if self.subs[number].has_plan else "unassigned"

    def settle(self, bulk, *, refused=False):
        """A change is applied to all of its members or to none."""
        self.bulks.remove(bulk)
        if refused or self.short(bulk.members, bulk.change):
            return
        for number in bulk.members:
            self.subs[number].assigned.update(bulk.change)
            self.subs[number].has_plan = True

    def refuses(self, answer, status, code):
        assert (answer.status_code, answer.json["code"]) == (status, code)
        assert answer.json["message"]

    def accepts(self, answer, numbers, change, status):
        """Whether a change was taken; if not, the refusal was the right one."""
        if any(number not in self.subs for number in numbers) or not self.suits_the_solution(change):
            self.refuses(answer, 400, "invalid_parameter")
            return False
        if self.short(numbers, change):
            self.refuses(answer, 400, "not_enough_credits")
            return False
        assert (answer.status_code, answer.data) == (status, b"")
        return True

    def suits_the_solution(self, change):
        return self.unlimited or (-1 not in change.values() and "wpSubscribers" not in change)

    # ------------------------------------------------------------------ what can happen

    @precondition(lambda self: len(self.subs) < 4)
    @rule()
    def create(self):
        answer = self.api.post("/v3/corporate/subAccount", json={"companyName": "Sub", "email": "a@sub.test"})
        assert (answer.status_code, answer.json) == (201, {"id": FIRST + self.created})
        self.subs[FIRST + self.created] = SubAccount()
        self.created += 1

    @rule(position=POSITIONS, change=CHANGES)
    def change_one(self, position, change):
        number = self.number(position)
        answer = self.api.put(f"/v3/corporate/subAccount/{number}/plan", json=body(change))
        if self.accepts(answer, [number], change, 204):
            self.subs[number].assigned.update(change)
            self.subs[number].has_plan = True

    @rule(positions=st.lists(POSITIONS, min_size=1, max_size=4), change=CHANGES)
    def change_several(self, positions, change):
        numbers = list(dict.fromkeys(self.number(position) for position in positions))
        asked = [self.number(position) for position in positions]
        answer = self.api.put("/v3/corporate/subAccounts/plan", json={**body(change), "subAccountIds": asked})
        if self.accepts(answer, numbers, change, 202):
            self.bulks.append(Bulk(self.now + BULK, change, numbers))

    @rule(change=CHANGES)
    def change_all(self, change):
        if self.subs:
            self.change_several(range(len(self.subs)), change)

    @rule(position=POSITIONS, event=st.sampled_from(["apply_bulk", "reject_bulk"]))
    def settle_by_hand(self, position, event):
        number = self.number(position)
        answer = self.api.post(f"/_mock/machines/sub_account_plan/{number}/{event}")
        if number not in self.subs:
            assert answer.status_code == 404
        elif not self.pending(number):
            assert answer.status_code == 409
        else:
            assert answer.status_code == 200
            bulk = next(bulk for bulk in self.bulks if number in bulk.members)
            self.settle(bulk, refused=event == "reject_bulk")

    @rule(position=POSITIONS)
    def delete(self, position):
        number = self.number(position)
        answer = self.api.delete(f"/v3/corporate/subAccount/{number}")
        if number not in self.subs:
            self.refuses(answer, 404, "document_not_found")
            return
        assert answer.status_code == 204
        self.dead_keys += self.subs.pop(number).keys
        for bulk in list(self.bulks):
            bulk.members = [member for member in bulk.members if member != number]
            if not bulk.members:
                self.bulks.remove(bulk)

    @rule(position=POSITIONS)
    def make_key(self, position):
        number = self.number(position)
        answer = self.api.post("/v3/corporate/subAccount/key", json={"id": number, "name": "CI"})
        if number not in self.subs:
            self.refuses(answer, 400, "invalid_parameter")
            return
        assert answer.status_code == 201
        self.subs[number].keys.append(answer.json["key"])

    @rule(minutes=st.sampled_from([60, 30, 10, 90]))
    def advance(self, minutes):
        self.now += timedelta(minutes=minutes)
        fired = self.api.advance(f"PT{minutes}M")["fired"]
        due = [bulk for bulk in self.bulks if bulk.due <= self.now]
        assert sorted({row["key"] for row in fired}) == sorted({number for bulk in due for number in bulk.members})
        for bulk in due:
            self.settle(bulk)

    # ------------------------------------------------------------------ what always holds

    @invariant()
    def the_plans_are_the_model(self):
        for number, row in self.subs.items():
            found = self.api.get(f"/v3/corporate/subAccount/{number}").json["planInfo"]
            for name in ("email", "sms", "wpSubscribers"):
                amount = row.assigned.get(name, 0)
                assert found["credits"][READ.get(name, name)] == {"quantity": amount, "remaining": amount}
            users = row.assigned.get("users", 0)
            assert found["features"]["users"] == {"quantity": users, "remaining": users}

    @invariant()
    def the_pool_adds_up(self):
        features = {
            row["name"]: row for row in self.api.get("/v3/corporate/masterAccount").json["planInfo"]["features"]
        }
        for name, shown in MASTER.items():
            row = features[shown]
            assert (row["quantity"], row["used"]) == (POOL[name], self.given(name))
            assert row["remaining"] == POOL[name] - self.given(name) >= 0
        assert self.given("sms") <= POOL["sms"]

    @invariant()
    def the_machine_is_the_model(self):
        shown = self.api.get("/_mock/machines/sub_account_plan").json["items"]
        assert [(row["key"], row["state"]) for row in shown] == [(number, self.state(number)) for number in self.subs]

    @invariant()
    def keys_live_as_long_as_their_account(self):
        for row in self.subs.values():
            for key in row.keys:
                answer = self.api.get("/v3/corporate/masterAccount", key=key)
                assert (answer.status_code, answer.json["code"]) == (403, "permission_denied")
        for key in self.dead_keys:
            answer = self.api.get("/v3/account", key=key)
            assert (answer.status_code, answer.json["code"]) == (401, "unauthorized")


class OnVersionOne(PlanHistory):
    """The older corporate solution knows nothing unlimited, and no push credits."""

    unlimited = False

    @invariant()
    def the_plans_are_the_model(self):
        for number, row in self.subs.items():
            found = self.api.get(f"/v3/corporate/subAccount/{number}").json["planInfo"]["credits"]
            assert found["emails"]["quantity"] == row.assigned.get("email", 0)
            assert found["wpSubscribers"]["quantity"] == 0


@pytest.mark.parametrize(
    ("machine", "solution"), [pytest.param(PlanHistory, "v2", id="v2"), pytest.param(OnVersionOne, "v1", id="v1")]
)
@pytest.mark.slow
def test_plans_follow_the_model(make_api, run_history, machine, solution):
    run_history(machine, make_api(scenario(solution), key="master-key"), examples=80, steps=30)


# ---------------------------------------------------------------------- what the histories seldom meet


@pytest.fixture
def master(make_api):
    return make_api(scenario("v2"), key="master-key")


def create(api, count):
    body = {"companyName": "Sub", "email": "a@sub.test"}
    return [api.post("/v3/corporate/subAccount", json=body).json["id"] for _ in range(count)]


def change_several(api, numbers, amount):
    body = {"credits": {"email": amount}, "subAccountIds": numbers}
    assert api.put("/v3/corporate/subAccounts/plan", json=body).status_code == 202


def amounts(api, numbers):
    details = [api.get(f"/v3/corporate/subAccount/{number}").json for number in numbers]
    return [detail["planInfo"]["credits"]["emails"]["quantity"] for detail in details]


def test_of_two_changes_that_are_due_together_the_one_accepted_first_gets_the_credits(master):
    first, second = create(master, 2)
    change_several(master, [first], 600)
    change_several(master, [second], 600)
    change_several(master, [first], 700)
    master.advance("PT1H")
    assert amounts(master, [first, second]) == [700, 0]


def test_a_change_applied_by_hand_before_its_turn_is_still_applied_to_all(master):
    first, second = create(master, 2)
    change_several(master, [second], 100)
    change_several(master, [first, second], 500)
    assert master.post(f"/_mock/machines/sub_account_plan/{first}/apply_bulk").status_code == 200
    assert amounts(master, [first, second]) == [500, 500]
    assert master.get(f"/_mock/machines/sub_account_plan/{second}").json["state"] == "change_pending"


def test_a_change_of_very_many_plans_is_applied_to_all(master):
    numbers = create(master, 400)
    change_several(master, numbers, 2)
    assert len(master.advance("PT1H")["fired"]) == 400
    assert amounts(master, numbers) == [2] * 400
