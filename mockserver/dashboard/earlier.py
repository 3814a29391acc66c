"""The earlier requests and control calls of a workspace, as lines of a test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from mockserver.core.traffic.causes import CallRecord
from mockserver.core.traffic.exchange import Exchange
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard.curl import Sent, json_of, of_call, of_exchange
from mockserver.web.schemas import json_text

#: The most steps that a test repeats. Chosen: more than anybody reads.
MOST = 500
#: The methods that change nothing.
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
#: From how many seconds on a pause between two steps is repeated as a move of the clock.
_PAUSE_S = 5.0
#: The operation that has a one-time code.
VERIFY = "validateSenderByOtp"
#: Values of a malformed one-time code, by the code of the error.
_MALFORMED: dict[str, Any] = {"out_of_range": 1, "invalid_parameter": "***", "missing_parameter": None}
#: Functions of a test: for requests of an account and control calls, and for one-time codes.
HELPERS = (
    "    def send(account, method, path, headers=None, **given):",
    "        url, key = mockserver.url.removesuffix('/v3'), mockserver.key(account)",
    "        headers = {**(headers or {}), 'api-key': key}",
    "        requests.request(method, url + path, headers=headers, timeout=10, **given)",
    "",
    "    def control(method, path, **given):",
    "        headers = {'X-Mock-Workspace': mockserver.name}",
    "        mockserver_server.client.call(method, f'/_mock{path}', headers=headers, **given)",
    "",
)
CODE_HELPER = (
    "    def code(sender, is_right=True):",
    "        rows = mockserver.machines.instances('sender')",
    "        right = next((row.secrets.get('otp') for row in rows if str(row.key) == sender), None) or 100000",
    "        return right if is_right else 100000 if right != 100000 else 100001",
    "",
)


class Code(str):
    """An expression to write unquoted."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class Earlier(NamedTuple):
    """Lines that repeat earlier steps, and comments on what they lack."""

    lines: Sequence[str] = ()
    notes: Sequence[str] = ()


def earlier_steps(workspace: Workspace, target: Exchange) -> Sequence[Exchange | CallRecord]:
    """Return the steps before a request that it may need, oldest first. The workspace is open."""
    if target.status == 401 or (target.operation is None and target.beyond is None):
        return []  # refused before the state matters
    is_limited = target.status == 429 and target.fault is None
    steps: list[Exchange | CallRecord] = [
        row for row in workspace.journal if row.real_at <= target.real_at and row is not target
    ]
    # The journal and the calls are each in their order; a request that came at the same moment stays before a call.
    steps = [row for row in reversed(steps) if is_limited or not isinstance(row, Exchange) or _matters(row)]
    calls = [row for row in reversed(tuple(workspace.calls)) if row.real_at <= target.real_at and _is_repeated(row)]
    return sorted([*steps, *calls], key=lambda row: row.real_at)


def _matters(row: Exchange) -> bool:
    if row.account is None or row.status == 401:
        return False
    if row.operation == VERIFY and row.fault is None:
        return True  # wrong codes are counted
    has_changed = bool(row.transitions) or (row.method not in _READING and (row.status or 500) < 400)
    return has_changed or (row.fault_kind == "lost_answer" and row.method not in _READING)


def _is_repeated(call: CallRecord) -> bool:
    path = call.path.removeprefix("/_mock")
    # The rules of faults change what earlier requests did, and the test has the rule that hit its request.
    return call.status < 400 and not path.startswith(("/workspaces", "/faults"))


