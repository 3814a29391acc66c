"""What a damaged store says, and what can still be read from it."""

import random
import sqlite3
from contextlib import closing

import pytest

from mockserver.storage.engine import DamagedError, EngineError
from mockserver.storage.packing import UnreadableError, seal, unseal
from mockserver.storage.sqlite_engine import Engine


@pytest.fixture
def damaged(engine, path, opened):
    """Closes the store, changes something in its file by SQL, and opens it again."""

    def damaged(statement):
        engine.close()
        with closing(sqlite3.connect(path)) as connection, connection:
            assert connection.execute(statement).rowcount == 1
        return opened()

    return damaged


@pytest.mark.parametrize(
    "change", ["content = CAST(content AS TEXT)", "content = 1.5", "name = x'00'", "name = CAST(x'ff' AS TEXT)"]
)
def test_a_damaged_field_costs_only_its_workspace(engine, write, damaged, change):
    write(engine, "hit")
    write(engine, "spared")
    store = damaged(f"UPDATE field SET {change} WHERE workspace = 'hit'")
    with pytest.raises(DamagedError, match=r"store\.db is damaged: "):
        store.read("hit")
    assert store.read("spared").fields == {"p:state": b"as it is"}
    assert [row.name for row in store.outlines()] == ["hit", "spared"]


@pytest.mark.parametrize("change", ["name = x'00'", "name = '../acme'", "name = CAST(x'ff' AS TEXT)", "due = 'soon'"])
def test_a_damaged_workspace_is_found(engine, write, damaged, change):
    write(engine)
    store = damaged(f"UPDATE workspace SET {change}")
    with pytest.raises(DamagedError, match=r"store\.db is damaged: "):
        store.outlines()


@pytest.mark.parametrize("name", ["../../victim", "/tmp/victim", "a/b", "", "a" * 65, "a\nb"])
def test_a_name_that_no_workspace_can_have_is_damage(engine, write, name):
    write(engine, name)
    with pytest.raises(DamagedError) as caught:
        engine.outlines()
    assert str(caught.value).endswith(f"is damaged: {name!r} is not a name that a workspace can have")


@pytest.mark.parametrize("change", ["content = x'00'", "content = 'a text'"])
def test_a_damaged_value_is_found(engine, damaged, change):
    engine.value("secret", b"drawn once")
    store = damaged(f"UPDATE value SET {change}")
    with pytest.raises(DamagedError, match=r"store\.db is damaged: "):
        store.value("secret", b"drawn again")
    assert len(store.damages()) == 1


def test_a_damaged_index_is_found_by_a_check(engine, write, path, opened):
    write(engine)
    engine.close()
    with path.open("r+b") as file, closing(sqlite3.connect(path)) as connection:
        page = connection.execute("SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'field' AND type = 'index'")
        # The number of cells of a page (sqlite.org/fileformat.html, 1.6).
        file.seek((page.fetchone()[0] - 1) * 4096 + 3)
        file.write(b"\0\0")
    assert opened().damages()


def contents(path):
    """The fields of each workspace of a store, as far as they can be read."""
    with closing(Engine(path)) as engine:
        for outline in engine.outlines():
            yield outline.name, engine.read(outline.name).fields


def test_nothing_is_read_that_was_not_written_wherever_a_file_is_damaged(engine, write, path):
    written = {name: random.Random(name).randbytes(5_000) for name in "abcdefgh"}
    for name, state in written.items():
        write(engine, name, seal(state))
    engine.close()
    whole, draw, damages = path.read_bytes(), random.Random(7), 0
    for _ in range(60):
        path.write_bytes(whole)
        with path.open("r+b") as file:
            file.seek(draw.randrange(len(whole)))
            file.write(draw.randbytes(draw.choice([1, 30, 4096]))[: len(whole) - file.tell()])
        try:
            for name, fields in contents(path):
                assert [unseal(content) for content in fields.values()] in ([written.get(name)], [])
        except (EngineError, UnreadableError):
            damages += 1
    assert damages > 10
