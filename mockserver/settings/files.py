"""Files: shipped data, files that users name, and secrets in files."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from io import BytesIO, TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import BinaryIO

_PACKAGE = Path(__file__).parents[1]
#: The default limit of a file, in bytes: as much as the documents of a workspace. A device as `/dev/zero` has no end.
LARGEST = 256 * 1024 * 1024
#: The limit of a file that people write by hand, in bytes. Chosen: a book has fewer.
WRITTEN_BY_HAND = 8 * 1024 * 1024
#: How the names of files with scenarios end.
SCENARIOS = (".yaml", ".yml", ".json")
#: A variable as shells and Compose write it, outside of whole-line comments, and the most warnings about a text.
_VARIABLE = re.compile(r"^(?![ \t]*#).*?(\$\{[A-Za-z_][A-Za-z0-9_]*(?::?[-+?=][^}\n]{0,100})?\})", re.MULTILINE)
_MOST_WARNINGS = 10


def data_folder(name: str) -> Path:
    """Return folder `scenarios`, `fixtures` or `docs` beside the package, or inside wheels."""
    inside = _PACKAGE / "_data" / name
    return inside if inside.is_dir() else _PACKAGE.parent / name


#: The JSON Schema of scenarios, made by `.ci/documents.py`.
SCHEMA_FILE = data_folder("scenarios") / "scenario.schema.json"
#: The text of `/_mock/llms.txt`, made by `.ci/documents.py`.
LLMS_FILE = data_folder("docs") / "llms.txt"


def is_scenario(name: str) -> bool:
    """Return whether a file in a folder of scenarios is one, and not the JSON Schema for editors."""
    return name.endswith(SCENARIOS) and not name.endswith(".schema.json")


def unreplaced(text: str, file: str) -> Iterator[str]:
    """Yield a warning for each of the first variables in a scenario, such as `${NAME}`: they are not replaced."""
    for found in islice(_VARIABLE.finditer(text) if "${" in text else (), _MOST_WARNINGS):
        line = text.count("\n", 0, found.start()) + 1
        yield f"warning: {file}:{line}: {found[1]} is not replaced: scenarios have no variables"


def read_bytes(file: str | os.PathLike[str], most: int = LARGEST) -> bytes:
    """Return a file's content of at most `most` bytes.

    Raises:
        OSError: The file cannot be read, or is larger; `strerror` says so.
        ValueError: The path is invalid.
    """
    with Path(file).open("rb") as opened:
        return read_from(opened, os.fspath(file), most)


def read_text(
    file: str | os.PathLike[str], most: int = LARGEST, *, encoding: str = "utf-8", errors: str = "strict"
) -> str:
    """Return a file's text of at most `most` bytes, with line feeds as line ends. Raises as `read_bytes`."""
    return TextIOWrapper(BytesIO(read_bytes(file, most)), encoding=encoding, errors=errors).read()


def read_from(opened: BinaryIO, name: str, most: int = LARGEST) -> bytes:
    """Return the rest of an open file, at most `most` bytes. Raises as `read_bytes`."""
    found = opened.read(most + 1)
    if len(found) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes", name)
    return found


def secret_of(value: str | None, file: str | os.PathLike[str] | None, called: str, *, if_empty: str) -> str | None:
    """Return a stripped secret from setting or file, or None.

    Args:
        value: The secret.
        file: The file with the secret.
        called: Its name in messages.
        if_empty: The end of the message that refuses an empty secret.

    Raises:
        ValueError: The secret is empty, invalid in a header, given twice, or its file cannot be read.
    """
    if value is not None and file is not None:
        raise ValueError(f"{called} is given twice: by itself, and in a file")
    if file is not None:
        try:
            value, called = read_text(file, WRITTEN_BY_HAND), f"{called} in {file}"
        except UnicodeDecodeError as error:
            raise ValueError(f"cannot read {called} in {file}: it is not UTF-8") from error
        except (OSError, ValueError) as error:
            raise ValueError(f"cannot read {called} in {file}: {getattr(error, 'strerror', error)}") from error
    if value is None:
        return None
    found = value.strip()
    if not found:
        raise ValueError(f"{called} is empty: {if_empty}")
    if not found.isprintable():
        raise ValueError(f"{called} has characters that cannot stand in a header")
    return found
