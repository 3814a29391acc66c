"""Whatever a master does with the plans of its sub-accounts, and whatever they use, all add up to the pool.

The pool is what is not assigned and what is; what is assigned is what is used and what is left.
"""

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
        "email": st.sampled_from([100, 250, 400, 600, 1001, 0, -1]), "sms": st.sampled_from([20, 60, 0, -1]),
        "users": st.sampled_from([1, 3, 6, 7, 0]), "wpSubscribers": st.sampled_from([-1, 0]),
    },
)  # fmt: skip


def scenario(solution, **behaviour):
    return {
        "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
        "solution": solution,
        "behaviour": {"bulk_plan": {"after": "PT1H"}, **behaviour},
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
    used: dict[str, int] = field(default_factory=dict)
    has_plan: bool = False
    keys: list[str] = field(default_factory=list)

    def left(self, name):
        amount = self.assigned.get(name, 0)
        return amount if amount == -1 else amount - self.used.get(name, 0)

    def keeps(self, name, amount):
        """How much of what is used counts for another amount: what is unlimited counts nothing."""
        before = self.assigned.get(name, 0)
        used = self.used.get(name, 0)
        return used if amount == before else 0 if -1 in (amount, before) else min(used, amount)

    def loses(self, name, amount):
        """What was used and comes back to nobody: credits are spent, seats are free again."""
        is_spent = name in CREDITS and self.assigned.get(name, 0) != -1
        return self.used.get(name, 0) - self.keeps(name, amount) if is_spent else 0


@dataclass(eq=False)
class Bulk:
    due: datetime
    change: dict[str, int]
    members: list[int]


class PlanHistory(RuleBasedStateMachine):
    unlimited = True
    #: Whether what is used is lost to the pool, and whether a plan of less than is used is refused.
    is_strict = True

    def __init__(self, api):
        super().__init__()
        self.api = api
        self.subs: dict[int, SubAccount] = {}
        #: Accepted and not applied yet, in the order in which they were accepted.
        self.bulks: list[Bulk] = []
        self.dead_keys: list[str] = []
        self.now = START
        self.created = 0

    @initialize(changes=st.lists(CHANGES, min_size=1, max_size=3), parts=st.sampled_from([1, 4, 2, 0]))
    def begin(self, changes, parts):
        assert self.api.post("/_mock/reset").status_code == 200
        self.pool = dict(POOL)
        for position, change in enumerate(changes):
            self.create()
            self.change_one(position, change)
            self.use(position, parts)

    # ------------------------------------------------------------------ the model

    def number(self, position):
        """The id of a sub-account that is there; seldom of one that is not."""
        there = list(self.subs)
        return there[position % len(there)] if there and position < 7 else FIRST + 99

    def given(self, name):
        return sum(max(row.assigned.get(name, 0), 0) for row in self.subs.values())

    def short(self, numbers, change):
        """Whether the pool holds too little to give the change to every one of them."""
        return any(
            sum(self.takes(self.subs[number], name, change[name]) for number in numbers)
            > self.pool[name] - self.given(name)
            for name in POOL.keys() & change.keys()
        )

    def takes(self, row, name, amount):
        lost = row.loses(name, amount) if self.is_strict else 0
        return max(amount, 0) - max(row.assigned.get(name, 0), 0) + lost

    def too_small(self, numbers, change):
        """Whether one of them has used more than it would have."""
        return self.is_strict and any(
            -1 not in (amount, row.assigned.get(name, 0)) and amount < row.used.get(name, 0)
            for row in (self.subs[number] for number in numbers)
            for name, amount in change.items()
        )

    def assign(self, number, change):
        row = self.subs[number]
        row.has_plan = True
        for name, amount in change.items():
            if self.is_strict and name in self.pool:
                self.pool[name] -= row.loses(name, amount)
            row.used[name] = row.keeps(name, amount)
            row.assigned[name] = amount

    def pending(self, number):
        return any(number in bulk.members for bulk in self.bulks)

    def state(self, number):
        if self.pending(number):
            return "change_pending" if self.subs[number].has_plan else "assignment_pending"
        return "active" if self.subs[number].has_plan else "unassigned"

    def settle(self, bulk, *, refused=False):
        """A change is applied to all of its members or to none."""
        self.bulks.remove(bulk)
        if refused or self.too_small(bulk.members, bulk.change) or self.short(bulk.members, bulk.change):
            return
        for number in bulk.members:
            self.assign(number, bulk.change)

    def refuses(self, answer, status, code):
        assert (answer.status_code, answer.json["code"]) == (status, code)
        assert answer.json["message"]

    def accepts(self, answer, numbers, change, status):
        """Whether a change was taken; if not, the refusal was the right one."""
        if any(number not in self.subs for number in numbers) or not self.suits_the_solution(change):
            self.refuses(answer, 400, "invalid_parameter")
            return False
        if self.too_small(numbers, change):
            self.refuses(answer, 400, "out_of_range")
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
        self.make_key(len(self.subs) - 1)

    @rule(position=POSITIONS, change=CHANGES)
    def change_one(self, position, change):
        number = self.number(position)
        answer = self.api.put(f"/v3/corporate/subAccount/{number}/plan", json=body(change))
        if self.accepts(answer, [number], change, 204):
            self.assign(number, change)

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
        row = self.subs.pop(number)
        self.dead_keys += row.keys
        for name in self.pool if self.is_strict else ():
            self.pool[name] -= row.loses(name, 0)
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

    @rule(position=POSITIONS, parts=st.sampled_from([2, 1, 4, 0]))
    def use(self, position, parts):
        """A sub-account has used so many quarters of what is left, as the state says that goes out and comes in."""
        number = self.number(position)
        state = self.api.get("/_mock/state").json
        row = self.subs.get(number, SubAccount())
        for name in POOL:
            if row.left(name) > 0 and parts:
                row.used[name] = row.used.get(name, 0) + row.left(name) * parts // 4
        for written in state["accounts"]:
            if written["id"] == number and any(row.used.values()):
                written["used"] = body({name: amount for name, amount in row.used.items() if amount})
        answer = self.api.put("/_mock/state", json=state)
        assert answer.status_code == 200, answer.text

    @rule(sure=st.sampled_from([False] * 9 + [True]))
    def reset(self, sure):
        if sure:
            assert self.api.post("/_mock/reset").status_code == 200
            self.subs, self.bulks, self.dead_keys = {}, [], []
            self.pool, self.now, self.created = dict(POOL), START, 0

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
    def the_master_sees_what_is_assigned_and_left(self):
        for number, row in self.subs.items():
            found = self.api.get(f"/v3/corporate/subAccount/{number}").json["planInfo"]
            for name in ("email", "sms", "wpSubscribers"):
                balance = {"quantity": row.assigned.get(name, 0), "remaining": row.left(name)}
                assert found["credits"][READ.get(name, name)] == balance
            assert found["features"]["users"] == {
                "quantity": row.assigned.get("users", 0),
                "remaining": row.left("users"),
            }

    @invariant()
    def a_sub_account_sees_the_same(self):
        for row in self.subs.values():
            found = self.api.get("/v3/account", key=row.keys[0]).json
            sms = [row.left("sms")] if row.assigned.get("sms", 0) else []
            assert [plan["credits"] for plan in found["plan"]] == [row.left("email"), *sms]
            assert found["plan"][0]["type"] == ("subscription" if row.has_plan and row.assigned else "free")
            for vertical in found.get("planVerticals", ()):
                seats = {"purchasedSeats": row.assigned.get("users", 0), "usedSeats": row.used.get("users", 0)}
                assert vertical["users"] == {name: str(count) for name, count in seats.items()}
                assert vertical["credits"] == str(row.left("email"))

    @invariant()
    def the_pool_is_what_is_assigned_and_what_is_not(self):
        features = {
            row["name"]: row for row in self.api.get("/v3/corporate/masterAccount").json["planInfo"]["features"]
        }
        for name, shown in MASTER.items():
            row = features[shown]
            assert (row["quantity"], row["used"]) == (self.pool[name], self.given(name))
            assert row["remaining"] == self.pool[name] - self.given(name) >= 0
        assert self.given("sms") <= self.pool["sms"]

    @invariant()
    def the_master_has_what_is_not_assigned(self):
        found = self.api.get("/v3/account").json
        free = {name: self.pool[name] - self.given(name) for name in self.pool}
        sms = [free["sms"]] if self.pool["sms"] else []
        assert [plan["credits"] for plan in found["plan"]] == [free["email"], *sms]
        seats = {"purchasedSeats": str(self.pool["users"]), "usedSeats": str(self.given("users"))}
        assert found["planVerticals"][0]["users"] == seats

    @invariant()
    def the_state_says_so_too(self):
        state = {account["id"]: account for account in self.api.get("/_mock/state").json["accounts"]}
        assert state[FIRST - 1]["pool"] == body(self.pool)
        for number, row in self.subs.items():
            for member, amounts in (("assigned", row.assigned), ("used", row.used)):
                written = state[number].get(member, {})
                found = {**written.get("credits", {}), **written.get("features", {})}
                assert {name: found.get(name, 0) for name in amounts} == amounts

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


class OnEasyTerms(PlanHistory):
    """Nothing that was used is lost to the pool, and a plan can be of less than is used."""

    is_strict = False


EASY = {"plan_refund": "all", "plan_below_used": "accept"}


@pytest.mark.parametrize(
    ("machine", "solution", "behaviour", "most"),
    [
        pytest.param(PlanHistory, "v2", {}, 25, id="v2"),
        pytest.param(OnVersionOne, "v1", {}, 20, id="v1"),
        pytest.param(OnEasyTerms, "v2", EASY, 20, id="easy terms"),
    ],
)
@pytest.mark.hypothesis
def test_plans_follow_the_model(make_api, run_history, machine, solution, behaviour, most):
    run_history(machine, make_api(scenario(solution, **behaviour), key="master-key"), most=most, steps=30)


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
