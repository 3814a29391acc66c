"""The id of a timer: it stands in addresses as it is, and leads back to the timer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.core.time.clock import TimerId, Timers

START = datetime(2026, 1, 15, 9, tzinfo=UTC)
KEYS = st.one_of(st.integers(0, 2**62), st.text(min_size=1).filter(lambda text: text.isprintable()))


def test_an_id_can_be_read_by_people():
    timer = Timers().set(START, 1, "domain", "acme.test", "verify")

    assert timer.id == "domain.acme.test.verify.20260115T090000000000Z"


@given(KEYS)
def test_an_id_stands_in_an_address_as_it_is(key):
    identifier = Timers().set(START, 1, "sender", key, "expire_otp").id

    assert quote(identifier, safe="") == identifier


@given(KEYS, st.integers(0, 10**17))
def test_a_timer_is_found_by_its_id_until_it_is_taken(key, microseconds):
    timers = Timers()
    timer = timers.set(START + timedelta(microseconds=microseconds), 1, "sender", key, "expire_otp")

    assert timers.get(timer.id) is timer
    timers.take(timer)
    assert timers.get(timer.id) is None


def test_a_timer_that_has_taken_the_place_of_another_has_an_id_of_its_own():
    timers = Timers()
    first = timers.set(START, 1, "sender", 2, "expire_otp")
    second = timers.set(START.replace(hour=10), 1, "sender", 2, "expire_otp")

    assert timers.get(first.id) is None
    assert timers.get(second.id) is second


def test_invalid_timer_ids_are_rejected():
    for text in ["", "sender", "sender.2.expire_otp", "a.b.c.d", "sender.~ff.e.20260115T090000000000Z"]:
        assert Timers().get(text) is None
        with pytest.raises(ValueError, match=r".+"):
            TimerId.parse(text)
