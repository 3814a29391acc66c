"""Replay failed tests from artifacts, and contract fixtures."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import datetime
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from mockserver.settings import files
from mockserver.testing.client import Client, MockServerError, body_of, reason
from mockserver.testing.handles.server import MockServer
from mockserver.testing.records import App, ControlCall, Exchange
from mockserver.views.record import read_all

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from mockserver.evidence.replay import ReceivedAnswer, Send

Step = Exchange | ControlCall

#: The value of secrets in a journal.
_REDACTED = "***"
#: A key of no account.
_NOBODYS = "nobodys-key"
#: The error codes for a malformed one-time code, each with a malformed value: too few digits, and no number.
_MALFORMED: dict[str, Any] = {"out_of_range": 1, "invalid_parameter": _REDACTED}
#: A verifier and its challenge (RFC 7636, appendix B), which replace the redacted ones of the test.
_PKCE = {
    "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
}
#: The headers that are not copied: those of the connection, those of the body, and credentials.
_LEFT_OUT = frozenset(
    {"host", "connection", "content-length", "transfer-encoding", "accept-encoding", "expect", "keep-alive", "te",
     "upgrade", "api-key", "authorization"}
)  # fmt: skip
#: How long a control call may take, in seconds: beyond the 600 that moving a clock may take.
_CONTROL_S = 660.0
#: How long a request may take beyond its time in the test, in seconds; chosen far above what an answer takes.
_SPARE_S = 10.0
#: How long to wait beyond that time if the test got no answer, in seconds.
_SILENT_S = 0.5
#: By how many seconds moments of a running clock may differ, beyond the time between the two requests.
_DRIFT_S = 2.0
#: How many differences of an answer are shown, and how many characters of each value.
_SHOWN, _SHOWN_SIGNS = 5, 200


class Replay:
    """A replay of a failed test: `server` gets a new workspace, `folder` has the artifacts of the test."""

    def __init__(self, server: MockServer, folder: Path) -> None:
        was = _read(folder, "test.json")["workspace"]["url"].removesuffix("/v3")
        #: The workspace, which begins in the state at the beginning of the test.
        self.workspace = server.workspace({**_read(folder, "state-before.json")})
        self._client = server.client
        self._client.timeout = _CONTROL_S
        #: The last value of each member of the answers, which a later request may send as a secret, and `client_id`.
        self._known: dict[str, Any] = dict(_PKCE)
        here = self.workspace.url.removesuffix("/v3")
        self._prefix = f"{urlsplit(server.client.url).path}/w/{self.workspace.name}"
        journal, calls = (_read(folder, name, was, here) for name in ("journal.json", "calls.json"))
        steps: list[Step] = [*read_all(Exchange, journal["items"]), *read_all(ControlCall, calls["items"])]
        #: The requests and control calls of the test in their order, except the call that has made the workspace.
        self.steps = sorted((row for row in steps if row.path != "/_mock/workspaces"), key=lambda row: row.real_at)
        #: How many of the oldest requests and control calls are missing, because the workspace has evicted them.
        self.evicted: int = journal["evicted"] + calls["evicted"]

    @property
    def requests(self) -> list[int]:
        """The numbers of the request steps, counted from 1."""
        return [number for number, step in enumerate(self.steps, 1) if isinstance(step, Exchange)]

    def differences(self, step: Step) -> Iterator[str]:
        return self._call(step) if isinstance(step, ControlCall) else self._request(step)

    def _call(self, call: ControlCall) -> Iterator[str]:
        if call.left_out:
            yield f"it was not made, as its body of {call.left_out:,} bytes was not kept"
            return
        body = {"yaml" if isinstance(call.body, str) else "body": _without_secrets(call.body)}
        try:
            answer = self._client.call(
                call.method, _target(call, call.query), headers={"X-Mock-Workspace": self.workspace.name}, **body
            )
            status, detail = answer.status, ""
        except MockServerError as error:
            if error.status is None:
                raise
            status, detail = error.status, f": {error.detail}"
        if status != call.status:
            yield f"{status} and not {call.status}{detail}"

    def _request(self, was: Exchange) -> Iterator[str]:
        status, detail = self._send(was)
        here = next(iter(self.workspace.requests.all(limit=1)), None) if status else None
        if status != was.status:
            detail = (here and here.reason) or detail
            yield f"{status or 'no answer'} and not {was.status or 'no answer'}{f': {detail}' if detail else ''}"
        elif was.answer and here and here.answer:
            drift = abs((here.at - was.at).total_seconds()) + _DRIFT_S
            found = list(_differences(was.answer.body, here.answer.body, drift))
            yield from found[:_SHOWN]
            if len(found) > _SHOWN:
                yield f"and {len(found) - _SHOWN:,} more"

    def _send(self, was: Exchange) -> tuple[int | None, str]:
        timeout = was.ms / 1000 + (_SILENT_S if was.status is None else _SPARE_S)
        form = parse_qsl(was.request.body) if isinstance(was.request.body, str) else ()
        self._known |= {name: value for name, value in (*was.query.items(), *form) if name == "client_id"}
        target = f"{self._prefix}{_target(was, self._filled(was.query, was))}"
        body, headers = self._body(was), self._headers(was)
        with closing(self._client.new_connection(timeout)) as connection:
            try:
                connection.request(was.method, target, body, headers)
                answer = connection.getresponse()
                self._learn(body_of(answer), answer.getheader("Location") or "")
            except (OSError, HTTPException, ValueError) as error:
                return None, reason(error)
        return answer.status, ""

    # ------------------------------------------------------------------ secrets, which the journal redacts

    def _learn(self, content: bytes, location: str) -> None:
        self._known |= parse_qsl(urlsplit(location).query)
        try:
            body = json.loads(content)
        except (ValueError, RecursionError):
            return
        if isinstance(body, dict):
            self._known |= {name: value for name, value in body.items() if isinstance(value, str)}

    def _headers(self, was: Exchange) -> dict[str, str]:
        sent = was.request.headers
        found = {name: value for name, value in sent.items() if name not in _LEFT_OUT and value != _REDACTED}
        if "api-key" in sent:
            found["api-key"] = self._key(was)
        if "authorization" in sent:
            found["authorization"] = self._authorization(was)
        return found

    def _authorization(self, was: Exchange) -> str:
        """Return app credentials for form bodies (OAuth token endpoint), otherwise an access token."""
        if not isinstance(was.request.body, str):
            return f"Bearer {self._secret('access_token', was)}"
        pair = f"{self._app.client_id if self._app else _REDACTED}:{self._secret('client_secret', was)}"
        return f"Basic {b64encode(pair.encode()).decode()}"

    @property
    def _app(self) -> App | None:
        """The OAuth app that a request has named last, or the first app."""
        apps = {app.client_id: app for app in self.workspace.apps.list()}
        return apps.get(self._known.get("client_id", ""), next(iter(apps.values()), None))

    def _key(self, was: Exchange) -> str:
        if was.account is None or any("is nobody's" in warning for warning in was.warnings):
            return _NOBODYS
        try:
            return self.workspace.key(was.account)
        except LookupError:
            return _NOBODYS

    def _body(self, was: Exchange) -> bytes | None:
        body = was.request.body
        if isinstance(body, str) and f"={_REDACTED}" in body:  # a form
            pairs = parse_qsl(body, keep_blank_values=True)
            body = "&".join(urlencode(self._filled({name: value}, was)) for name, value in pairs)
        elif body is not None and not isinstance(body, str):
            body = json.dumps(self._filled(body, was))
        return None if body is None else body.encode()

    def _filled(self, value: Any, was: Exchange) -> Any:
        if isinstance(value, list):
            return [self._filled(inner, was) for inner in value]
        if not isinstance(value, dict):
            return value
        return {
            name: self._secret(name, was) if inner == _REDACTED else self._filled(inner, was)
            for name, inner in value.items()
        }

    def _secret(self, name: str, was: Exchange) -> Any:
        if name == "otp" and was.operation == "validateSenderByOtp":
            return self._code(was)
        if was.status == HTTPStatus.UNAUTHORIZED:
            return _REDACTED
        if name == "client_secret" and self._app:
            return self._app.client_secret
        return self._known.get(name, _REDACTED)

    def _code(self, was: Exchange) -> Any:
        """Return the correct or a wrong one-time code, depending on the test's answer."""
        body = was.answer.body if was.answer else None
        code = str(body.get("code", "")) if isinstance(body, dict) else ""
        if code in _MALFORMED:
            return _MALFORMED[code]
        try:
            right = self.workspace.machines.get("sender", was.path.split("/")[-2]).secrets.get("otp")
        except MockServerError:
            right = None
        if right and (was.fault or (was.status or 0) < 400 or "expired" in code):
            return right
        return 100_000 if right != 100_000 else 100_001


