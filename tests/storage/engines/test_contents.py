"""What is written to a store is read from it, then and after the next opening."""

from __future__ import annotations

import pytest

from mockserver.core.workspaces.keeping import Outline
from mockserver.storage.engine import ANY_VERSION, Batch, Changes, EngineError, NoWorkspaceError, Row


def test_a_new_store_is_empty(engine):
    assert (list(engine.outlines()), dict(engine.counts()), dict(engine.sizes())) == ([], {}, {})


def test_a_store_names_its_layout_and_writer(engine):
    assert engine.header == ("the layout of today", "mockserver 1.0")


# ------------------------------------------------------------------ workspaces


def test_workspaces_are_in_the_order_of_their_last_write(engine, write):
    for name in ("first", "second", "third", "first"):
        write(engine, name, {"p:state": b"s"})
    assert [row.name for row in engine.outlines()] == ["second", "third", "first"]


def test_the_order_continues_after_the_next_opening(engine, opened, write):
    write(engine, "first", {"p:state": b"s"})
    write(engine, "second", {"p:state": b"s"})
    again = opened()
    write(again, "first", {"p:state": b"s"})
    assert [row.name for row in again.outlines()] == ["second", "first"]


def test_an_outline_has_the_keys_of_all_writes_and_the_time_of_the_last(engine, write):
    write(engine, "acme", {"k:b": b"1", "k:a": b"1", "p:keys": b"s", "e:k:1": b"s"}, due_at=1764000000.25)
    write(engine, "acme", {"k:c": b"1"}, gone=["k:a"], due_at=1764000001.5)
    assert [Outline(row.name, list(row.keys), row.due_at) for row in engine.outlines()] == [
        Outline("acme", ["b", "c"], 1764000001.5)
    ]
    write(engine, "acme", {})
    assert engine.outlines()[0].due_at is None


@pytest.mark.parametrize(
    ("fields", "gone", "expected"),
    [
        ({"p:state": b"new"}, [], {"p:state": b"new", "e:journal:0": b"zero"}),
        ({"e:journal:1": b"one"}, [], {"p:state": b"old", "e:journal:0": b"zero", "e:journal:1": b"one"}),
        ({}, ["e:journal:0", "p:missing"], {"p:state": b"old"}),
        ({"p:state": b""}, ["e:journal:0"], {"p:state": b""}),
    ],
)
def test_a_write_replaces_adds_and_deletes_fields(engine, write, fields, gone, expected):
    write(engine, "acme", {"p:state": b"old", "e:journal:0": b"zero"})
    write(engine, "acme", fields, gone=gone)
    assert engine.read("acme").fields == expected


def test_nothing_is_read_since_the_version_that_was_read(engine, write):
    write(engine, "acme", {"p:state": b"s"})
    found = engine.read("acme")
    assert (found.is_whole, engine.read("acme", found.version)) == (True, None)


def test_a_removed_workspace_leaves_nothing_to_one_of_its_name(engine, write):
    write(engine, "acme", {"p:state": b"old", "k:key": b"1"}, due_at=1.5)
    engine.write(Batch(removed={"acme": ANY_VERSION, "missing": ANY_VERSION}))
    assert list(engine.outlines()) == []
    engine.write(Batch(rows=[Row("acme", Changes({"p:clock": b"noon"}))]))
    assert engine.read("acme").fields == {"p:clock": b"noon"}
    assert engine.outlines()[0].keys in ([], ())


def test_a_workspace_is_removed_before_one_of_its_name_is_written(engine, write):
    write(engine, "acme", {"p:state": b"old", "e:journal:0": b"zero"})
    row = Row("acme", Changes({"p:state": b"new"}), ANY_VERSION)
    engine.write(Batch(removed={"acme": ANY_VERSION}, rows=[row]))
    assert engine.read("acme").fields == {"p:state": b"new"}


@pytest.mark.parametrize("name", ["missing", "../acme"])
def test_a_missing_workspace_cannot_be_read(engine, name):
    with pytest.raises(NoWorkspaceError, match=f"holds no workspace {name}$"):
        engine.read(name)


def test_one_field_is_read_of_several_workspaces(engine, write):
    write(engine, "one", {"p:coverage": b"1", "p:state": b"s"})
    write(engine, "two", {"p:coverage": b"2"})
    write(engine, "without", {"p:state": b"s"})
    assert engine.field(["two", "one", "without", "missing"], "p:coverage") == {"two": b"2", "one": b"1"}


def test_the_size_of_a_workspace_is_about_that_of_its_fields(engine, write):
    write(engine, "acme", {"p:state": b"s" * 5_000, "k:key": b"k" * 1_000})
    assert engine.sizes()["acme"] == pytest.approx(6_000, abs=100)


# ------------------------------------------------------------------ values and counts


def test_a_value_is_drawn_once(engine, opened):
    assert engine.value("secret") is None
    assert engine.value("secret", b"first") == b"first"
    assert engine.value("secret", b"second") == b"first"
    assert opened().value("secret") == b"first"


def test_counts_are_added_up_and_cleared_without_the_values(engine, opened):
    engine.value("secret", b"s")
    engine.write(Batch(counts={"a": 1, '["calls","*"]': 2}))
    engine.write(Batch(counts={"a": 3}))
    again = opened()
    assert again.counts() == {"a": 4, '["calls","*"]': 2}
    again.clear_counts()
    assert (dict(again.counts()), again.value("secret")) == ({}, b"s")


# ------------------------------------------------------------------ the end


def test_everything_is_there_after_the_next_opening(engine, opened, write):
    write(engine, "acme", {"p:state": b"s", "k:key": b"k"}, due_at=2.5)
    again = opened()
    assert again.read("acme").fields == {"p:state": b"s", "k:key": b"k"}
    assert [(row.name, list(row.keys), row.due_at) for row in again.outlines()] == [("acme", ["key"], 2.5)]


@pytest.mark.parametrize("call", ["outlines", "counts", "sizes", "clear_counts"])
def test_a_closed_store_is_refused_however_often_it_is_closed(engine, call):
    engine.close()
    engine.close()
    with pytest.raises(EngineError):
        getattr(engine, call)()
