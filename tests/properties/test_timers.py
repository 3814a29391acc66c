"""Timers against a plain list: what is due comes out by its moment, then by whose it is, whatever was set first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from mockserver.core.time.clock import Timers

START = datetime(2026, 1, 15, 9, tzinfo=UTC)
MINUTES = st.integers(0, 10)
#: Machines with keys of their instances.
INSTANCES = st.sampled_from([("sender", 2), ("sender", 10), ("scheduled_email", "b"), ("scheduled_email", "a")])
EVENTS = st.sampled_from(["expire", "fall_due"])
ACCOUNTS = st.integers(1, 2)


class TimerHistory(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.timers = Timers()
        #: (minute, machine, key, event, account)
        self.rows = []
        self.minute = 0

    def drop(self, unwanted):
        self.rows = [row for row in self.rows if not unwanted(row)]

    @rule(after=MINUTES, account=ACCOUNTS, instance=INSTANCES, event=EVENTS)
    def set(self, after, account, instance, event):
        (machine, key), minute = instance, self.minute + after
        self.timers.set(START + timedelta(minutes=minute), account, machine, key, event)
        self.drop(lambda row: row[1:4] == (machine, key, event))
        self.rows.append((minute, machine, key, event, account))

    @rule(instance=INSTANCES)
    def cancel(self, instance):
        self.timers.cancel(*instance)
        self.drop(lambda row: row[1:3] == instance)

    @rule(account=ACCOUNTS)
    def cancel_account(self, account):
        self.timers.cancel_account(account)
        self.drop(lambda row: row[4] == account)

    @rule(minutes=MINUTES)
    def take_all_that_is_due(self, minutes):
        self.minute += minutes
        taken = []
        while timer := self.timers.take_due(START + timedelta(minutes=self.minute)):
            taken.append(as_row(timer))
        assert taken == [row for row in sorted(self.rows) if row[0] <= self.minute]
        self.drop(lambda row: row[0] <= self.minute)

    @invariant()
    def what_is_left_is_told_in_order(self):
        assert [as_row(timer) for timer in self.timers] == sorted(self.rows)

    @rule(number=st.integers(0, 5))
    def the_soonest_ones_are_found_without_the_others(self, number):
        assert [as_row(timer) for timer in islice(self.timers.soonest(), number)] == sorted(self.rows)[:number]

    @invariant()
    def all_are_counted_and_found_by_their_ids(self):
        assert self.timers.count == len(self.rows)
        for timer in self.timers:
            assert self.timers.get(timer.id) is timer

    @invariant()
    def the_next_one_is_the_soonest(self):
        timer = self.timers.next()
        assert (timer and as_row(timer)) == next(iter(sorted(self.rows)), None)


def as_row(timer):
    return ((timer.moment - START) // timedelta(minutes=1), timer.machine, timer.key, timer.event, timer.account)


TestTimers = TimerHistory.TestCase
