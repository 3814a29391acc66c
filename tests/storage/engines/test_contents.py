"""What is written to a store is read from it, then and after the next opening."""

from __future__ import annotations

import pytest

from mockserver.core.workspaces.keeping import Outline
from mockserver.storage.batch import Batch
from mockserver.storage.errors import EngineError
from mockserver.storage.records.changes import Changes, LogChange

ACME = Outline("acme", ["xkeysib-acme"], 1764000000.25, is_busy=True)


def log(first, *entries, anew=False):
    return LogChange("journal", first, entries, anew)


def write_logs(engine, *logs):
    engine.write(Batch(workspaces=[(ACME, Changes({}, (), logs))]))


def test_a_new_store_holds_nothing(engine):
    assert engine.outlines() == []
    assert engine.values() == {}


def test_an_outline_is_as_it_was_written(engine):
    engine.write(Batch(workspaces=[(ACME, Changes({}, (), ()))]))
    assert engine.outlines() == [ACME]


def test_workspaces_come_in_the_order_in_which_they_were_written_last(engine, write):
    for name in ("first", "second", "third", "first"):
        write(engine, name)
    assert [row.name for row in engine.outlines()] == ["second", "third", "first"]


def test_the_order_goes_on_after_the_next_opening(engine, opened, write):
    write(engine, "first")
    write(engine, "second")
    engine.close()
    again = opened()
    write(again, "first")
    assert [row.name for row in again.outlines()] == ["second", "first"]


def test_a_part_takes_the_place_of_the_one_before(engine, write):
    write(engine, state=b"before")
    write(engine, state=b"after")
    assert engine.read("acme").parts == {"state": b"after"}


def test_a_part_that_is_gone_is_kept_no_longer(engine, write):
    write(engine)
    engine.write(Batch(workspaces=[(ACME, Changes({"clock": b"noon"}, ["state"], ()))]))
    assert engine.read("acme").parts == {"clock": b"noon"}


def test_entries_are_added_behind_the_others_and_the_oldest_go(engine):
    write_logs(engine, log(0, (0, b"zero"), (1, b"one")))
    write_logs(engine, log(1, (2, b"two")))
    assert engine.read("acme").logs == {"journal": [(1, b"one"), (2, b"two")]}


def test_an_entry_takes_the_place_of_the_one_at_its_position(engine):
    write_logs(engine, log(0, (0, b"held"), (1, b"one")))
    write_logs(engine, log(0, (0, b"answered")))
    assert engine.read("acme").logs == {"journal": [(0, b"answered"), (1, b"one")]}


def test_a_log_that_is_written_anew_has_none_of_its_old_entries(engine):
    write_logs(engine, log(0, (0, b"zero"), (1, b"one")))
    write_logs(engine, log(0, (1, b"another one"), anew=True))
    assert engine.read("acme").logs == {"journal": [(1, b"another one")]}


def test_a_workspace_that_was_removed_leaves_nothing_to_one_of_its_name(engine, write):
    write(engine, journal=[b"old"])
    engine.write(Batch(removed=["acme", "never there"]))
    assert engine.outlines() == []
    engine.write(Batch(workspaces=[(ACME, Changes({}, (), ()))]))
    assert engine.read("acme") == ({}, {})


def test_a_workspace_is_removed_before_one_of_its_name_is_written(engine, write):
    write(engine, journal=[b"old"])
    engine.write(Batch(removed=["acme"], workspaces=[(ACME, Changes({"state": b"new"}, (), ()))]))
    assert engine.read("acme") == ({"state": b"new"}, {})


def test_a_workspace_that_is_not_there_cannot_be_read(engine):
    with pytest.raises(EngineError, match=r"holds no workspace acme$"):
        engine.read("acme")


def test_one_part_is_read_of_several_workspaces(engine, write):
    write(engine, "one", b"1")
    write(engine, "two", b"2")
    engine.write(Batch(workspaces=[(ACME, Changes({"clock": b"noon"}, (), ()))]))
    assert engine.parts(["two", "one", "acme", "never there"], "state") == {"two": b"2", "one": b"1"}


def test_values_of_the_server_are_written_replaced_and_removed(engine):
    engine.write(Batch(values={"secret": b"old", "total": b"17"}))
    engine.write(Batch(values={"secret": b"new", "total": None}))
    assert engine.values() == {"secret": b"new"}


def test_all_is_there_after_the_next_opening(engine, opened, write):
    write(engine, journal=[b"zero"], keys=["k"])
    engine.write(Batch(values={"secret": b"s"}))
    engine.close()
    again = opened()
    assert again.outlines() == [Outline("acme", ["k"])]
    assert again.read("acme") == ({"state": b"as it stands"}, {"journal": [(0, b"zero")]})
    assert again.values() == {"secret": b"s"}


def test_a_closed_store_says_so(engine, write):
    engine.close()
    with pytest.raises(EngineError, match=r"is closed$"):
        write(engine)
    with pytest.raises(EngineError, match=r"is closed$"):
        engine.outlines()


def test_a_store_is_closed_twice_without_harm(engine):
    engine.close()
    engine.close()
