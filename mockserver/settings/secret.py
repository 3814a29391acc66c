"""Secrets among the settings, given as a setting, or in a file so that they do not show in the list of processes."""

from __future__ import annotations

import os

from mockserver.settings import given_file


def secret_of(value: str | None, file: str | os.PathLike[str] | None, called: str, *, if_empty: str) -> str | None:
    """A secret that is given by itself or in a file, without blanks around it; None if it is not given.

    `called` is its name in messages, `if_empty` the end of the message that refuses an empty one.

    Raises:
        ValueError: it is empty, cannot be sent in a header, is given twice, or its file cannot be read.
    """
    if value is not None and file is not None:
        raise ValueError(f"{called} is given twice: by itself, and in a file")
    if file is not None:
        return _checked(_read(file, called), f"{called} in {file}", if_empty)
    return None if value is None else _checked(value, called, if_empty)


def _read(file: str | os.PathLike[str], called: str) -> str:
    try:
        return given_file.read_text(file, given_file.WRITTEN_BY_HAND)
    except UnicodeDecodeError as error:
        raise ValueError(f"cannot read {called} in {file}: it is not UTF-8") from error
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read {called} in {file}: {getattr(error, 'strerror', error)}") from error


def _checked(secret: str, called: str, if_empty: str) -> str:
    found = secret.strip()
    if not found:
        raise ValueError(f"{called} is empty: {if_empty}")
    if not found.isprintable():
        raise ValueError(f"{called} has characters that cannot stand in a header")
    return found
