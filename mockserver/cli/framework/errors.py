"""How a command ends that cannot do what it was asked."""

from __future__ import annotations

import sys
from typing import NoReturn


class Misused(Exception):
    """A command was given what it cannot take; the program prints the message as an error, and exits with 2."""


def fail(message: str) -> NoReturn:
    """Print a message on standard error, and exit with 1: a check has failed, or a server does not answer."""
    print(message, file=sys.stderr, flush=True)
    sys.exit(1)
