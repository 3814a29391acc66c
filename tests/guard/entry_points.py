"""Every way by which a body comes in, and what of it the call knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from guard import evil
from marshmallow import Schema, fields

from mockserver.app.control_api import CONTROL_API
from mockserver.resources.registry import ALL_OPERATIONS, OPERATIONS

#: What stands for the parts of a path: something that is there.
PARTS = {
    "name": "default", "machine": "sender", "key": "2", "event": "resend_otp", "domain": "a.test", "identifier": "slow",
    "client_id": "crm", "senderId": "2", "webhookId": "814200", "id": "2003001", "domainName": "acme.test",
}  # fmt: skip
#: The members of the forms of OAuth.
_FORM = (
    *("grant_type", "code", "client_id", "client_secret", "redirect_uri", "refresh_token", "scope", "token"),
    *("code_verifier", "csrf", "grant", "email", "password", "decision", "state", "code_challenge", "response_type"),
)


class EntryPoint(NamedTuple):
    """An address that takes a body of a kind."""

    method: str
    path: str
    media: str
    #: The members that the call knows.
    names: tuple[str, ...]
    evils: dict[str, evil.Make]

    def __str__(self) -> str:
        return f"{self.method} {self.path} as {self.media.removeprefix('application/')}"


def entry_points() -> Iterator[EntryPoint]:
    """All of them, but mails, which do not come by HTTP."""
    yield from _of_the_control_api()
    yield from _of_the_service()
    yield from _of_forms()


def _of_the_control_api() -> Iterator[EntryPoint]:
    for resource in CONTROL_API.resources:
        for call in resource.calls:
            if call.body is None and call.document is None and resource.name != "receiver":
                continue
            if resource.name == "receiver" and call.method != "POST":
                continue
            schema = call.body() if call.body else call.document() if call.document else None
            path = call.path.format(**PARTS)
            known = _names(schema)
            yield EntryPoint(call.method, path, "application/json", known, evil.JSON)
            if resource.name != "receiver":
                yield EntryPoint(call.method, path, "application/yaml", known, evil.YAML)


def _of_the_service() -> Iterator[EntryPoint]:
    for operation in OPERATIONS.values():
        if operation.body_schema is not None:
            yield EntryPoint(
                operation.method,
                operation.path.format(**PARTS),
                "application/json",
                _names(operation.body_schema()),
                evil.JSON,
            )


def _of_forms() -> Iterator[EntryPoint]:
    seen = set()
    for operation in ALL_OPERATIONS.values():
        if operation.id not in OPERATIONS and operation.method == "POST" and operation.path not in seen:
            seen.add(operation.path)
            yield EntryPoint("POST", operation.path, "application/x-www-form-urlencoded", _FORM, evil.FORMS)


def _names(schema: Schema | None) -> tuple[str, ...]:
    """The members of a body, those of the rows in its lists among them."""
    if schema is None:
        return ()
    return tuple(
        field.data_key or name for name, field in schema.fields.items() if not isinstance(field, fields.Constant)
    )
