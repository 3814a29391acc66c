"""The OpenAPI 3.1 document of the control API, made of the declarations of its calls."""

from __future__ import annotations

import re
from functools import cache
from http import HTTPStatus
from typing import Any

from marshmallow import Schema

from mockserver.control.framework.declaration import ControlCall
from mockserver.control.framework.resource import ControlResource
from mockserver.control.traffic.requests import Bounds
from mockserver.control.traffic.stream import STREAM_KINDS, Kinds
from mockserver.control.workspaces.workspaces import ScenarioField
from mockserver.resources.registry import LIFECYCLES
from mockserver.scenario import json_schema
from mockserver.settings import version
from mockserver.views.server.problem import Problem
from mockserver.web.schemas.json_schema import HOSTNAME, FieldSchema, specification

_COUNT = {"type": "integer", "minimum": 0}


def _kinds(_: Kinds, known: dict[str, Any]) -> dict[str, Any]:
    known.pop("default")  # all of them
    kind = "|".join(STREAM_KINDS)
    return {"type": "string", "pattern": f"^({kind})(,({kind}))*$"}


FORMS: dict[type, FieldSchema] = {
    **json_schema.FORMS,
    ScenarioField: {"anyOf": [{"type": "string"}, {"$ref": "#/components/schemas/ScenarioItem"}]},
    Kinds: _kinds,
    Bounds: {"anyOf": [_COUNT, json_schema.closed({"at_least": _COUNT, "at_most": _COUNT}, minProperties=1)]},
}


_DESCRIPTION = (
    "What the mock itself can do: mockserver {version}. Every address also works under `/w/NAME`, where NAME is a "
    "workspace. A call acts on the workspace that its address names, else the header `X-Mock-Workspace`, else the one "
    "behind the header `api-key`, else on `default`. A refusal changes nothing, and names every mistake at once; what "
    "a schema cannot say, as a rule between two members, is told there in words."
)
_BAD_REQUEST = {"allOf": [{"$ref": "#/components/schemas/Problem"}, {"required": ["errors"]}]}
#: The headers that name a workspace, with their descriptions.
_WORKSPACE = {
    "X-Mock-Workspace": "the name of the workspace",
    "api-key": "a key of the workspace; calls that concern an account act on the one that it opens",
}
#: The schemas of path parameters, by name; a parameter without one is any text.
_IN_PATH: dict[str, dict[str, Any]] = {
    "domain": {"type": "string", "format": "hostname", "pattern": HOSTNAME},
    "machine": {"type": "string", "enum": list(LIFECYCLES)},
}
#: The descriptions of problems, by status.
_WHY = {
    400: "the request is a bad one; every mistake is named",
    401: "the server has a control token, and the call lacks it",
    403: "a web page of another origin has made the call or, without a control token, it came by a name that may be "
    "somebody else's",
    404: "unknown id or name, or unknown workspace",
    409: "it does not go together with what is there",
    413: "the body is too large",
    429: "too many wrong control tokens came from the address of the client; `Retry-After` says how long to wait",
    421: "this server is a replica (--replica), and the workspace is of another one, which `X-Mock-Replica` names",
}


@cache
def document(resources: tuple[ControlResource, ...]) -> dict[str, Any]:
    """The OpenAPI document of these resources, as plain data."""
    spec = specification(
        FORMS,
        title="Control API of the mock",
        version=version(),
        info={"description": _DESCRIPTION.format(version=version())},
        servers=[{"url": "/"}],
        tags=[{"name": resource.name} for resource in resources],
        security=[{"control-token": []}, {}],
    )
    spec.components.security_scheme("control-token", {"type": "http", "scheme": "bearer"})
    spec.components.schema("Problem", schema=Problem)
    for schema, form in {"Duration": json_schema.DURATION, "Instant": json_schema.INSTANT}.items():
        spec.components.schema(schema, form)
    for name, about in _WORKSPACE.items():
        spec.components.parameter(name, "header", {"description": about, "schema": {"type": "string"}})
    for resource in resources:
        for call in resource.calls:
            spec.path(path=call.path, operations={call.method.lower(): _operation(call)})
    found: dict[str, Any] = spec.to_dict()
    return found


def operation_id(call: ControlCall) -> str:
    """The `operationId` of a call, as `getFaultsByIdentifier`: made of method and path, it is as stable as they are."""
    words = re.split(r"[/._-]", call.path.removeprefix("/_mock").replace("{", "by-").replace("}", ""))
    named = "".join(word[0].upper() + word[1:] for word in words if word)
    return f"{call.method.lower()}{named or 'Index'}"


def _operation(call: ControlCall) -> dict[str, Any]:
    found: dict[str, Any] = {
        "operationId": operation_id(call),
        "tags": [call.resource],
        "summary": call.summary,
        "responses": {str(call.status): _success(call), **_problems(call)},
    }
    parameters = [*_of_path(call), *_of_query(call), *(_WORKSPACE if call.in_workspace else ())]
    if parameters:
        found["parameters"] = parameters
    if call.body is not None or call.document is not None:
        found["requestBody"] = _body(call)
    if call.is_open:
        found["security"] = []
    return found


def _of_path(call: ControlCall) -> list[dict[str, Any]]:
    names = re.findall(r"{(\w+)}", call.path)
    any_text = {"type": "string", "minLength": 1}
    return [{"in": "path", "name": name, "required": True, "schema": _IN_PATH.get(name, any_text)} for name in names]


def _of_query(call: ControlCall) -> list[dict[str, Any]]:
    return [] if call.query is None else [{"in": "query", "schema": call.query}]


def _body(call: ControlCall) -> dict[str, Any]:
    if call.document is not None:
        content = {"schema": call.document()}
        return {"required": True, "content": {"application/json": content, "application/yaml": content}}
    assert call.body is not None, "asked for before"
    required = any(field.required for field in call.body().fields.values())
    return {"required": required, "content": {"application/json": {"schema": _schema(call.body)}}}


def _schema(found: type[Schema]) -> Any:
    """What a body or an answer looks like; a schema with `alternatives` is one of those."""
    alternatives = getattr(found, "alternatives", ())
    return {"anyOf": list(alternatives)} if alternatives else found


def _success(call: ControlCall) -> dict[str, Any]:
    found: dict[str, Any] = {"description": call.summary}
    if call.media and call.status != HTTPStatus.NO_CONTENT:
        found["content"] = {media: _content(call, media) for media in call.media}
    return found


def _content(call: ControlCall, media: str) -> dict[str, Any]:
    shown = call.answer or call.written
    if shown is not None and media == "application/json":
        return {"schema": shown() if call.answer is None else _schema(call.answer)}
    if media.endswith("+json"):
        return {"schema": {"type": "object"}}
    return {} if "yaml" in media or media == "*/*" else {"schema": {"type": "string"}}


def _problems(call: ControlCall) -> dict[str, Any]:
    takes_body = call.body is not None or call.document is not None
    statuses = {
        400: takes_body or call.query is not None or not call.is_open,
        401: not call.is_open,
        403: not call.is_open,
        409: call.adds,
        404: call.in_workspace or "{" in call.path,
        413: takes_body,
        429: not call.is_open,
        421: call.in_workspace or "{name}" in call.path,
    }
    given = sorted({status for status, may_be in statuses.items() if may_be} | set(call.problems))
    return {str(status): _problem(status) for status in given}


def _problem(status: int) -> dict[str, Any]:
    schema = _BAD_REQUEST if status == HTTPStatus.BAD_REQUEST else {"$ref": "#/components/schemas/Problem"}
    return {"description": _WHY[status], "content": {"application/problem+json": {"schema": schema}}}