def earlier(workspace: Workspace, target: Exchange) -> Earlier:
    """Write the steps before a request as lines of a test."""
    steps = earlier_steps(workspace, target)
    evicted = workspace.journal.evicted + workspace.calls.evicted
    start, keys = workspace.state.clock.start, dict(workspace.state.keys)
    names = {identifier: row.name for identifier, row in workspace.state.accounts.items()}
    notes = [f"{evicted:,} older requests and calls are not kept: what they did is missing."] if evicted else []
    if len(steps) > MOST:
        notes.append(f"{len(steps) - MOST:,} older requests and calls are left out: what they did is missing.")
    lines: list[str] = []
    owners = {key: names[account] for key, account in keys.items() if account in names}
    pauses = _Pauses(start)
    for step in steps[-MOST:]:
        lines += pauses.before(step)
        written = _request(step) if isinstance(step, Exchange) else _call(step, owners)
        if written.startswith("#"):
            notes.append(written.removeprefix("# "))
        else:
            lines.append(written)
    return Earlier([*lines, *pauses.before(target)], notes)


class _Pauses:
    """The time that passed between steps while the clock ran."""

    def __init__(self, start: datetime) -> None:
        self._at, self._real_at = start, None

    def before(self, step: Exchange | CallRecord) -> Iterator[str]:
        passed = (step.at - self._at).total_seconds()
        if self._real_at is not None:
            real = step.real_at - self._real_at
            passed = real if passed >= real - 1 else 0.0  # a clock that stands shows less
        elif isinstance(step, CallRecord):
            passed = 0.0  # it may have moved the clock by itself
        if passed >= _PAUSE_S:
            yield f"control('POST', '/clock/advance', body={{'seconds': {passed:.0f}}})"
        if passed >= _PAUSE_S or self._real_at is None or passed == 0.0:
            self._at, self._real_at = step.at, step.real_at

    _real_at: float | None


def _request(row: Exchange) -> str:
    sent = of_exchange(row)
    given = [repr(row.account), repr(sent.method), repr(sent.target)]
    headers = {name: value for name, value in sent.headers.items() if name not in ("content-type", "x-mock-fault")}
    value = with_code(row, json_of(sent))
    if isinstance(value, (dict, list)):
        given.append(f"json={value!r}")
    elif sent.body:
        given.append(f"data={sent.body!r}")
        headers |= {name: value for name, value in sent.headers.items() if name == "content-type"}
    if headers:
        given.append(f"headers={ {name: value.encode('latin-1', 'replace') for name, value in headers.items()}!r}")
    return f"send({', '.join(given)})"


def _call(call: CallRecord, owners: dict[str, str]) -> str:
    sent, path = of_call(call), call.path.removeprefix("/_mock")
    if call.left_out:
        return f"# {call.method} {call.path} is missing: its body was too large to keep."
    if path == "/keys/revoke":
        return _revocation(call, owners)
    query = f"?{sent.query}" if sent.query else ""
    given = [repr(sent.method), repr(path + query), *_content(sent)]
    return f"control({', '.join(given)})"


def _content(sent: Sent) -> Iterator[str]:
    if sent.body:
        try:
            yield f"body={json_text.read(sent.body)!r}"
        except json_text.JsonError:
            yield f"yaml={sent.body.decode(errors='replace')!r}"


def _revocation(call: CallRecord, owners: dict[str, str]) -> str:
    body = json_text.read(call.body)
    name = body.get("account") or owners.get(body.get("key"))
    if name is None:
        return f"# {call.method} {call.path} is missing: the key belongs to no account any more."
    key = "" if "account" in body and "key" not in body else f"mockserver.key({name!r})"
    return f"mockserver.revoke_key({key or f'account={name!r}'})"


def with_code(row: Exchange, value: Any) -> Any:
    """Replace a redacted one-time code by an expression that gives a right or a wrong one, as the answer tells."""
    if row.operation != VERIFY or not isinstance(value, dict) or value.get("otp") != "***":
        return value
    if row.code in _MALFORMED:
        return {**value, "otp": _MALFORMED[row.code]}
    is_right = row.fault or (row.status or 0) < 400 or "expired" in f"{row.code} {row.reason}"
    return {**value, "otp": Code(f"code({row.path.split('/')[3]!r}{'' if is_right else ', is_right=False'})")}
