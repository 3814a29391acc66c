"""Settings of a server, from MOCKSERVER_* and flags; and where the shipped data lie."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

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
    control_token: str | None = None
    log_format: str = "off"
    #: `smtp://[user:password@]host:port`, or `smtps://`: e-mails go there as well.
    smtp_url: str | None = None
    #: `host:port`: mails are taken there; port 0 is a free one, which `health` tells.
    smtp_in: str | None = None
    #: `host:port`: asked where `behaviour.dns` is `resolver`.
    dns_resolver: str | None = None
    #: How far calls may go: `loopback`, `private` or `any`.
    egress: str = "private"
    workspaces_limit: int = 1_000
    journal_limit: int = 1_000
    #: In bytes.
    journal_bytes_limit: int = 4 * 1024 * 1024
    mailbox_limit: int = 1_000
    snapshots_limit: int = 100
    deliveries_limit: int = 20_000
    #: The largest request body that is read, in bytes; ledger 1.1, proposed.
    body_limit: int = 10 * 1024 * 1024
    #: The same for YAML, which the control API reads.
    yaml_limit: int = 9 * 1024 * 1024
    #: How many objects and arrays may stand in each other in the body of a control call.
    depth_limit: int = 100


def data_folder(name: str) -> Path:
    """The folder `scenarios` or `fixtures`: beside the package in a checkout, inside it in a wheel."""
    inside = _PACKAGE / "_data" / name
    return inside if inside.is_dir() else _PACKAGE.parent / name
