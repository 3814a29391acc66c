"""The keyword arguments of handles, as types: editors complete their names, and type checkers find misspelt names.

Some repeat declarations of the server, because type checkers read annotations only; a test compares them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from mockserver.core.text.messages import nearest
from mockserver.testing.names import OperationName
from mockserver.testing.records import Policy, RecordState

__tracebackhide__ = True  # pytest shows the line of the test instead


class Filter(TypedDict, total=False):
    """A filter of the journal's exchanges; all given values must match."""

    #: The id of an operation, such as `createSender`; None: any operation.
    operation: OperationName | None
    #: The status of the answer.
    status: int
    #: The code of the error that was answered.
    code: str
    method: str
    #: A glob for the whole path, such as `/v3/senders/*`.
    path: str
    #: The id of the fault that changed the answer.
    fault: str
    #: A transition that the request caused, such as `sender.verify`.
    transition: str
    #: An optional field of query or body that was sent, such as `ips[].weight`.
    field: str
    #: Whether a fault holds the answer back, and the client waits for it.
    held: bool


class Pattern(TypedDict, total=False):
    """A request pattern for `Requests.verify`; all given values must match."""

    #: The id of an operation, or several ids; None: any operation.
    operation: OperationName | Sequence[OperationName] | None
    #: A method, or several methods.
    method: str | Sequence[str]
    #: A glob for the whole path, or a mapping of path parameters: `{"senderId": 2}`.
    path: str | Mapping[str, object]
    #: Parameters of the query.
    query: Mapping[str, object]
    #: A part of the request body: objects in the body may have further members. Lists must have the same length.
    json: Any
    #: The whole request body: no object in the body may have further members. Excludes `json`.
    json_exactly: Any
    headers: Mapping[str, object]
    #: The status of the answer.
    status: int
    #: The code of the error that was answered.
    code: str
    #: The id of the fault that changed the answer.
    fault: str


class FaultOptions(TypedDict, total=False):
    """Fault conditions and parameters; each fault takes some of these parameters."""

    #: How many matching requests pass before the first one fails.
    after: int
    #: The probability that a matching request fails, from 0 to 1.
    probability: float
    #: For how many seconds of the workspace's clock the fault applies.
    ttl_s: float
    #: Accept unknown operations, and codes that the operation never returns.
    force: bool
    #: The id of the fault; without it the server chooses one.
    id: str
    #: The error code.
    code: str
    #: The status of the answer, from 400 to 599.
    status: int
    #: The message of the error.
    message: str
    #: A delay in milliseconds.
    ms: float
    #: Random delays: `{"type": "lognormal", "median_ms": 90, "sigma": 0.4}`.
    distribution: Mapping[str, Any]
    #: In how many seconds the rate limit ends, as a header says.
    reset_s: int
    #: The TLS alert that refuses a handshake.
    alert: str
    #: The unknown members that an answer has besides.
    members: Mapping[str, Any]
    #: The names of members that an answer lacks.
    names: Sequence[str]
    #: Headers of the answer, as a proxy adds or replaces them.
    headers: Mapping[str, str]
    #: The body of the answer: text, or a JSON value.
    body: Any


class StubMembers(TypedDict, total=False):
    """The optional members of a stub."""

    #: A sequence of answers, of which the last is repeated.
    answers: Sequence[Mapping[str, Any]] | None
    #: The requests that are answered, by `query`, `json` and `headers`.
    match: Mapping[str, Any] | None
    #: How many requests are answered; without it, all.
    times: int | None
    #: The id of the stub; without it the server chooses one.
    id: str
    #: The fields of the request body that the operation knows.
    members: Sequence[str]
    #: Values that are stored, or deleted, by table and key.
    store: Mapping[str, Any] | Sequence[Mapping[str, Any]]
    #: Further effects in the workspace, such as e-mails and webhook events.
    effects: Sequence[Mapping[str, Any]]


class AppChange(TypedDict, total=False):
    """Changeable members of an OAuth app."""

    #: The client secret; None draws a new one, or makes a public app.
    client_secret: str | None
    #: The name that users see.
    name: str
    #: The addresses to which browsers may be redirected.
    redirect_uris: Sequence[str]
    scopes: Sequence[str]
    #: Whether users of every organization can grant access.
    public: bool
    #: The name of the account to which the app belongs.
    account: str


class AppMembers(AppChange, total=False):
    """The members of a new OAuth app: `AppChange` plus the id."""

    client_id: str


class DnsRecords(TypedDict, total=False):
    """The DNS records of a domain that `Dns.set` changes; None: unchanged."""

    #: `ok`, `missing`, `wrong` or `timeout`, as the other two records.
    brevo_code: RecordState | None
    dkim_record: RecordState | None
    dmarc_record: RecordState | None
    #: The policy of the DMARC record.
    dmarc_policy: Policy | None
    #: Whether the domain belongs to a provider of free mailboxes.
    free_mail: bool | None


class Units(TypedDict, total=False):
    """Time units for `Clock.advance`, named like the arguments of `timedelta`."""

    weeks: float
    days: float
    hours: float
    minutes: float
    seconds: float
    milliseconds: float
    microseconds: float


class CallOptions(TypedDict, total=False):
    """The content of a control call."""

    #: Query parameters; parameters that are None are left out.
    query: Mapping[str, Any] | None
    #: A value that is sent as JSON; None: no body.
    body: object
    #: A text of YAML that is sent instead.
    yaml: str | None
    headers: Mapping[str, str] | None


class ServerSettings(TypedDict, total=False):
    """The settings of a local server (`mockserver.Settings`)."""

    host: str
    port: int
    port_file: str | os.PathLike[str] | None
    scenarios: str | os.PathLike[str] | None
    replica: str | None
    store: str
    store_cache: int
    control_token: str | None
    control_token_file: str | os.PathLike[str] | None
    allowed_host: tuple[str, ...] | list[str]
    public_url: str | None
    log_format: str
    smtp_url: str | None
    smtp_in: str | None
    dns_resolver: str | None
    beyond: str
    behaviour: str
    stubs: tuple[str, ...] | list[str]
    egress: str
    forward_to: str | None
    forward_writes: bool
    forward_key: str | None
    forward_key_file: str | os.PathLike[str] | None
    tls: bool
    tls_port: int | None
    tls_name: tuple[str, ...] | list[str]
    tls_ca_file: str | os.PathLike[str] | None
    tls_cert: str | os.PathLike[str] | None
    tls_key: str | os.PathLike[str] | None
    workspaces_limit: int
    rows_limit: int
    documents_bytes_limit: int
    journal_limit: int
    journal_bytes_limit: int
    feed_limit: int
    feed_bytes_limit: int
    history_limit: int
    mailbox_limit: int
    mailbox_bytes_limit: int
    snapshots_limit: int
    snapshots_bytes_limit: int
    deliveries_limit: int
    deliveries_bytes_limit: int
    stored_bytes_limit: int
    receivers_limit: int
    receivers_bytes_limit: int
    lint_timeout: float
    forward_timeout: float
    forward_answer_limit: int
    body_limit: int
    bodies_limit: int
    answers_limit: int
    yaml_limit: int
    depth_limit: int
    body_timeout: float
    head_limit: int
    headers_limit: int
    head_timeout: float
    connections_limit: int


def refuse_unknown(function: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse unknown keyword arguments.

    Raises:
        TypeError: A name is unknown; the message has the most similar name.
    """
    for name in set(given) - set(known):
        raise TypeError(f"{function} has no argument {name!r}; {nearest(name, known)}")
