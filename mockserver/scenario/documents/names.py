"""The names of scenarios, as opposed to the paths of files."""

from __future__ import annotations

import os

#: How the names of files with scenarios end.
SUFFIXES = (".yaml", ".yml")
_SEPARATORS = tuple(filter(None, {"/", os.sep, os.altsep}))


def is_name(name: str) -> bool:
    """Whether a text is the name of a scenario rather than a path."""
    return not name.endswith(SUFFIXES) and not any(sign in name for sign in _SEPARATORS)
