from datetime import UTC, datetime

import pytest

from mockserver.core.traffic.causes import Changed, History

AT = datetime(2026, 1, 15, 9, tzinfo=UTC)


def change(key, event="verify", machine="sender"):
    return Changed(AT, 1, machine, key, event, "here", "there", None, 0.0, [])


def test_instances_of_other_machines_and_keys_are_left_out():
    history = History(10)
    for row in (change(1), change(2), change(1, machine="export"), change("1")):
        history.add(row)

    assert list(history.of("sender", 1)) == [change(1)]


def test_the_oldest_transitions_go():
    history = History(2)
    for event in ("create", "verify", "delete"):
        history.add(change(1, event))

    assert ([row.event for row in history.of("sender", 1)], history.evicted) == (["delete", "verify"], 1)


def test_a_history_of_one_keeps_even_a_long_key():
    history = History(1)
    history.add(change("k" * 1_000))

    assert len(list(history.of("sender", "k" * 1_000))) == 1


def test_long_keys_leave_room_for_fewer_transitions():
    history = History(100)
    for _ in range(100):
        history.add(change("k" * 1_000))

    assert len(history) < 30
    assert history.bytes <= 100_000


@pytest.mark.parametrize(("machine", "found"), [("sender", "delete"), ("export", "notify"), ("domain", None)])
def test_the_last_transition_of_a_machine_is_known(machine, found):
    history = History(10)
    for row in (change(1, "create"), change(2, "delete"), change(1, "notify", "export")):
        history.add(row)

    last = history.last(machine)
    assert (last and last.event) == found
