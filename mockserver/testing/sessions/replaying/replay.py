"""The requests of a test, sent again to a workspace that is like that of the test."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from .differences import differences, seconds
from .redacted import REDACTED, Secrets
from .server import Server
from .steps import Step, target_of

#: Headers that are not sent as they were: those of the connection, those that the body gives, and credentials.
_LEFT_OUT = frozenset(
    {"host", "connection", "content-length", "transfer-encoding", "accept-encoding", "expect", "keep-alive", "te",
     "upgrade", "api-key", "authorization"}
)  # fmt: skip
#: How long a request may take beyond what it has taken in the test, in seconds; chosen far above what an answer takes.
_SPARE_S = 10.0
#: How long to wait for an answer that the test has not got either, beyond the time that it has waited, in seconds.
_SILENT_S = 0.5
#: By how many seconds moments of a running clock may differ, beyond what lies between the two requests.
_DRIFT_S = 2.0
#: How many differences of an answer are told.
_SHOWN = 5


class Replay:
    """Sends the requests of a test to a workspace that is like that of the test."""

    def __init__(self, server: Server, was: Mapping[str, Any], made: Mapping[str, Any]) -> None:
        self._server = server
        #: The workspace of the test, and the one that was made here.
        self._was, self._made = was, made
        self._name = str(made["name"])
        self._secrets = Secrets(server, self._name)

    def step(self, step: Step) -> Iterator[str]:
        """Do a step again; sentences about what is different from the test."""
        if step.is_control:
            yield from self._call(step.item)
        else:
            yield from self._request(step.item)

    def _call(self, item: Mapping[str, Any]) -> Iterator[str]:
        if item.get("left_out"):
            yield f"it was not made, as its body of {item['left_out']:,} bytes was not kept"
            return
        path = target_of(item).removeprefix("/_mock")
        answer = self._server.control(item["method"], path, self._here(item["body"]), self._name)
        if answer.status != item["status"]:
            detail = answer.body.get("detail") if isinstance(answer.body, dict) else None
            yield f"{answer.status} and not {item['status']}{f': {detail}' if detail else ''}"

    def _request(self, item: Mapping[str, Any]) -> Iterator[str]:
        waited = item["ms"] / 1000
        timeout = waited + (_SILENT_S if item["status"] is None else _SPARE_S)
        answer = self._server.send(
            item["method"], f"{self._prefix}{target_of(item)}", self._headers(item), self._body(item), timeout
        )
        self._secrets.learn(answer)
        here = self._server.control("GET", "/requests?limit=1", workspace=self._name).body["items"]
        if item["status"] != answer.status:
            yield f"{_status(answer.status)} and not {_status(item['status'])}{_error(answer.body)}"
        elif item["answer"] and here and here[0]["answer"]:
            drift = abs(seconds(here[0]["at"]) - seconds(item["at"])) + _DRIFT_S
            yield from self._differences(item["answer"]["body"], here[0]["answer"]["body"], drift)

    def _differences(self, was: Any, here: Any, drift: float) -> Iterator[str]:
        found = list(differences(self._here(was), here, drift))
        yield from found[:_SHOWN]
        if len(found) > _SHOWN:
            yield f"and {len(found) - _SHOWN:,} more"

    @property
    def _prefix(self) -> str:
        """What comes before `/v3` in addresses of the workspace."""
        return urlsplit(str(self._made["url"])).path.removesuffix("/v3")

    def _here(self, value: Any) -> Any:
        """A value of the test with the addresses of this server, and the name of this workspace."""
        if isinstance(value, dict):
            return {name: self._here(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self._here(inner) for inner in value]
        if isinstance(value, str):
            root = str(self._made["url"]).removesuffix("/v3")
            return value.replace(str(self._was["url"]).removesuffix("/v3"), root)
        return value

    def _headers(self, item: Mapping[str, Any]) -> dict[str, str]:
        sent = {name.lower(): value for name, value in item["request"]["headers"].items()}
        found = {name: value for name, value in sent.items() if name not in _LEFT_OUT and value != REDACTED}
        if "api-key" in sent:
            found["api-key"] = self._secrets.key(item)
        if "authorization" in sent:
            found["authorization"] = f"Bearer {self._secrets.token()}"
        return found

    def _body(self, item: Mapping[str, Any]) -> bytes | None:
        body = self._here(item["request"]["body"])
        if body is None:
            return None
        if isinstance(body, str):
            return self._secrets.form(body).encode()
        return json.dumps(self._secrets.filled(body, item)).encode()


def _status(status: int | None) -> str:
    return "no answer" if status is None else str(status)


def _error(body: Any) -> str:
    """The error of an answer, as the end of a sentence; empty if it is none."""
    return f": {body['code']}: {body.get('message')}" if isinstance(body, dict) and "code" in body else ""
