"""A file that is used by one process at a time."""

from __future__ import annotations

import errno
import os
import stat
import sys
import threading
from pathlib import Path

from mockserver.storage.errors import EngineError
from mockserver.storage.sqlite.file_system import remote_file_system
from mockserver.storage.sqlite.sentences import shown

#: A file as the system knows it, whatever it is called: device and inode.
_Identity = tuple[int, int]

#: The files that this process uses. A process that opens a file twice, and closes one of the two, loses all locks that
#: SQLite has on it (sqlite.org/howtocorrupt.html, 2.2).
_USED: set[_Identity] = set()
_USED_LOCK = threading.Lock()
#: What flock(2) answers where a file system has no locks.
_NO_LOCKS = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL)
#: Whoever made the file may read and write it, and nobody else: it holds keys and codes.
_MODE = 0o600


class StoreFile:
    """A file that no other server uses, from now until `close`."""

    def __init__(self, path: str | os.PathLike[str], *, create: bool) -> None:
        """Open a file; with `create` it is made where there is none.

        Raises:
            EngineError: it is used already, or it cannot be opened.
        """
        if sys.platform == "win32":
            raise EngineError("a store in a file needs locks as Linux and macOS have them")
        self.path = _resolved(path)
        #: Whether the file was not there before.
        self.is_new = False
        self.is_closed = False
        with _USED_LOCK:
            _refuse_what_is_no_file(self.path)
            self._descriptor = self._open(create)
            try:
                self._lock()
                self._keep_private()
            except BaseException:
                os.close(self._descriptor)
                raise
            self._identity = _identity(os.fstat(self._descriptor))
            _USED.add(self._identity)

    def _open(self, create: bool) -> int:
        flags = os.O_RDWR | os.O_CLOEXEC
        try:
            return os.open(self.path, flags)
        except FileNotFoundError:
            if not create:
                raise EngineError(f"there is no file {shown(self.path)}") from None
        except OSError as error:
            raise EngineError(f"{shown(self.path)} cannot be opened: {error.strerror}") from error
        try:
            found = os.open(self.path, flags | os.O_CREAT | os.O_EXCL, _MODE)
        except FileExistsError:
            raise EngineError(_used(self.path)) from None
        except OSError as error:
            raise EngineError(f"{shown(self.path)} cannot be made: {error.strerror}") from error
        self.is_new = True
        return found

    def _lock(self) -> None:
        import fcntl  # noqa: PLC0415  # absent on Windows

        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise EngineError(_used(self.path)) from None
        except OSError as error:
            if error.errno in _NO_LOCKS:
                raise EngineError(_not_local(self.path, f"one without locks ({error.strerror})")) from error
            raise EngineError(f"{shown(self.path)} cannot be locked: {error.strerror}") from error

    def _keep_private(self) -> None:
        """Let nobody else read a file that holds nothing yet, whatever the umask says."""
        try:
            if os.fstat(self._descriptor).st_size == 0:
                os.fchmod(self._descriptor, _MODE)
        except OSError as error:
            raise EngineError(f"{shown(self.path)} cannot be kept private: {error.strerror}") from error

    def head(self, length: int) -> bytes:
        """The first bytes of the file.

        Raises:
            EngineError: they cannot be read.
        """
        try:
            return os.pread(self._descriptor, length, 0)
        except OSError as error:
            raise EngineError(f"{shown(self.path)} cannot be read: {error.strerror}") from error

    def size(self) -> int:
        """How many bytes the file has; 0 if it is not there any more."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def is_in_place(self) -> bool:
        """Whether what is at the path is this file still."""
        try:
            return _identity(self.path.stat()) == self._identity
        except OSError:
            return False

    def remove(self) -> None:
        """Remove the file, which was made for nothing."""
        self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Let another process use the file."""
        with _USED_LOCK:
            if not self.is_closed:
                self.is_closed = True
                os.close(self._descriptor)
                _USED.remove(self._identity)


def _identity(found: os.stat_result) -> _Identity:
    return found.st_dev, found.st_ino


def _resolved(path: str | os.PathLike[str]) -> Path:
    """The path of a file without symbolic links: SQLite names what it writes beside it by that."""
    if not os.fspath(path):
        raise EngineError("the path of the store is empty")
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:  # ValueError: there is a zero byte in it
        raise EngineError(f"{shown(os.fspath(path))} is no path of a file: {error}") from error


def _refuse_what_is_no_file(path: Path) -> None:
    """Look at what is at a path, without opening it: that would wake a device, or wait for a pipe."""
    try:
        found = path.stat()
    except FileNotFoundError:
        _refuse_missing_folder(path)
    except OSError as error:
        raise EngineError(f"{shown(path)} cannot be opened: {error.strerror}") from error
    else:
        if stat.S_ISDIR(found.st_mode):
            raise EngineError(f"{shown(path)} is a folder, and no file")
        if not stat.S_ISREG(found.st_mode):
            raise EngineError(f"{shown(path)} is a device, a pipe or a socket, and no file")
        if _identity(found) in _USED:
            raise EngineError(_used(path))
    if kind := remote_file_system(path.parent):
        raise EngineError(_not_local(path, f"one of another machine ({kind})"))


def _refuse_missing_folder(path: Path) -> None:
    if not path.parent.exists():
        raise EngineError(f"{shown(path)} cannot be made: there is no folder {shown(path.parent)}")


def _used(path: Path) -> str:
    return f"{shown(path)} is used by another process: a store serves one server at a time"


def _not_local(path: Path, what: str) -> str:
    return f"{shown(path)} is on a file system that SQLite cannot work on, {what}: put it on a local disk"
