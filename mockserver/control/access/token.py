"""The control token, given as a setting, or in a file so that it does not show in the list of processes."""

from __future__ import annotations

import os
from pathlib import Path

from mockserver.settings import Settings


def token_of(settings: Settings) -> str | None:
    """The token that the control API asks for, or None if it asks for none.

    Raises:
        ValueError: the token is empty, cannot be sent in a header, is given twice, or its file cannot be read.
    """
    token, file = settings.control_token, settings.control_token_file
    if token is not None and file is not None:
        raise ValueError("the control token is given twice: by itself, and in a file")
    if file is not None:
        return _checked(_read(file), f"the control token in {file}")
    return None if token is None else _checked(token, "the control token")


def _read(file: str | os.PathLike[str]) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"cannot read the control token in {file}: it is not UTF-8") from error
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read the control token in {file}: {getattr(error, 'strerror', error)}") from error


def _checked(token: str, called: str) -> str:
    found = token.strip()
    if not found:
        raise ValueError(f"{called} is empty: it would open the control API to all; leave it out if that is meant")
    if not found.isprintable():
        raise ValueError(f"{called} has characters that cannot stand in a header")
    return found
