"""Who is told what happens."""

import pytest

from mockserver.core.waiting import ANYTHING, Watchers


@pytest.fixture
def watchers():
    return Watchers()


def test_each_is_told_of_the_kinds_that_it_waits_for(watchers):
    told = []
    watchers.add(lambda: told.append("mails"), frozenset({"mail"}))
    watchers.add(lambda: told.append("requests"), frozenset({"request", "job"}))
    watchers.add(lambda: told.append("all"))

    watchers.tell("mail")
    watchers.tell("request")
    watchers.tell()

    assert told == ["mails", "all", "requests", "all", "mails", "requests", "all"]


def test_removed_watcher_is_not_called(watchers):
    told = []
    wake = lambda: told.append(1)  # noqa: E731  # it is added and discarded as the same
    watchers.add(wake)
    watchers.discard(wake)
    watchers.tell("mail")

    assert (told, len(watchers)) == ([], 0)


def test_watchers_count_events_by_kind(watchers):
    for kind in ("mail", "mail", "request", None):
        watchers.tell(kind)

    kinds = ({"mail"}, {"request"}, {"mail", "request"}, {"job"})
    assert [watchers.happened(frozenset(kind)) for kind in kinds] == [3, 2, 4, 1]
    assert watchers.happened(ANYTHING) == 4
