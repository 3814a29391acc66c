"""The OpenAPI 3.1 document of the control API, made of the declarations of its calls."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import EnumMeta
from functools import cache
from http import HTTPStatus
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from mockserver.control.framework.call import ControlCall, ControlResource
from mockserver.control.traffic.requests import Bounds
from mockserver.control.traffic.stream import STREAM_KINDS, Kinds
from mockserver.control.workspaces.workspaces import ScenarioField
from mockserver.resources.registry import LIFECYCLES
from mockserver.scenario import json_schema
from mockserver.settings import version
from mockserver.views import server_records as server
from mockserver.views import traffic_records as traffic
from mockserver.views import workspace_records as workspaces
from mockserver.views.record import Keyword, Mark, Shape, is_record, members, unwrapped
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
    "a schema cannot say, as a rule between two members, is described there in words."
)
_BAD_REQUEST = {"allOf": [{"$ref": "#/components/schemas/Problem"}, {"required": ["errors"]}]}
#: The headers that name a workspace, with their descriptions.
_WORKSPACE = {
    "X-Mock-Workspace": "the name of the workspace",
    "api-key": "a key of the workspace; calls that concern an account act on the account that it opens",
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


#: The names of records in the document, where they are not the names of the classes.
_NAMES: dict[type, str] = {
    server.ProblemDetails: "Problem", server.MistakeLine: "Mistake",
    traffic.Transition: "Change", traffic.Exchange: "Request", traffic.Message: "Sent", traffic.Page: "Requests",
    traffic.AttemptedCall: "Call", traffic.Call: "ReceivedCall", traffic.Manner: "MannerOut",
    traffic.ReceiverSummary: "Receiver", traffic.Arrival: "Arrived",
    workspaces.Moment: "Clock", workspaces.MachineTransition: "Transition", workspaces.Account: "WorkspaceAccount",
    workspaces.WorkspaceSummary: "Workspace", workspaces.KeptMoment: "Moment", workspaces.App: "OAuthApp",
}  # fmt: skip
_TYPES: dict[Any, dict[str, Any]] = {
    Any: {},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    datetime: {"type": "string", "format": "date-time"},
}


@cache
def document(resources: tuple[ControlResource, ...]) -> dict[str, Any]:
    """Return the OpenAPI document of control resources as plain data."""
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
    records = _Records(spec)
    records.schema(server.ProblemDetails)
    problem = spec.components.schemas["Problem"]
    problem["description"] = "RFC 9457"
    del problem["additionalProperties"]
    for schema, form in {"Duration": json_schema.DURATION, "Instant": json_schema.INSTANT}.items():
        spec.components.schema(schema, form)
    for name, about in _WORKSPACE.items():
        spec.components.parameter(name, "header", {"description": about, "schema": {"type": "string"}})
    for resource in resources:
        for call in resource.calls:
            spec.path(path=call.path, operations={call.method.lower(): _operation(call, records)})
    found: dict[str, Any] = spec.to_dict()
    return found


class _Records:
    """The JSON schemas of answers, by the type hints of their records; each record becomes a component."""

    def __init__(self, spec: Any) -> None:
        self._components = spec.components
        self._of_marshmallow = spec.plugins[0].resolver.resolve_schema_dict

    def schema(self, hint: Any) -> dict[str, Any]:
        """Return the JSON schema of a type."""
        type_, annotations, is_nullable = unwrapped(hint)
        shape = next((found for found in annotations if isinstance(found, Shape)), None)
        type_ = shape.hint if shape else type_
        found = self._of_type(type_)
        omitted = Mark.OMITTED in annotations
        if is_nullable and not omitted:
            if "$ref" in found:
                found = {"anyOf": [found, {"type": "null"}]}
            else:
                types = found["type"]
                found = {**found, "type": [*(types if isinstance(types, list) else [types]), "null"]}
        for annotation in reversed(annotations):
            if isinstance(annotation, Keyword):
                found = {**found, annotation.name: annotation.value}
            elif isinstance(annotation, str):
                found = {**found, "description": annotation}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in found.items()
            if value is not None
        }

    def _of_type(self, type_: Any) -> dict[str, Any]:
        if type_ in _TYPES:
            return _TYPES[type_]
        origin, arguments = get_origin(type_), get_args(type_)
        if origin is not None:
            return self._of_generic(origin, arguments)
        if isinstance(type_, EnumMeta):
            return {"enum": [choice.value for choice in list[Any](type_)]}
        return self._component(type_) if is_record(type_) else self._of_marshmallow(type_)

    def _of_generic(self, origin: Any, arguments: Sequence[Any]) -> dict[str, Any]:
        if origin is Literal:
            return {"type": "string", "enum": list(arguments)}
        if origin in (Union, UnionType):
            return self._of_union([self.schema(argument) for argument in arguments])
        if origin is Mapping:
            return {"type": "object", "additionalProperties": self.schema(arguments[1])}
        return {"type": "array", "items": self.schema(arguments[0])}

    def _of_union(self, schemas: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Return the schema of several types, whose other keywords concern one type each."""
        keywords = {name: value for schema in schemas for name, value in schema.items()}
        return {**keywords, "type": [schema["type"] for schema in schemas]}

    def _component(self, type_: type) -> dict[str, Any]:
        name = _NAMES.get(type_, type_.__name__)
        if name not in self._components.schemas:
            self._components.schema(name, self._object(type_))
        return {"$ref": f"#/components/schemas/{name}"}

    def _object(self, type_: type) -> dict[str, Any]:
        found: dict[str, Any] = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
        for member in members(type_):
            mark = member.of_type(Mark)
            if mark is Mark.FLAT:
                inner = self._object(member.type_)
                found["properties"].update(inner["properties"])
                found["required"] += inner["required"]
            elif mark is Mark.REST:
                found["additionalProperties"] = True
            elif mark is not Mark.NOT_SENT:
                found["properties"][member.sent_as] = self.schema(member.hint)
                found["required"] += [] if mark is Mark.OMITTED else [member.sent_as]
        return {**found, "required": sorted(found["required"])}


