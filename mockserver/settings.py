"""Settings of a server, from MOCKSERVER_* and flags; and where the shipped data lie."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

#: The largest request body that is read, in bytes; ledger 1.1, proposed.
BODY_LIMIT = 10 * 1024 * 1024

_PACKAGE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Settings:
    """How one server runs."""

    host: str = "127.0.0.1"
    port: int = 8003
    port_file: str | None = None
    scenario: str = "standard"
    scenarios: str | None = None
    keys: str = "any"
    seed: int | None = None
    mailbox_limit: int = 1000


def data_folder(name: str) -> Path:
    """The folder `scenarios` or `fixtures`: beside the package in a checkout, inside it in a wheel."""
    inside = _PACKAGE / "_data" / name
    return inside if inside.is_dir() else _PACKAGE.parent / name
