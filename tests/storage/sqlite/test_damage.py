"""What a damaged store says, and what can still be read from it."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing

import pytest

from mockserver.storage.sqlite import Batch, DamagedError, Engine, EngineError


@pytest.fixture
def damaged(engine, path, opened):
    """Closes the store, changes something in its file by SQL, and opens it again."""

    def damaged(statement):
        engine.close()
        with closing(sqlite3.connect(path)) as connection, connection:
            assert connection.execute(statement).rowcount == 1
        return opened()

    return damaged


def test_a_damaged_part_takes_one_workspace_with_it(engine, write, damaged):
    write(engine, "hit", b"a state of its own")
    write(engine, "spared")
    store = damaged("UPDATE part SET content = x'00' WHERE content = CAST('a state of its own' AS BLOB)")
    with pytest.raises(DamagedError, match=r"store\.db is damaged: hit/state is not what was written$"):
        store.read("hit")
    assert store.read("spared").parts == {"state": b"as it stands"}
    assert [row.name for row in store.outlines()] == ["hit", "spared"]


@pytest.mark.parametrize(
    ("statement", "place"),
    [
        ("UPDATE part SET content = CAST(content AS TEXT)", "acme/state"),
        ("UPDATE part SET content = 1.5", "acme/state"),
        ("UPDATE part SET checksum = checksum + 1", "acme/state"),
        ("UPDATE part SET checksum = 'none'", "acme/state"),
        ("UPDATE part SET name = 'clock'", "acme/clock"),
        ("UPDATE part SET name = x'00'", r"acme/b'\\x00'"),
        ("UPDATE workspace SET name = 'beta'", "beta/state"),
        ("UPDATE entry SET content = x'00'", "acme/journal/0"),
        ("UPDATE entry SET position = 1", "acme/journal/1"),
        ("UPDATE entry SET position = 'first'", "acme/journal/first"),
        ("UPDATE entry SET log = 'fired'", "acme/fired/0"),
    ],
)
def test_what_is_not_what_was_written_is_found_with_its_place(engine, write, damaged, statement, place):
    write(engine, journal=[b"zero"])
    store = damaged(statement)
    with pytest.raises(DamagedError, match=f"is damaged: {place} is not what was written$"):
        store.read(place.partition("/")[0])


def test_a_damaged_part_is_found_among_those_of_many_workspaces(engine, write, damaged):
    write(engine)
    store = damaged("UPDATE part SET content = x'00'")
    with pytest.raises(DamagedError, match=r"is damaged: acme/state is not what was written$"):
        store.parts(["acme"], "state")


@pytest.mark.parametrize("statement", ["SET outline = x'5b5d'", "SET name = 'beta'", "SET name = x'00'"])
def test_a_damaged_outline_is_found(engine, write, damaged, statement):
    write(engine)
    store = damaged(f"UPDATE workspace {statement}")
    with pytest.raises(DamagedError, match=r"is damaged: .* is not what was written$"):
        store.outlines()


def test_a_damaged_value_of_the_server_is_found(engine, damaged):
    engine.write(Batch(values={"secret": b"drawn once"}))
    store = damaged("UPDATE value SET content = x'00'")
    with pytest.raises(DamagedError, match=r"is damaged: secret is not what was written$"):
        store.values()


def test_a_text_that_is_none_is_found(engine, write, damaged):
    write(engine)
    store = damaged("UPDATE workspace SET name = CAST(x'ff' AS TEXT)")
    with pytest.raises(DamagedError, match="is damaged: Could not decode to UTF-8"):
        store.outlines()


def test_a_store_that_was_cut_off_is_damaged(engine, write, path):
    for name in "abc":
        write(engine, name, random.Random(name).randbytes(20_000))
    engine.close()
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)
    with pytest.raises(DamagedError, match=r"is damaged: database disk image is malformed$"):
        list(contents(path))


def contents(path):
    """All that is kept of each workspace of a store; what cannot be read is left out."""
    engine = Engine(path)
    try:
        for outline in engine.outlines():
            yield outline.name, engine.read(outline.name)
    finally:
        engine.close()


def test_nothing_is_read_that_was_not_written_wherever_a_file_is_damaged(engine, write, path):
    written = {name: random.Random(name).randbytes(5_000) for name in "abcdefgh"}
    for name, state in written.items():
        write(engine, name, state, journal=[state[:50], state[50:99]])
    engine.close()
    whole, draw, damages = path.read_bytes(), random.Random(7), 0
    for _ in range(60):
        path.write_bytes(whole)
        with path.open("r+b") as file:
            file.seek(draw.randrange(len(whole)))
            file.write(draw.randbytes(draw.choice([1, 30, 4096]))[: len(whole) - file.tell()])
        try:
            for name, stored in contents(path):
                assert all(content == written[name] for content in stored.parts.values())
                assert {content for _, content in stored.logs.get("journal", ())} <= {
                    written[name][:50],
                    written[name][50:99],
                }
        except EngineError:
            damages += 1
    assert damages > 10
