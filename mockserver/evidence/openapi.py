"""The OpenAPI 3.1 document of the mocked API, read from declarations."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from http import HTTPStatus
from typing import Any

from mockserver.core.contract import errors
from mockserver.core.contract.operation import (
    DocumentedError,
    Mark,
    Operation,
    documented_error,
    observed_error,
    proposed_error,
)
from mockserver.evidence.fidelity import cited, readable
from mockserver.evidence.fixture import Example, cases, examples
from mockserver.evidence.webhooks import add_webhooks
from mockserver.resources.oauth.discovery import AUTHORIZE, CATALOGUE, TOKEN
from mockserver.resources.registry import API_OPERATIONS
from mockserver.settings import version
from mockserver.web.schemas.json_schema import specification

_ERROR_BODY = {"$ref": "#/components/schemas/Error"}
#: Errors of all operations.
_EVERYWHERE = (
    documented_error(
        errors.BAD_REQUEST,
        "invalid request; the specification declares it for every operation",
        "specification 7.1, contract/errors#statuses",
    ),
    observed_error(
        errors.UNAUTHORIZED, "api-key missing, unknown or revoked; so for an access token", "contract/errors#statuses"
    ),
    proposed_error(errors.PERMISSION_DENIED, "the access token lacks the scope", "contract/oauth#scopes"),
    proposed_error(
        errors.TOO_MANY_REQUESTS, "over the rate limit, where the scenario enforces it", "contract/rate-limits"
    ),
)
#: Errors of operations with body.
_WITH_BODY = (
    proposed_error(errors.BAD_REQUEST, "the body is over 10 MB", "contract/errors#statuses", status=413),
    documented_error(
        errors.NOT_ACCEPTABLE, "the body is not JSON, and its Content-Type says so", "contract/errors#statuses"
    ),
)


@cache
def document() -> dict[str, Any]:
    """Return the cached OpenAPI document of all operations and webhooks. Callers must not change it."""
    spec = specification(
        title="Account, Sender, Webhook and Sub-Account Administration Service",
        version="3.0",
        info={"description": _DESCRIPTION.format(version=version())},
        servers=[{"url": "/"}],
        tags=[{"name": tag} for tag in dict.fromkeys(row.tag for row in API_OPERATIONS.values())],
    )
    spec.components.security_scheme("api-key", {"type": "apiKey", "in": "header", "name": "api-key"})
    spec.components.security_scheme("access-token", _ACCESS_TOKEN)
    spec.components.security_scheme("oauth", _oauth())
    spec.components.schema("Error", _ERROR_SCHEMA)
    for name, header in _HEADERS.items():
        spec.components.header(name, header)
    known = examples()
    for operation in API_OPERATIONS.values():
        spec.path(path=operation.path, operations={operation.method.lower(): _operation(operation, known)})
    found: dict[str, Any] = spec.to_dict()
    for schema in found["components"]["schemas"].values():
        # apispec adds this for schemas that ignore unknown members. The service accepts such members.
        schema.pop("additionalProperties", None)
        _make_readable(schema)
    _show_requests(found["paths"])
    add_webhooks(found, API_OPERATIONS["createWebhook"].tag)
    return found


def _make_readable(schema: dict[str, Any]) -> None:
    for member in schema.get("properties", {}).values():
        for name in ("x-source", "x-bounds-source"):
            if name in member:
                member[name] = readable(member[name])


def _show_requests(paths: dict[str, Any]) -> None:
    """Add examples of required parameters and bodies from the first successful case."""
    shown: set[str] = set()
    for case in cases():
        operation = API_OPERATIONS[case.operation]
        if case.answer["status"] == operation.status and case.request and operation.id not in shown:
            shown.add(operation.id)
            _show_request(paths[operation.path][operation.method.lower()], case.request)


def _show_request(operation: dict[str, Any], request: dict[str, Any]) -> None:
    given = {**request.get("path", {}), **request.get("query", {})}
    for parameter in operation.get("parameters", ()):
        if parameter["required"] and parameter["name"] in given:
            parameter["example"] = given[parameter["name"]]
    if "json" in request and "requestBody" in operation:
        operation["requestBody"]["content"]["application/json"]["example"] = request["json"]


_DESCRIPTION = (
    "The operations that mockserver {version} mocks. `x-fidelity` tells of each field and error how sure it is: "
    "documented, observed, observed in public client code or proposed; `GET /_mock/fidelity` has the whole record."
)
#: Type `http` beside `oauth2`, for which documentation pages need a registered app.
_ACCESS_TOKEN = {
    "type": "http",
    "scheme": "bearer",
    "bearerFormat": "JWT",
    "description": (
        "An OAuth 2.0 access token with the scope that the operation names; "
        "`/realms/partner/.well-known/openid-configuration` tells where to get one."
    ),
}


def _oauth() -> dict[str, Any]:
    """Return the scheme that lists the scopes of access tokens, and the flows that give the tokens."""
    scopes = {scope.name: scope.words for scope in CATALOGUE.values()}
    token = {"tokenUrl": TOKEN, "refreshUrl": TOKEN, "scopes": scopes}
    return {
        "type": "oauth2",
        "flows": {
            "authorizationCode": {"authorizationUrl": AUTHORIZE, **token},
            "clientCredentials": token,
        },
    }


_CODES = "specification 7.3 lists 36; `not_found` and two more are seen besides"
_ERROR_SCHEMA = {
    "type": "object",
    "required": ["code", "message"],
    "properties": {"code": {"type": "string", "description": _CODES}, "message": {"type": "string"}},
}
_HEADERS: dict[str, dict[str, Any]] = {
    "sib-request-id": {"description": "the request's UUID", "schema": {"type": "string", "format": "uuid"}},
    "x-sib-ratelimit-limit": {"description": "requests per window", "schema": {"type": "integer"}},
    "x-sib-ratelimit-remaining": {"description": "requests left in it", "schema": {"type": "integer"}},
    "x-sib-ratelimit-reset": {"description": "seconds left of it", "schema": {"type": "integer"}},
}


def _operation(operation: Operation, known: dict[str, list[Example]]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "operationId": operation.id,
        "tags": [operation.tag],
        "summary": operation.summary,
        "description": "\n\n".join([f"Source: {readable(operation.source)}.", *operation.notes]),
        "security": [{"api-key": []}, {"access-token": []}, {"oauth": [operation.needs]}],
        "responses": _responses(operation, known.get(operation.id, [])),
    }
    parameters = [
        {"in": location, "schema": schema()}
        for location, schema in (("path", operation.path_schema), ("query", operation.query_schema))
        if schema is not None
    ]
    if parameters:
        found["parameters"] = parameters
    if operation.body_schema is not None:
        required = operation.body_required or any(field.required for field in operation.body_schema().fields.values())
        body: dict[str, Any] = {"schema": operation.body_schema()}
        found["requestBody"] = {"required": required, "content": {"application/json": body}}
    return found


def _responses(operation: Operation, known: list[Example]) -> dict[str, Any]:
    found = {str(status): _success(operation, status, known) for status in operation.successes}
    for status, rows in _by_status(operation).items():
        found[str(status)] = _refusal(operation, status, rows, known)
    return found


def _success(operation: Operation, status: int, known: list[Example]) -> dict[str, Any]:
    answer: dict[str, Any] = {"description": operation.summary, "headers": _header_references()}
    if operation.answer_schema is not None and status != HTTPStatus.NO_CONTENT:
        content: dict[str, Any] = {"schema": operation.answer_schema()}
        shown = [example for example in known if example.status == status]
        content["examples"] = {
            _key(example.name): {"summary": example.name, "value": example.body} for example in shown
        }
        answer["content"] = {"application/json": content}
    elif operation.media:
        answer["content"] = {operation.media: {}}
    return answer


def _refusal(
    operation: Operation, status: int, rows: Iterable[DocumentedError], known: list[Example]
) -> dict[str, Any]:
    real = {example.body["code"]: example.body for example in known if example.status == status and example.body}
    shown = {
        _key(row.code.code): {
            "summary": row.when,
            "value": real.get(row.code.code, {"code": row.code.code, "message": row.code.message}),
        }
        for row in rows
    }
    marks = "\n".join(f"- `{row.code.code}`: {row.when} ({row.mark}: {cited(row.source, operation)})" for row in rows)
    return {
        "description": marks,
        "headers": _header_references(status),
        "x-fidelity": str(min((row.mark for row in rows), key=list(Mark).index)),
        "content": {"application/json": {"schema": _ERROR_BODY, "examples": shown}},
    }


def _by_status(operation: Operation) -> dict[int, list[DocumentedError]]:
    common = (*_EVERYWHERE, *(_WITH_BODY if operation.body_schema is not None else ()))
    rows: dict[int, list[DocumentedError]] = {}
    for row in (*operation.errors, *common):
        rows.setdefault(row.status, []).append(row)
    return dict(sorted(rows.items()))


def _header_references(status: int = HTTPStatus.OK) -> dict[str, Any]:
    """Return response headers. A 401 has no rate limits (contract/rate-limits)."""
    names = _HEADERS if status != HTTPStatus.UNAUTHORIZED else ["sib-request-id"]
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _key(text: str) -> str:
    """Make a key for `examples` from a sentence, at most 60 characters to fit a line."""
    return "".join(character if character.isalnum() else "-" for character in text.lower())[:60]
