"""Which files are opened as a store, and what is said about the others, which stay as they are."""

import os
import sqlite3
import stat
from contextlib import closing

import pytest

from mockserver.storage.engine import DamagedError, EngineError
from mockserver.storage.sqlite_engine import Engine

LAYOUT = "the layout of today"


def refused(path, **options):
    """What is said about a file that cannot be opened, without its path; the file stays as it is."""
    before = [(file.name, file.lstat().st_mtime_ns) for file in path.parent.iterdir()]
    with pytest.raises(EngineError) as caught:
        Engine(path, **{"layout": LAYOUT, "writer": "mockserver 1.0", **options})
    assert [(file.name, file.lstat().st_mtime_ns) for file in path.parent.iterdir()] == before
    return str(caught.value).removeprefix(f"{path} ")


def change(path, statement):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


@pytest.fixture
def umask():
    before = os.umask(0)
    yield
    os.umask(before)


def test_all_files_of_a_store_are_readable_by_their_owner_only(umask, opened, write, path):
    write(opened())
    modes = {file.name: stat.filemode(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes == dict.fromkeys(["store.db", "store.db-journal"], "-rw-------")


@pytest.mark.parametrize("name", ["a b", "a?mode=memory", "a#b", "100%25", ":memory:", "é", "a\nb", "\udcff", "-v"])
def test_store_file_may_have_an_unusual_name(opened, write, tmp_path, name):
    write(opened(tmp_path / name))
    assert stat.S_ISREG((tmp_path / name).stat().st_mode)
    assert [row.name for row in opened(tmp_path / name).outlines()] == ["acme"]


def test_a_store_is_created_where_a_symbolic_link_leads(opened, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "target")
    opened(tmp_path / "link")
    assert (tmp_path / "target").stat().st_size


def test_a_store_leaves_no_other_file_when_it_is_closed(opened, write, path):
    engine = opened()
    write(engine)
    engine.close()
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("options", [{"layout": None}, {"create": False}])
def test_a_missing_store_is_not_created_when_it_is_only_read(path, options):
    assert refused(path, **options) == f"there is no file {path}"


def test_a_store_that_appears_while_it_is_created_is_not_replaced(path, monkeypatch):
    def link(_, target):
        target.write_text("of another process")
        raise FileExistsError(17, "File exists")

    monkeypatch.setattr(os, "link", link)
    with pytest.raises(EngineError, match=r"store\.db cannot be created: File exists$"):
        Engine(path, layout=LAYOUT)
    assert [file.read_text() for file in path.parent.iterdir()] == ["of another process"]


NO_FILE = "is no file, but a folder, a device, a pipe or a socket"


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda path: path.touch(), "is empty: put a backup in its place, or remove the file to begin anew"),
        (lambda path: path.mkdir(), NO_FILE),
        (os.mkfifo, NO_FILE),
        (lambda path: path.symlink_to("/dev/null"), f"/dev/null {NO_FILE}"),
        (lambda path: path.symlink_to(path), "cannot be opened: Too many levels of symbolic links"),
        (lambda path: path.write_text("a text\n"), "is no store of this program, and no file of SQLite"),
        (lambda path: change(path, "CREATE TABLE t (x)"), "is a file of SQLite, but no store of this program"),
    ],
)
def test_a_file_that_is_no_store_is_refused(path, make, sentence):
    make(path)
    assert refused(path) == sentence


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("a\0b", r"a\x00b cannot be opened: embedded null byte"),
        ("/dev/null/store.db", "/dev/null/store.db cannot be opened: Not a directory"),
        ("/" + "n" * 300, f"/{'n' * 300} cannot be opened: File name too long"),
        ("/no/folder/a\nb", r"/no/folder/a\nb cannot be created: No such file or directory"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused(path, sentence):
    with pytest.raises(EngineError) as caught:
        Engine(path, layout=LAYOUT)
    assert str(caught.value) == sentence


def test_a_file_on_a_read_only_disk_is_refused(opened, path, monkeypatch):
    opened().close()
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert refused(path) == "cannot be written: the file, its folder or its disk is read-only"


WAY = (
    "let the version that wrote it write documents (mockserver store export), and this one make a new store of them "
    "(mockserver store import)"
)


def test_a_store_of_another_layout_is_refused_with_the_program_that_wrote_it(opened, path):
    opened(layout="another", writer="mockserver 0.9").close()
    assert refused(path) == f"was written by mockserver 0.9, in another layout: {WAY}"


def test_a_store_of_another_format_is_refused(opened, path):
    opened().close()
    change(path, "PRAGMA user_version = 2")
    assert refused(path) == f"is of format 2, and this version reads 3: {WAY}"


def test_a_store_names_the_program_that_opened_it_last_to_commands(opened):
    opened(layout="another", writer="mockserver 1.0").close()
    opened(layout="another", writer="mockserver 1.1").close()
    assert opened(layout=None).header == ("another", "mockserver 1.1")


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE field",
        "CREATE TABLE more (name)",
        "CREATE TRIGGER t AFTER INSERT ON field BEGIN DELETE FROM value; END",
        "DELETE FROM header",
        "INSERT INTO header VALUES ('the layout of today', 'somebody')",
        "UPDATE header SET writer = x'00'",
    ],
)
def test_a_store_with_other_tables_is_damaged(opened, path, statement):
    opened().close()
    change(path, statement)
    with pytest.raises(DamagedError, match=r"store\.db is damaged: "):
        opened()
