"""Which files are opened as a store, and what is said of the others, which stay as they are."""

from __future__ import annotations

import os
import socket
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from mockserver.core.workspaces.keeping import Outline
from mockserver.storage.sqlite import DamagedError, Engine, EngineError, schema
from mockserver.storage.sqlite.file_system import file_system


def refused(path, **options):
    """What is said of a file that cannot be opened."""
    with pytest.raises(EngineError) as caught:
        Engine(path, **{"layout": "the layout of today", "writer": "mockserver 1.0", **options})
    return str(caught.value)


@pytest.fixture
def umask():
    before = os.umask(0)
    yield os.umask
    os.umask(before)


# ------------------------------------------------------------------ where there is none yet


@pytest.mark.parametrize("mask", [0o000, 0o777])
def test_only_its_owner_can_read_a_store_whatever_the_umask(umask, opened, write, path, mask):
    umask(mask)
    write(opened())
    modes = {found.name: stat.filemode(found.stat().st_mode) for found in path.parent.iterdir()}
    assert modes == dict.fromkeys(["store.db", "store.db-shm", "store.db-wal"], "-rw-------")


def test_an_empty_file_becomes_a_store_that_only_its_owner_can_read(opened, write, path):
    path.touch(0o644)
    write(opened())
    assert stat.filemode(path.stat().st_mode) == "-rw-------"


@pytest.mark.parametrize("name", ["a b", "a?mode=memory", "a#b", "100%25", ":memory:", "é", "a\nb", "\udcff", "-v"])
def test_a_store_may_have_any_name(opened, write, tmp_path, name):
    write(opened(tmp_path / name))
    assert stat.S_ISREG((tmp_path / name).stat().st_mode)
    assert opened(tmp_path / name).outlines() == [Outline("acme", [])]


def test_a_path_counts_from_where_the_server_was_started(opened, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    opened(":memory:")
    assert (tmp_path / ":memory:").stat().st_size


def test_a_store_is_made_where_a_symbolic_link_leads(opened, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "target")
    opened(tmp_path / "link")
    assert (tmp_path / "target").stat().st_size


def test_a_store_that_nobody_has_finished_making_is_made_anew(opened, path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA application_id = 0x4D6B5376")
    assert opened().outlines() == []


def test_a_file_that_could_not_be_made_a_store_is_gone_again(path, monkeypatch):
    monkeypatch.setattr("mockserver.storage.sqlite.schema.VERSION", "no number")
    with pytest.raises(EngineError):
        Engine(path, layout="l", writer="w")
    assert list(path.parent.iterdir()) == []


def test_a_store_that_is_only_looked_at_has_to_be_there(path):
    assert refused(path, layout=None) == f"there is no file {path}"
    path.touch()
    assert refused(path, layout=None) == f"{path} is empty, and no store yet"
    assert path.read_bytes() == b""


# ------------------------------------------------------------------ what is no store


def make_folder(path):
    path.mkdir()


def make_pipe(path):
    os.mkfifo(path)


def make_device(path):
    path.symlink_to("/dev/null")


def make_loop(path):
    path.symlink_to(path)


def make_text(path):
    path.write_text("accounts: []\n")


def make_one_byte(path):
    path.write_bytes(b"S")


def make_foreign(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE workspace (name)")


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (make_folder, "is a folder, and no file"),
        (make_pipe, "is a device, a pipe or a socket, and no file"),
        (make_loop, "cannot be opened: Too many levels of symbolic links"),
        (make_text, "is no store of this program, and no file of SQLite"),
        (make_one_byte, "is no store of this program, and no file of SQLite"),
        (make_foreign, "is a file of SQLite, but no store of this program"),
    ],
)
def test_what_is_no_store_is_refused(path, make, sentence):
    make(path)
    before = os.lstat(path), path.read_bytes() if path.is_file() else None
    assert refused(path) == f"{path} {sentence}"
    after = os.lstat(path), path.read_bytes() if path.is_file() else None
    assert (after[0].st_mtime_ns, after[1]) == (before[0].st_mtime_ns, before[1])
    assert len(list(path.parent.iterdir())) == 1


def test_a_device_is_refused():
    assert refused("/dev/null") == "/dev/null is a device, a pipe or a socket, and no file"


def test_a_socket_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the path of a socket has at most some hundred characters
    with closing(socket.socket(socket.AF_UNIX)) as bound:
        bound.bind("s")
        assert refused("s") == f"{tmp_path}/s is a device, a pipe or a socket, and no file"


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("", "the path of the store is empty"),
        ("a\0b", r"a\x00b is no path of a file: embedded null byte"),
        ("/dev/null/store.db", "/dev/null/store.db cannot be opened: Not a directory"),
        ("/" + "n" * 300, f"/{'n' * 300} cannot be opened: File name too long"),
        ("/no/folder/a\nb", r"/no/folder/a\nb cannot be made: there is no folder /no/folder"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused(path, sentence):
    assert refused(path) == sentence


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (PermissionError(13, "Permission denied"), "cannot be opened: Permission denied"),
        (OSError(30, "Read-only file system"), "cannot be opened: Read-only file system"),
    ],
)
def test_a_file_that_must_not_be_written_is_refused(opened, path, monkeypatch, error, sentence):
    opened().close()

    def refuse(*_):
        raise error

    monkeypatch.setattr(os, "open", refuse)
    assert refused(path) == f"{path} {sentence}"


