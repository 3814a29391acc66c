"""Which changes of several plans come before another one is what going through all of them gives."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from mockserver.core.state.state import Account
from mockserver.resources.corporate import plans
from mockserver.resources.corporate.plans import BulkPlan
from mockserver.resources.corporate.pool import Allotment

START = datetime(2026, 1, 15, 9, tzinfo=UTC)
SMALL = st.integers(0, 9)


def at(minute):
    return START + timedelta(minutes=minute)


def master():
    return Account(1, "m", "m@a.test", START, "0" * 24, 1)


@given(st.lists(st.tuples(st.sampled_from(("enter", "leave", "ask")), SMALL, SMALL), max_size=60))
def test_changes_that_come_before_another_one_are_those_accepted_earlier_and_due(acts):
    account, accepted = master(), {}
    for act, number, minute in acts:
        if act == "enter" and number not in accepted:
            accepted[number] = BulkPlan(number, at(minute), Allotment(), {7: None})
            plans.enqueue(account, accepted[number])
        elif act == "leave" and number in accepted:
            plans.leave(account, accepted.pop(number), 7)
        elif act == "ask" and number in accepted:
            rows = list(accepted.values())
            earlier = rows[: rows.index(accepted[number])]
            found = plans.earlier_due(account, accepted[number], at(minute))
            assert found == [row for row in earlier if row.due <= at(minute)]


def test_removed_plan_changes_are_freed():
    account = master()
    first = BulkPlan(0, at(0), Allotment(), {7: None})
    plans.enqueue(account, first)
    assert plans.earlier_due(account, first, at(0)) == []
    for number in range(1, 1_000):
        bulk = BulkPlan(number, at(number), Allotment(), {7: None})
        plans.enqueue(account, bulk)
        plans.leave(account, bulk, 7)

    queue = account.record(plans.DueQueue)
    assert len(queue._coming) < 100  # noqa: SLF001  # nothing else tells
