"""Timers against a plain list: what is due comes out in the order of moments, then of setting."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from mockserver.core.timers import Timers

START = datetime(2026, 1, 15, 9, tzinfo=UTC)
MINUTES = st.integers(0, 10)
MACHINES = st.sampled_from(["sender", "export"])
KEYS = st.sampled_from([1, 2, "a"])
EVENTS = st.sampled_from(["expire", "fall_due"])
ACCOUNTS = st.integers(1, 2)


class TimerHistory(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.timers = Timers()
        #: (minute, order of setting, account, machine, key, event)
        self.rows = []
        self.set_count = 0
        self.minute = 0

    def drop(self, unwanted):
        self.rows = [row for row in self.rows if not unwanted(row)]

    @rule(after=MINUTES, account=ACCOUNTS, machine=MACHINES, key=KEYS, event=EVENTS)
    def set(self, after, account, machine, key, event):
        minute = self.minute + after
        self.timers.set(START + timedelta(minutes=minute), account, machine, key, event)
        self.drop(lambda row: row[3:] == (machine, key, event))
        self.rows.append((minute, self.set_count, account, machine, key, event))
        self.set_count += 1

    @rule(machine=MACHINES, key=KEYS)
    def cancel(self, machine, key):
        self.timers.cancel(machine, key)
        self.drop(lambda row: row[3:5] == (machine, key))

    @rule(account=ACCOUNTS)
    def cancel_account(self, account):
        self.timers.cancel_account(account)
        self.drop(lambda row: row[2] == account)

    @rule(minutes=MINUTES)
    def take_all_that_is_due(self, minutes):
        self.minute += minutes
        taken = []
        while timer := self.timers.take_due(START + timedelta(minutes=self.minute)):
            taken.append(as_row(timer))
        assert taken == [row[:1] + row[2:] for row in sorted(self.rows) if row[0] <= self.minute]
        self.drop(lambda row: row[0] <= self.minute)

    @invariant()
    def what_is_left_is_told_in_order(self):
        expected = [row[:1] + row[2:] for row in sorted(self.rows, key=lambda row: row[:2])]
        assert [as_row(timer) for timer in self.timers] == expected

    @invariant()
    def the_next_one_is_the_soonest(self):
        timer = self.timers.next()
        assert (timer and as_row(timer)) == next((row[:1] + row[2:] for row in sorted(self.rows)), None)


def as_row(timer):
    return ((timer.moment - START) // timedelta(minutes=1), timer.account, timer.machine, timer.key, timer.event)


TestTimers = TimerHistory.TestCase
