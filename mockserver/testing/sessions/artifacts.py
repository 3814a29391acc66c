"""The artifacts of a failed test: all that its workspace holds, read while the workspace is there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mockserver.testing.client import Client, MockServerError
from mockserver.testing.scenario import choice, sendable
from mockserver.testing.sessions.session import TestWorkspace
from mockserver.testing.sessions.traffic import Reader, Traffic

_YAML = "application/yaml"
#: How far a clock may be from real time that runs with it, in seconds; chosen: it is told to three digits.
_REAL_S = 0.01


class Artifacts(NamedTuple):
    """What is kept of the workspace of a failed test."""

    #: The workspace as the server describes it: `name`, `url`, `accounts` and more.
    about: Mapping[str, Any]
    traffic: Traffic
    #: Each e-mail as a MIME message, oldest first.
    messages: Sequence[str]
    coverage: Mapping[str, Any]
    #: The state in YAML, and as JSON, as it was made for the test; another workspace can be made of it.
    before: str
    before_document: Mapping[str, Any]
    #: The state in YAML when the test had failed.
    after: str


def gather(test: TestWorkspace) -> Artifacts:
    """Read the artifacts of a test, and make the workspace once more to see how it was before the test.

    Raises:
        MockServerError: the server does not answer, or the workspace is gone.
        OSError: the file of the scenario cannot be read any more.
        ValueError: that file is not YAML any more.
    """
    client, name = test.server.client, test.workspace.name
    reader = Reader(client, name)
    traffic = reader.traffic()
    about = client.json("GET", f"/_mock/workspaces/{name}")
    after = reader.text("/state", _YAML)
    before, document = _before(client, about, _body(test, reader.json("/state")["seed"]))
    return Artifacts(
        about=about,
        traffic=traffic,
        messages=[reader.text(f"/mailbox/{mail['id']}.eml", "message/rfc822") for mail in traffic.mails.items],
        coverage=reader.json("/coverage"),
        before=before,
        before_document=document,
        after=after,
    )


def _body(test: TestWorkspace, seed: int) -> dict[str, Any]:
    """The body of a call that makes the workspace of a test once more."""
    body = {**choice(sendable(test.scenario)), "seed": seed, "strict": test.strict or None}
    return {name: value for name, value in body.items() if value is not None}


def _before(client: Client, about: Mapping[str, Any], body: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The state that a workspace had when it was made, in YAML and as JSON, with the keys that it has."""
    twin = _twin(client, body)
    clock = twin["clock"]
    if abs(clock["offset_s"]) < _REAL_S and not clock["frozen"]:
        # Its clock is real time: the twin has to begin when the workspace has.
        _drop(client, twin)
        twin = _twin(client, {**body, "start": about["made_at"]})
    reader = Reader(client, twin["name"])
    try:
        written, document = reader.text("/state", _YAML), json.dumps(reader.json("/state"))
    finally:
        _drop(client, twin)
    for made, there in zip(twin["accounts"], about["accounts"], strict=False):
        if made["api_key"] and there["api_key"]:
            written = written.replace(made["api_key"], there["api_key"])
            document = document.replace(made["api_key"], there["api_key"])
    return written, json.loads(document)


def _twin(client: Client, body: Mapping[str, Any]) -> Mapping[str, Any]:
    made = client.json("POST", "/_mock/workspaces", body={**body, "counted": False})
    found: Mapping[str, Any] = client.json("GET", f"/_mock/workspaces/{made['name']}")
    return found


def _drop(client: Client, about: Mapping[str, Any]) -> None:
    try:
        client.json("DELETE", f"/_mock/workspaces/{about['name']}")
    except MockServerError as error:
        if error.status != 404:
            raise
