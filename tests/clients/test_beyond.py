"""The official client beyond the mock: with `shape`, its methods get answers that their models take."""

from __future__ import annotations

import inspect
import json

import httpx
import pytest
from brevo import Brevo
from brevo.core.api_error import ApiError
from pydantic import BaseModel

from mockserver import MockServer
from mockserver.beyond.catalogue import catalogue

#: Values for required arguments, by a word of their annotation; those that come first are looked for first.
VALUES = (("str", "x"), ("int", 1), ("float", 1.0), ("bool", True), ("Dict", {}), ("List", []))
#: What no client has, but the vendor's command line calls.
OF_THE_TOOL = {"getAccountInfo"}
OPERATIONS = {name: row for name, row in catalogue().items() if name not in OF_THE_TOOL}
GROUPS = sorted(name for name, value in vars(Brevo).items() if isinstance(value, property) and name != "o_auth")


def methods(client):
    """The methods of the client for operations of the service."""
    for name in GROUPS:
        for method_name, method in inspect.getmembers(getattr(client, name), inspect.ismethod):
            if not method_name.startswith("_"):
                yield f"{name}.{method_name}", method


def called(method):
    """What a method gives if it is called with a value for each argument that it needs."""
    needed = [row for row in inspect.signature(method).parameters.values() if row.default is row.empty]
    by_name = {row.name: value_for(row) for row in needed if row.kind is row.KEYWORD_ONLY}
    found = method(*(value_for(row) for row in needed if row.kind is not row.KEYWORD_ONLY), **by_name)
    return list(found) if inspect.isgenerator(found) else found


def value_for(parameter):
    return next((value for word, value in VALUES if word in str(parameter.annotation)), "x")


@pytest.fixture(scope="module")
def answered():
    """What the client has made of each answer beyond the mock, by the operation; None where it takes no body."""
    found, refused = {}, []
    with (
        MockServer(beyond="shape") as server,
        server.workspace("empty") as workspace,
        httpx.Client() as http,
    ):
        client = Brevo(api_key=workspace.api_key, base_url=workspace.url, httpx_client=http, max_retries=0)
        for name, method in methods(client):
            try:
                answer = called(method)
            except ApiError:
                answer = refused.append((name, workspace.requests.latest().beyond))
            told = workspace.requests.latest()
            if told.beyond is not None:
                found[told.operation] = answer
        # Operations of the mock may refuse these values.
        assert [name for name, beyond in refused if beyond is not None] == []
    return found


def test_official_client_calls_every_operation_beyond(answered):
    assert sorted(answered) == sorted(OPERATIONS)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_body_is_one_that_its_model_takes(answered, operation):
    found, body = answered[operation], OPERATIONS[operation].body

    if found is None:
        assert body in ("", "{}")
    elif isinstance(found, BaseModel):
        assert type(found).model_validate(json.loads(body))
    elif operation == "getInboundEmailAttachment":
        assert b"".join(found) == b"{}\n"  # whatever bytes there are
    else:
        assert found == json.loads(body)
