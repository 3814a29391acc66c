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
    #: What the control API asks for; an empty one is refused.
    control_token: str | None = None
    #: A file that holds it.
    control_token_file: str | None = None
    #: Names under which browsers may reach the control API, beside those that can only be ours; `.acme.com` stands for
    #: all below it, `*` for all names.
    allowed_host: tuple[str, ...] = ()
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
    rows_limit: int = 250_000
    journal_limit: int = 1_000
    #: In bytes.
    journal_bytes_limit: int = 4 * 1024 * 1024
    feed_limit: int = 1_000
    feed_bytes_limit: int = 4 * 1024 * 1024
    mailbox_limit: int = 1_000
    mailbox_bytes_limit: int = 16 * 1024 * 1024
    snapshots_limit: int = 100
    snapshots_bytes_limit: int = 64 * 1024 * 1024
    deliveries_limit: int = 20_000
    deliveries_bytes_limit: int = 64 * 1024 * 1024
    receivers_limit: int = 10_000
    receivers_bytes_limit: int = 64 * 1024 * 1024
    #: The largest request body that is read, in bytes; ledger 1.1, proposed.
    body_limit: int = 10 * 1024 * 1024
    #: The same for YAML, which the control API reads.
    yaml_limit: int = 9 * 1024 * 1024
    #: How many objects and arrays may stand in each other in the body of a control call.
    depth_limit: int = 100
    #: Of a request's line and its headers together, in bytes.
    head_limit: int = 64 * 1024
    headers_limit: int = 2_000
    #: How long a head, and then a body, may take to come in, in seconds.
    head_timeout: float = 30.0
    body_timeout: float = 60.0
    connections_limit: int = 1_000


def without_version(url: str) -> str:
    """The root address of a server, of which perhaps the address of its API is given, which ends in `/v3`."""
    return url.rstrip("/").removesuffix("/v3").rstrip("/")


def data_folder(name: str) -> Path:
    """The folder `scenarios`, `fixtures` or `docs`: beside the package in a checkout, inside it in a wheel."""
    inside = _PACKAGE / "_data" / name
    return inside if inside.is_dir() else _PACKAGE.parent / name