# ---------------------------------------------------------------------- calls


def operation_id(call: ControlCall) -> str:
    """Return the stable `operationId` of a call, derived from method and path: `getFaultsByIdentifier`."""
    words = re.split(r"[/._-]", call.path.removeprefix("/_mock").replace("{", "by-").replace("}", ""))
    named = "".join(word[0].upper() + word[1:] for word in words if word)
    return f"{call.method.lower()}{named or 'Index'}"


def _operation(call: ControlCall, records: _Records) -> dict[str, Any]:
    found: dict[str, Any] = {
        "operationId": operation_id(call),
        "tags": [call.resource],
        "summary": call.summary,
        "responses": {str(call.status): _success(call, records), **_problems(call)},
    }
    query = [] if call.query is None else [{"in": "query", "schema": call.query}]
    parameters = [*_of_path(call), *query, *(_WORKSPACE if call.in_workspace else ())]
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


def _body(call: ControlCall) -> dict[str, Any]:
    if call.document is not None:
        content = {"schema": call.document()}
        return {"required": True, "content": {"application/json": content, "application/yaml": content}}
    assert call.body is not None, "asked for before"
    alternatives = getattr(call.body, "alternatives", ())
    schema = {"anyOf": list(alternatives)} if alternatives else call.body
    required = any(field.required for field in call.body().fields.values())
    return {"required": required, "content": {"application/json": {"schema": schema}}}


def _success(call: ControlCall, records: _Records) -> dict[str, Any]:
    found: dict[str, Any] = {"description": call.summary}
    if call.media and call.status != HTTPStatus.NO_CONTENT:
        found["content"] = {media: _content(call, media, records) for media in call.media}
    return found


def _content(call: ControlCall, media: str, records: _Records) -> dict[str, Any]:
    if call.answer is not None and media == "application/json":
        return {"schema": _answer(call.answer, records)}
    if media.endswith("+json"):
        return {"schema": {"type": "object"}}
    return {} if "yaml" in media or media == "*/*" else {"schema": {"type": "string"}}


def _answer(answer: Any, records: _Records) -> Any:
    if isinstance(answer, tuple):
        return {"anyOf": [records.schema(choice) for choice in answer]}
    return records.schema(answer) if isinstance(answer, type) else answer()


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
