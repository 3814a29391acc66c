"""Another distribution with the same import package, whose files lie among those of this one."""

from __future__ import annotations

import sys
from pathlib import Path

from mockserver.settings.distribution import NAME

#: The other distribution, a client of another mock server.
OTHER = "mockserver-client"
_EXCLUDE = f"{NAME} and {OTHER} exclude each other, as both have the import package `mockserver`"
_ADVICE = f"uninstall both, and install the one that you need: pip uninstall -y {OTHER} {NAME}; pip install {NAME}"


def warning() -> str | None:
    """What is to be told where both distributions are installed, as a sentence; None if the other one is not."""
    packages = Path(__file__).parents[2]
    found = next(packages.glob(f"{OTHER.replace('-', '_')}-*.dist-info"), None)
    return None if found is None else f"{_EXCLUDE}, and both are installed here; {_ADVICE}"


def breakage() -> str | None:
    """Why the package cannot be used, as a sentence; None if its first file is its own, as it should be.

    Whichever distribution was installed last has written its `__init__.py` over that of the other, and whichever was
    uninstalled has taken it along.
    """
    package = sys.modules["mockserver"]
    if getattr(package, "__distribution__", None) == NAME:
        return None
    if package.__file__ is None:
        return f"mockserver/__init__.py is missing: {_EXCLUDE}, and uninstalling one breaks the other; {_ADVICE}"
    return warning() or f"{package.__file__} is not that of {NAME}: another distribution has replaced it; {_ADVICE}"
