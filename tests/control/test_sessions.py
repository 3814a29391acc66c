"""Sessions of the dashboard: they open with the token, last for a while, and are limited in number."""

import pytest

from mockserver.control.access import sessions
from mockserver.control.access.sessions import LIFETIME_S, Sessions, SharedSessions


@pytest.fixture
def known(clock):
    return Sessions("sés-ame", clock)


def test_the_token_opens_a_session_that_only_its_value_names(known):
    value = known.open("sés-ame")

    assert known.has(value)
    assert not any(known.has(other) for other in (None, "", value[:-1], f"{value} "))


@pytest.mark.parametrize("given", ["", "ses-ame", "sés-ame ", "\ud800", "x" * 100_000])
def test_nothing_else_opens_one(known, given):
    assert known.open(given) is None


def test_without_a_token_there_is_no_session():
    assert Sessions(None).open("") is None


def test_a_session_ends_after_its_time(known, clock):
    value = known.open("sés-ame")
    clock.now += LIFETIME_S - 1
    assert known.has(value)
    clock.now += 1
    assert not known.has(value)


def test_a_session_that_is_closed_is_over_and_others_go_on(known):
    one, other = known.open("sés-ame"), known.open("sés-ame")
    known.close(one)
    known.close(None)

    assert (known.has(one), known.has(other)) == (False, True)


def test_the_oldest_session_makes_room(known, monkeypatch):
    monkeypatch.setattr(sessions, "_MOST", 2)
    first, second, third = (known.open("sés-ame") for _ in range(3))

    assert [known.has(value) for value in (first, second, third)] == [False, True, True]


def test_sessions_that_are_over_make_room_first(known, clock, monkeypatch):
    monkeypatch.setattr(sessions, "_MOST", 2)
    known.open("sés-ame")
    clock.now += LIFETIME_S
    second, third = known.open("sés-ame"), known.open("sés-ame")

    assert known.has(second)
    assert known.has(third)


def test_two_servers_on_one_host_have_cookies_of_different_names():
    assert Sessions("a").cookie != Sessions("a").cookie


# ---------------------------------------------------------------------- servers that share a store


def shared(clock, token="a", secret=b"secret"):
    return SharedSessions(token, secret, clock)


def test_what_opens_at_one_server_of_a_store_lasts_at_the_others(clock):
    one, other = shared(clock), shared(clock)
    value = one.open("a")

    assert one.cookie == other.cookie
    assert other.has(value)
    clock.now += LIFETIME_S
    assert not other.has(value)


def test_nobody_else_can_write_such_a_session(clock):
    known = shared(clock)
    value = known.open("a")
    others = (shared(clock, token="b").open("b"), shared(clock, secret=b"other").open("a"))

    assert known.open("b") is None
    assert not any(known.has(given) for given in (None, "", "-", f"9{value}", f"{value}\u00e9", value[:-1], *others))
