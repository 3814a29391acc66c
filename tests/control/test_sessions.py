"""Sessions of the dashboard: they open with the token, last for a while, and are limited in number."""

import pytest

from mockserver.control import sessions
from mockserver.control.sessions import LIFETIME_S, Sessions


@pytest.fixture
def known(clock):
    return Sessions("sés-ame", now=clock)


def test_the_token_opens_a_session_that_only_its_value_names(known):
    value = known.open("sés-ame")

    assert known.has(value)
    assert not any(known.has(other) for other in (None, "", value[:-1], f"{value} "))


def test_other_tokens_open_no_session(known):
    for given in ("", "ses-ame", "sés-ame ", "\ud800", "x" * 100_000):
        assert known.open(given) is None
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


# ---------------------------------------------------------------------- servers that share a store


class Remembered:
    """What the servers of a store remember together."""

    def __init__(self):
        self.names = set()

    def remember(self, name, seconds):
        self.names.add(name)

    def remembers(self, name):
        return name in self.names

    def forget(self, name):
        self.names.discard(name)


def test_session_of_one_server_of_a_store_is_known_at_the_others_until_it_is_closed():
    shared = Remembered()
    one, two = Sessions("token", shared), Sessions("token", shared)
    value = one.open("token")
    assert one.cookie == two.cookie
    assert two.has(value)
    assert not any(value in name for name in shared.names)
    two.close(value)
    assert not one.has(value)


def test_cookie_name_differs_between_servers_and_between_tokens_of_a_store():
    shared = Remembered()
    assert Sessions("a").cookie != Sessions("a").cookie
    assert Sessions("one", shared).cookie != Sessions("two", shared).cookie
