"""Files that a user names: read to their end if they have one within a bound.

A device such as `/dev/zero` has none, and tells a size of zero.
"""

from __future__ import annotations

import errno
import os
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import BinaryIO

#: The most bytes of a file, unless less is enough. Chosen: as much as the documents take of which a workspace is made.
LARGEST = 256 * 1024 * 1024
#: The most bytes of a file that people write by hand. Chosen: a book has fewer.
WRITTEN_BY_HAND = 8 * 1024 * 1024


def read_bytes(file: str | os.PathLike[str], most: int = LARGEST) -> bytes:
    """The content of a file of at most `most` bytes.

    Raises:
        OSError: it cannot be read, or is larger; `strerror` says so.
        ValueError: the path can be none of a file.
    """
    with Path(file).open("rb") as opened:
        return read_from(opened, os.fspath(file), most)


def read_text(
    file: str | os.PathLike[str], most: int = LARGEST, *, encoding: str = "utf-8", errors: str = "strict"
) -> str:
    """The text of a file of at most `most` bytes, with a line feed at the end of each line.

    Raises:
        OSError: it cannot be read, or is larger; `strerror` says so.
        UnicodeDecodeError: it is not in this encoding.
        ValueError: the path can be none of a file.
    """
    return TextIOWrapper(BytesIO(read_bytes(file, most)), encoding=encoding, errors=errors).read()


def read_from(opened: BinaryIO, name: str, most: int = LARGEST) -> bytes:
    """What is left of an open file, if that is at most `most` bytes.

    Raises:
        OSError: it cannot be read, or there is more; `strerror` says so.
    """
    found = opened.read(most + 1)
    if len(found) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes", name)
    return found