def test_a_folder_that_must_not_be_written_is_refused(path, monkeypatch):
    system_open = os.open

    def refuse(at, flags, *mode):
        if flags & os.O_CREAT:
            raise PermissionError(13, "Permission denied")
        return system_open(at, flags, *mode)

    monkeypatch.setattr(os, "open", refuse)
    assert refused(path) == f"{path} cannot be made: Permission denied"


# ------------------------------------------------------------------ other disks


MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
95 22 0:53 / /srv/share\\040drive rw shared:30 master:1 - nfs4 nas:/share rw,vers=4.2
"""


@pytest.mark.parametrize(("device", "kind"), [((8, 1), "ext4"), ((0, 53), "nfs4"), ((8, 2), None)])
def test_the_kind_of_a_file_system_is_that_of_its_mount(device, kind):
    assert file_system(os.makedev(*device), MOUNTS) == kind


def test_a_share_of_another_machine_is_refused(path, tmp_path, monkeypatch):
    mounts = tmp_path / "mountinfo"
    device = tmp_path.stat().st_dev
    mounts.write_text(f"95 22 {os.major(device)}:{os.minor(device)} / /srv rw - nfs4 nas:/share rw\n")
    monkeypatch.setattr("mockserver.storage.sqlite.file_system._MOUNTS", mounts)
    assert refused(path).endswith("one of another machine (nfs4): put it on a local disk")
    assert not path.exists()


def test_where_nobody_tells_the_mounts_a_store_is_opened(opened, monkeypatch):
    monkeypatch.setattr("mockserver.storage.sqlite.file_system._MOUNTS", Path("/no/such/file"))
    assert opened().outlines() == []


def test_a_file_system_without_locks_is_refused(path, monkeypatch):
    def refuse(*_):
        raise OSError(37, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    assert refused(path).endswith("one without locks (No locks available): put it on a local disk")


# ------------------------------------------------------------------ other versions


def change(path, statement):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def test_a_store_of_another_layout_tells_who_wrote_it_and_how_to_go_on(opened, path):
    opened(layout="another", writer="mockserver 0.9").close()
    before = path.read_bytes()
    assert refused(path) == (
        f"{path} was written by mockserver 0.9, in another layout: let the version that wrote it write documents "
        "(mockserver store export), and this one make a new store of them (mockserver store import)"
    )
    assert path.read_bytes() == before


def test_a_store_of_a_newer_format_is_refused(opened, path):
    opened().close()
    change(path, "PRAGMA user_version = 2")
    assert refused(path).startswith(f"{path} is of format 2, and this version reads 1: let the version that wrote it")


def test_an_outline_with_other_members_is_of_another_format():
    """The layout is that of workspaces alone; a change here has to count `VERSION` up."""
    assert (schema.VERSION, Outline._fields) == (1, ("name", "keys", "due_at", "is_busy", "counted"))


def test_another_version_with_the_same_layout_takes_a_store_over(opened):
    opened(writer="mockserver 1.0").close()
    opened(writer="mockserver 1.1").close()
    assert opened(layout=None).header.writer == "mockserver 1.1"


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE part",
        "CREATE TABLE more (name)",
        "CREATE TRIGGER t AFTER INSERT ON part BEGIN DELETE FROM entry; END",
        "CREATE VIEW header2 AS SELECT 1",
        "DELETE FROM header",
        "INSERT INTO header VALUES ('the layout of today', 'somebody')",
    ],
)
def test_a_store_with_other_tables_is_damaged(opened, path, statement):
    opened().close()
    change(path, statement)
    with pytest.raises(DamagedError, match="is damaged: it has other tables than a store"):
        opened()