def _without_secrets(value: Any) -> Any:
    """Return the body of a control call without redacted members, as the keys of a state, which are drawn again."""
    if isinstance(value, dict):
        return {name: _without_secrets(inner) for name, inner in value.items() if inner != _REDACTED}
    return list(map(_without_secrets, value)) if isinstance(value, list) else value


def title(step: Step) -> str:
    """Return a step of a test in a line: method, path, query, status."""
    return f"{step.method} {step.path}{_query(step.query)} {step.status or 'no answer'}"


def _target(step: Step, query: Mapping[str, Any]) -> str:
    return quote(step.path, safe="/%:@!$&'()*+,;=~") + _query(query)


def _query(query: Mapping[str, Any]) -> str:
    return f"?{urlencode(query, doseq=True)}" if query else ""


def _read(folder: Path, name: str, was: str = "", here: str = "") -> Any:
    return json.loads(files.read_text(folder / name).replace(was, here))


def _differences(was: Any, here: Any, drift: float, path: str = "") -> Iterator[str]:
    """Yield differences between two answers; moments may drift by `drift` seconds."""
    if isinstance(was, dict) and isinstance(here, dict):
        for name in {**was, **here}:
            yield from _differences(was.get(name), here.get(name), drift, f"{path}/{name}")
    elif isinstance(was, list) and isinstance(here, list) and len(was) == len(here):
        for number, (old, new) in enumerate(zip(was, here, strict=True)):
            yield from _differences(old, new, drift, f"{path}/{number}")
    elif was != here and not _are_near(was, here, drift):
        yield f"{path or 'the body'} is {_shown(here)} and not {_shown(was)}"


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHOWN_SIGNS else f"{text[:_SHOWN_SIGNS]}..."


