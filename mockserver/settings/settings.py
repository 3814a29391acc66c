"""The settings of a server.

A new setting is a field of `Settings`; its flag, its environment variable and its row of the README follow from it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from urllib.parse import urlsplit

from mockserver.settings.declaration import (
    Choice,
    Declaration,
    Declared,
    Int64,
    PathType,
    PublicUrl,
    ReplicaName,
    ScenarioReference,
    Seconds,
    Secret,
    StoreReference,
    Text,
    Texts,
    WholeNumber,
    YesOrNo,
    limit,
    public_root,
    setting,
)
from mockserver.settings.files import secret_of

#: Units of the settings that are in bytes.
_KB = 1024
_MB = 1024 * _KB

_TEXT, _SECONDS = Text(), Seconds()
#: How many of something there may be; at least one, because a server without room for any cannot do its work.
_COUNT = WholeNumber(1)


@dataclass(frozen=True)
class Settings:
    """How one server runs.

    Raises:
        TypeError: A setting is of another type; the message names the setting and what it takes.
        ValueError: A setting is out of range; the message names the setting and the range.
    """

    host: str = setting("127.0.0.1", _TEXT, "Address to listen on.")
    port: int = setting(8003, WholeNumber(0, 65_535), "Port to listen on; 0 takes a free one.")
    port_file: str | os.PathLike[str] | None = setting(None, PathType(folder=False), "Write the port there.")
    scenario: str | Mapping[str, object] = setting(
        "standard", ScenarioReference(), "What the workspace looks like at the start.", metavar="NAME|PATH"
    )
    scenarios: str | os.PathLike[str] | None = setting(
        None,
        PathType(file=False, exists=True),
        "A folder of scenarios, searched before the shipped ones.",
        metavar="DIR",
    )
    keys: str = setting(
        "any",
        Choice(("any", "known", "isolate")),
        "Whether an unknown API key opens the first account, is refused, or gets a separate workspace.",
    )
    replica: str | None = setting(
        None,
        ReplicaName(),
        "Name of this server behind a load balancer; generated names and keys contain it.",
        metavar="NAME",
    )
    store: str = setting(
        "memory",
        StoreReference(),
        "Where workspaces are kept: in memory, and gone with the server; in a file of SQLite, which the next start "
        "continues; or in Redis or Valkey, which several servers share (rediss:// for TLS).",
        metavar="memory|sqlite:PATH|redis://HOST:PORT",
    )
    store_cache: int = setting(
        200,
        _COUNT,
        "How many workspaces of a store are in memory at once, unless more are busy; the others are read when they are "
        "used.",
    )
    seed: int | None = setting(None, Int64(-(2**63), 2**63 - 1), "Another seed than the scenario's.")
    #: An empty token is refused when the server starts: it was meant to protect something.
    control_token: str | None = setting(None, Secret(), "Token that the control API requires.", metavar="TOKEN")
    control_token_file: str | os.PathLike[str] | None = setting(None, PathType(), "A file with it.", metavar="FILE")
    allowed_host: tuple[str, ...] | list[str] = setting(
        (),
        Texts(),
        "Further host name for the control API and for pages that call /v3; .acme.com allows all sub-domains, * every "
        "name of the server, but no further page. Can be given several times, or with commas.",
        metavar="NAME",
    )
    public_url: str | None = setting(
        None,
        PublicUrl(),
        "The address by which clients reach this server, where a proxy ends TLS or adds a prefix: it begins every "
        "address that the server writes, and its host is allowed.",
        metavar="URL",
    )
    log_format: str = setting(
        "off",
        Choice(("text", "json", "off")),
        "How a line for each request is written to stderr; warnings are written in any case.",
        flag_default="text",
    )
    smtp_url: str | None = setting(
        None,
        _TEXT,
        "A server to which e-mails go as well; smtps:// speaks TLS from the start, smtp:// where the server offers it.",
        metavar="smtp://[USER:PASSWORD@]HOST:PORT",
    )
    #: With port 0 the answer of `health` tells the port that was taken.
    smtp_in: str | None = setting(None, _TEXT, "Address for e-mails by SMTP; port 0: a free one.", metavar="HOST:PORT")
    dns_resolver: str | None = setting(None, _TEXT, "The server for behaviour.dns: resolver.", metavar="HOST:PORT")
    beyond: str = setting(
        "refuse",
        Choice(("refuse", "shape", "forward")),
        "Answer to an operation that the mock lacks, if neither a stub nor the scenario decides: 404, the documented "
        "status with the smallest valid body, or what --forward-to answers.",
    )
    behaviour: str = setting(
        "documented",
        Choice(("documented", "recorded")),
        "The preset of behaviour of scenarios that name none: as the specification and documents say, or as observed "
        "live where it was.",
    )
    stubs: tuple[str, ...] | list[str] = setting(
        (),
        Texts(),
        "A stub library, by name or path, whose stubs each workspace has behind its own. Can be given several times, "
        "or with commas.",
        metavar="NAME|PATH",
    )
    egress: str = setting("private", Choice(("loopback", "private", "any")), "How far calls may go.")
    forward_to: str | None = setting(
        None,
        _TEXT,
        "Where calls go that this mock has no answer for, with beyond forward: the root address of another mock, or, "
        "with --egress any and a key, of the service.",
        metavar="URL",
    )
    forward_writes: bool = setting(False, YesOrNo(), "Forward also what may change something: not only GET and HEAD.")
    #: Never shown; an empty one is refused when the server starts, as calls were meant to have one.
    forward_key: str | None = setting(
        None, Secret(), "The API key of forwarded calls. Another mock gets the key any without it.", metavar="KEY"
    )
    forward_key_file: str | os.PathLike[str] | None = setting(
        None, PathType(), "File with the key of forwarded calls.", metavar="FILE"
    )

    tls: bool = setting(
        False,
        YesOrNo(),
        "Speak TLS, with a certificate of an authority that is made at the start; mockserver ca prints what clients "
        "have to trust.",
    )
    tls_port: int | None = setting(None, WholeNumber(0, 65_535), "Speak TLS there, and HTTP at --port; 0: a free one.")
    tls_name: tuple[str, ...] | list[str] = setting(
        (),
        Texts(),
        "A name or an address for the certificate, beside api.brevo.com, those of this machine and those that are "
        "nobody else's. Can be given several times, or with commas.",
        metavar="NAME",
    )
    tls_ca_file: str | os.PathLike[str] | None = setting(
        None, PathType(folder=False), "Write the certificate of the authority there.", metavar="FILE"
    )
    tls_cert: str | os.PathLike[str] | None = setting(
        None,
        PathType(),
        "Your certificate with its chain, in PEM, instead of a generated one.",
        metavar="FILE",
    )
    tls_key: str | os.PathLike[str] | None = setting(
        None, PathType(), "Key of your certificate, in PEM, if it is in another file.", metavar="FILE"
    )

    # ------------------------------------------------------------------ what is kept
    #
    # The numbers are chosen, not measured: far above what a test suite needs, and such that one workspace which is full
    # in every respect takes some hundred megabytes.

    #: The flag takes 2 at least: a server of one workspace would drop it whenever another one is made.
    workspaces_limit: int = limit(
        1_000, WholeNumber(1, least_of_flag=2), "How many workspaces there may be.", "The one idle longest is evicted."
    )
    #: The flag takes no less than the 200,000 rows that one scenario may generate; a program may set less, so that a
    #: test can see what happens where there is no room.
    rows_limit: int = limit(
        250_000,
        WholeNumber(1, least_of_flag=200_000),
        "How many rows a workspace holds: accounts, senders, tokens, keys and all else that has no limit of its own.",
        "out_of_range, 409 on /_mock; the oldest entry of a log goes.",
    )
    documents_bytes_limit: int = limit(
        256 * _MB,
        _COUNT,
        "How many bytes the documents take of which a workspace is made, what is seeded included.",
        "400, 409 for what is seeded.",
    )
    journal_limit: int = limit(
        1_000,
        _COUNT,
        "How many requests a workspace's journal keeps; beside it as many control calls and fired timers, and ten "
        "times as many links of cause.",
        "The oldest is dropped.",
    )
    journal_bytes_limit: int = limit(
        4 * _MB,
        _COUNT,
        "How many bytes a workspace's journal keeps; beside it as many of control calls, and of fired timers.",
        "The oldest is dropped.",
    )
    feed_limit: int = limit(1_000, _COUNT, "How many events a workspace keeps to stream.", "The oldest is dropped.")
    feed_bytes_limit: int = limit(4 * _MB, _COUNT, "How many bytes they may have.", "The oldest is dropped.")
    history_limit: int = limit(1_000, _COUNT, "How many transitions a workspace keeps.", "The oldest is dropped.")
    mailbox_limit: int = limit(
        1_000,
        _COUNT,
        "How many e-mails a workspace keeps, and how many received ones beside them.",
        "The oldest is dropped.",
    )
    mailbox_bytes_limit: int = limit(
        16 * _MB,
        _COUNT,
        "How many bytes of e-mails a workspace keeps, and how many of received ones beside them.",
        "The oldest is dropped; attachments that come with more than a quarter of it are not kept.",
    )
    snapshots_limit: int = limit(100, _COUNT, "How many snapshots a workspace keeps.", "409")
    snapshots_bytes_limit: int = limit(64 * _MB, _COUNT, "How many bytes of snapshots a workspace keeps.", "409")
    deliveries_limit: int = limit(20_000, _COUNT, "How many calls an account keeps.", "The oldest settled is dropped.")
    deliveries_bytes_limit: int = limit(
        64 * _MB,
        _COUNT,
        "How many bytes of calls a workspace keeps.",
        "The oldest settled one is dropped; a payload of more than a quarter of it is not kept.",
    )
    stored_bytes_limit: int = limit(
        128 * _MB,
        _COUNT,
        "How many bytes the contacts of a workspace and the values that its stubs store take.",
        "out_of_range",
    )
    receivers_limit: int = limit(
        10_000, _COUNT, "How many calls all receivers of a workspace keep.", "The oldest is dropped."
    )
    receivers_bytes_limit: int = limit(
        64 * _MB, _COUNT, "How many bytes of calls all receivers of a workspace keep.", "The oldest is dropped."
    )

    # ------------------------------------------------------------------ what comes back from outside
    #
    # Both are chosen: the time as the one that many clients wait, the bytes as those of a body that comes in.

    lint_timeout: float = limit(
        10.0, _SECONDS, "How many seconds a client may wait for the answer of a hanging request.", "A finding of lint."
    )
    forward_timeout: float = limit(10.0, _SECONDS, "How many seconds a forwarded call may take.", "502")
    forward_answer_limit: int = limit(10 * _MB, _COUNT, "How many bytes the answer to such a call may have.", "502")

    # ------------------------------------------------------------------ what a request may hold
    #
    # But for the body's own limit, the numbers are chosen: far above what honest clients send.

    #: contract/transport, proposed.
    body_limit: int = limit(10 * _MB, _COUNT, "How many bytes the body of a request may have.", "413")
    bodies_limit: int = limit(
        128 * _MB,
        _COUNT,
        "How many bytes the bodies of all requests may have together, until they are answered.",
        "They wait; of a client that has sent nothing for a second, the request is refused with 503.",
    )
    answers_limit: int = limit(
        256 * _MB,
        _COUNT,
        "How many bytes of answers may wait for their clients to read them.",
        "The connection ends whose client has read nothing for longest.",
    )
    #: Less than a body of JSON, because YAML takes far longer to read; the largest shipped scenario fits, written out.
    yaml_limit: int = limit(9 * _MB, _COUNT, "How many bytes a body of YAML may have, of the control API.", "413")
    #: At most 200, chosen far below the 1,000 nested calls that Python allows: bodies are read recursively.
    depth_limit: int = limit(100, WholeNumber(10, 200), "How many levels the body of a control call may have.", "400")
    body_timeout: float = limit(60.0, _SECONDS, "How many seconds a body may take.", "408, and the connection ends.")
    head_limit: int = limit(
        64 * _KB,
        _COUNT,
        "How many bytes a request's line and headers may have.",
        "431, and the connection ends.",
    )
    headers_limit: int = limit(2_000, _COUNT, "How many headers a request may have.", "431, and the connection ends.")
    head_timeout: float = limit(
        30.0, _SECONDS, "How many seconds line and headers may take to come in.", "408, and the connection ends."
    )
    connections_limit: int = limit(
        1_000,
        _COUNT,
        "How many connections there may be at once.",
        "The longest idle connection is closed; if none is idle, the new one gets 503. The log tells of both.",
    )

    @property
    def public_root(self) -> str | None:
        """The root address that the server writes, without a slash at its end, or None for that of each request."""
        return None if self.public_url is None else public_root(self.public_url)

    @property
    def allowed_names(self) -> tuple[str, ...]:
        """The names of `allowed_host`, and the host of the public address."""
        return (*self.allowed_host, *filter(None, [urlsplit(self.public_root or "").hostname]))

    def __post_init__(self) -> None:
        for row in declared():
            value = getattr(self, row.name)
            if value is not None or row.default is not None:
                row.declaration.type.check(row.name, value)


def token_of(settings: Settings) -> str | None:
    """Return the control token of the settings, or None if control calls need no token.

    Raises:
        ValueError: the token is empty, cannot be sent in a header, is given twice, or its file cannot be read.
    """
    return secret_of(
        settings.control_token,
        settings.control_token_file,
        "the control token",
        if_empty="it would open the control API to all; leave it out if that is meant",
    )


def declared() -> Iterator[Declared]:
    for row in fields(Settings):
        yield Declared(row.name, row.default, row.metadata[Declaration])
