"""On what kind of disk a file is."""

from __future__ import annotations

import os
from pathlib import Path

#: File systems on another machine, as Linux calls them. SQLite's write-ahead log needs memory that all users of a file
#: share, and they have none (sqlite.org/wal.html).
_REMOTE = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs"})
#: The mounts of this process (proc(5)); only Linux has the file.
_MOUNTS = Path("/proc/self/mountinfo")


def remote_file_system(folder: Path) -> str | None:
    """The kind of the file system of a folder if that is on another machine, else None; None too where nobody tells."""
    try:
        kind = file_system(folder.stat().st_dev, _MOUNTS.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None
    return kind if kind in _REMOTE else None


def file_system(device: int, mounts: str) -> str | None:
    """The kind of the file system of a device by the mounts of Linux; None: it is not among them."""
    number = f"{os.major(device)}:{os.minor(device)}"
    for line in mounts.splitlines():
        mount, _, kind = line.partition(" - ")
        if number in mount.split(" ")[2:3]:
            return kind.partition(" ")[0]
    return None