def _are_near(was: Any, here: Any, drift: float) -> bool:
    try:
        return abs(datetime.fromisoformat(was).timestamp() - datetime.fromisoformat(here).timestamp()) <= drift
    except (TypeError, ValueError):
        return False


# ------------------------------------------------------------------ fixtures


def in_process() -> Send:
    from mockserver.app import create_app  # noqa: PLC0415  # with it comes Flask
    from mockserver.settings import Settings  # noqa: PLC0415  # see above

    return with_test_client(create_app(Settings(scenario="empty")).test_client())


def with_test_client(client: FlaskClient) -> Send:
    from mockserver.evidence.replay import ReceivedAnswer  # noqa: PLC0415  # needs the server's own libraries

    def send(method: str, path: str, headers: Mapping[str, str], body: bytes) -> ReceivedAnswer:
        answer = client.open(path, method=method, headers=dict(headers), data=body)
        return ReceivedAnswer(answer.status_code, dict(answer.headers), answer.data)

    return send


@contextmanager
def over_http(root: str, token: str | None = None) -> Iterator[Send]:
    """Return a function that sends requests to the server at a root address.

    They go to a temporary workspace, which does not count in the server's coverage.
    """
    from mockserver.evidence.replay import ReceivedAnswer  # noqa: PLC0415  # needs the server's own libraries

    client = Client(root, token)
    with_token = {"authorization": f"Bearer {token}"} if token else {}

    def send(method: str, path: str, headers: Mapping[str, str], body: bytes) -> ReceivedAnswer:
        extra = with_token if path.startswith("/_mock") else {}
        target = f"{urlsplit(root).path.rstrip('/')}/w/{name}{path}"
        with closing(client.new_connection()) as connection:
            connection.request(method, target, body or None, {**extra, **headers})
            answer = connection.getresponse()
            return ReceivedAnswer(answer.status, dict(answer.headers), body_of(answer))

    made = client.json("POST", "/_mock/workspaces", body={"scenario": "empty", "counted": False})
    try:
        name = made["name"]
    except (TypeError, LookupError) as error:
        raise MockServerError(None, f"no mock server answers at {root}: it makes no workspaces") from error
    try:
        yield send
    finally:
        client.json("DELETE", f"/_mock/workspaces/{name}")
