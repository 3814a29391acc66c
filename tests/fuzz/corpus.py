"""The valid requests that a fuzzing session starts from: those of the contract, and a call of every kind."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import yaml

from mockserver.app.control_api import CONTROL_API
from mockserver.evidence.fixture import cases
from mockserver.resources.registry import ALL_OPERATIONS, API_OPERATIONS, LIFECYCLES
from mockserver.settings import data_folder

#: The scenario, and the parts of requests, by name.
DATA = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
JSON, YAML, FORM = "application/json", "application/yaml", "application/x-www-form-urlencoded"


@dataclass(slots=True)
class Draft:
    """What is going to be sent."""

    method: str
    path: str
    query: list[tuple[str, str]] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    #: A value to be written as `media` says; None: there is no body.
    body: Any = None
    media: str = JSON


@dataclass(frozen=True, slots=True)
class Sent:
    """A request in bytes."""

    method: str
    #: Percent-encoded, without the query.
    path: str
    query: str
    headers: dict[str, str]
    body: bytes

    def __str__(self):
        target = self.path + (f"?{self.query}" if self.query else "")
        headers = "".join(f"\n  {name}: {value!r}" for name, value in self.headers.items())
        shown = self.body if len(self.body) <= 2_000 else self.body[:2_000] + b"..."
        return f"{self.method} {target}{headers}\n  {len(self.body)} bytes: {shown!r}"


def write(draft):
    """The request in bytes, before anything happens to those."""
    headers = dict(draft.headers)
    body = b""
    if draft.body is not None:
        body = _written(draft.body, draft.media)
        headers.setdefault("Content-Type", draft.media)
    query = urlencode(draft.query, errors="surrogatepass")
    return Sent(draft.method, quote(draft.path, safe="/%:@!$&'()*+,;=~.-_"), query, headers, body)


def _written(value, media):
    if media == YAML:
        try:
            return yaml.dump(value, Dumper=_Dumper, allow_unicode=True, sort_keys=False).encode()
        except UnicodeEncodeError:
            return json.dumps(value).encode()  # libyaml writes no half of a surrogate pair; as JSON it is YAML as well
    if media == FORM and isinstance(value, dict):
        return urlencode([(name, str(inner)) for name, inner in value.items()], errors="surrogatepass").encode()
    return json.dumps(value, ensure_ascii=False).encode(errors="surrogatepass")


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):
    """Writes the nodes of fixtures as well, which know their lines."""


for _kind, _represent in ((dict, _Dumper.represent_dict), (list, _Dumper.represent_list), (str, _Dumper.represent_str)):
    _Dumper.add_multi_representer(_kind, _represent)


#: A workspace that answers them; it has no webhooks, so that nothing leaves it.
SCENARIO = DATA["scenario"]
_REQUESTS = DATA["requests"]


def of_libraries():
    """What products ask of the shipped stubs, and of a few operations that none answers."""
    for method, path, body in _REQUESTS:
        query = [("limit", "2"), ("offset", "1"), ("sort", "asc")] if method == "GET" else []
        yield Draft(method, path, query, {}, body)


#: Bodies of the control API's calls about stubs.


#: What stands for the parts of a path, where no case says otherwise.
PARTS = DATA["parts"] | {"machine": tuple(LIFECYCLES)}
#: Bodies of calls whose schema alone does not tell a good one.
BODIES = DATA["bodies"]
#: Queries of the calls of the control API that take one.
QUERIES = tuple(map(tuple, DATA["queries"]))
_APP = {
    "client_id": "0123456789abcdef0123456789abcdef",
    "client_secret": "s3cret-of-the-crm-sync",
    "redirect_uri": "http://127.0.0.1:5000/callback",
}
_OAUTH = "/realms/partner/oauth"


@cache
def drafts():
    """All of them; copy one before it is changed."""
    return (*_of_the_contract(), *_of_the_control_api(), *_of_scenarios(), *_of_oauth(), *_of_pages(), *of_libraries())


def _of_the_contract():
    for case in cases():
        operation = API_OPERATIONS[case.operation]
        path = operation.path
        for name, value in case.request.get("path", {}).items():
            path = path.replace(f"{{{name}}}", str(value))
        query = [(name, str(value)) for name, value in case.request.get("query", {}).items()]
        headers = {name: str(value) for name, value in case.request.get("headers", {}).items() if value is not None}
        yield Draft(operation.method, path, query, headers, deepcopy(case.request.get("json")))
        for step in case.steps:
            if "query" not in step:
                yield Draft(step["method"], str(step["path"]), [], {}, deepcopy(step.get("json")))


def _of_the_control_api():
    for resource in CONTROL_API.resources:
        for call in resource.calls:
            name = f"{call.method} {call.path}"
            for body in BODIES.get(name, (None,)):
                yield Draft(call.method, call.path, list(QUERIES[:2]) if call.query else [], {}, body)
                if body is not None:
                    yield Draft(call.method, call.path, [], {}, body, YAML)


def _of_scenarios():
    for file in sorted(data_folder("scenarios").glob("*.yaml")):
        if file.stem != "large":
            document = _jsonable(yaml.safe_load(file.read_text(encoding="utf-8")))
            for media in (JSON, YAML):
                yield Draft("PUT", "/_mock/state", [], {}, document, media)
                yield Draft("POST", "/_mock/workspaces", [], {}, {"scenario": document}, media)


def _jsonable(value):
    """The same without what JSON has not: moments as text."""
    if isinstance(value, dict):
        return {str(name): _jsonable(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_jsonable(inner) for inner in value]
    return value.isoformat().replace("+00:00", "Z") if isinstance(value, date) else value


def _of_oauth():
    ask = {**_APP, "response_type": "code", "scope": "account:read", "state": "xyz", "mock_user": "owner@acme.test"}
    ask.pop("client_secret")
    yield Draft("GET", f"{_OAUTH}/authorize", [*ask.items(), ("mock_consent", "allow")])
    yield Draft("GET", f"{_OAUTH}/authorize", list(ask.items()))
    yield Draft("POST", f"{_OAUTH}/authorize", list(ask.items()), {}, {"email": "owner@acme.test", "csrf": "x"}, FORM)
    yield Draft("POST", f"{_OAUTH}/consent", [], {}, {"grant": "1", "decision": "allow", "csrf": "x"}, FORM)
    for form in (
        {"grant_type": "authorization_code", "code": "x", **_APP},
        {"grant_type": "refresh_token", "refresh_token": "x", **_APP},
        {"grant_type": "client_credentials", **_APP, "scope": "account:read"},
    ):
        yield Draft("POST", f"{_OAUTH}/token", [], {}, form, FORM)
    for name in ("revoke", "introspect"):
        yield Draft("POST", f"{_OAUTH}/{name}", [], {}, {"token": "x", **_APP}, FORM)
    yield Draft("GET", f"{_OAUTH}/userinfo", [], {"Authorization": "Bearer x"})


def _of_pages():
    for operation in ALL_OPERATIONS.values():
        if operation.method == "GET":
            yield Draft("GET", operation.path)
    yield Draft("GET", "/")
    yield Draft("GET", "/favicon.ico")
    yield Draft(
        "OPTIONS", "/v3/senders", [], {"Origin": "http://localhost:3000", "Access-Control-Request-Method": "POST"}
    )
