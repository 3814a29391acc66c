"""What is written to a store is read from it, then and after the next opening."""

import pytest

from mockserver.storage.engine import Batch, EngineError, NoWorkspaceError


def test_a_new_store_is_empty(engine):
    assert (list(engine.outlines()), dict(engine.counts()), dict(engine.sizes())) == ([], {}, {})


def test_nothing_is_read_since_the_version_that_was_read(engine, write):
    write(engine, "acme", {"p:state": b"s"})
    found = engine.read("acme")
    assert (found.is_whole, engine.read("acme", found.version)) == (True, None)


def test_a_missing_workspace_cannot_be_read(engine):
    for name in ("missing", "../acme"):
        with pytest.raises(NoWorkspaceError, match=f"holds no workspace {name}$"):
            engine.read(name)


def test_the_size_of_a_workspace_is_about_that_of_its_fields(engine, write):
    write(engine, "acme", {"p:state": b"s" * 5_000, "k:key": b"k" * 1_000})
    assert engine.sizes()["acme"] == pytest.approx(6_000, abs=100)


def test_server_secret_is_drawn_once_per_store(engine, opened):
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


def test_a_closed_store_is_refused_however_often_it_is_closed(engine):
    for call in ("outlines", "counts", "sizes", "clear_counts"):
        engine.close()
        engine.close()
        with pytest.raises(EngineError):
            getattr(engine, call)()
