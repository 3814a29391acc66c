"""`/_mock/keys`: API keys that stop working."""

from __future__ import annotations

from typing import Any

from flask import Response
from marshmallow import ValidationError, fields, validates_schema

from mockserver.control.framework import answers, target
from mockserver.control.framework.problem import of_one
from mockserver.control.framework.resource import ControlResource
from mockserver.core.state.state import Account
from mockserver.resources.section import Item
from mockserver.views.workspaces.workspaces import Revoked
from mockserver.web.schemas.fields import ApiKey

KEYS = ControlResource("keys", "/_mock/keys")


class Revocation(Item):
    """A key that opens nothing any more, or an account of which that is true for all keys."""

    key = ApiKey()
    account = fields.String()

    @validates_schema
    def _check_members(self, data: dict[str, Any], **_: Any) -> None:
        if not data:
            raise ValidationError("give a key, or an account for all of its keys", "key")


@KEYS.call("POST", "/revoke", body=Revocation, answer=Revoked, adds=True)
def revoke(body: dict[str, Any]) -> Response:
    """Refuse a key with 401 from now on, until the workspace is reset; or all those of an account."""
    workspace = target.workspace()
    with workspace.lock:
        for key in _keys(body, target.named_account(workspace, body)):
            workspace.revoke_key(key)
    return answers.answer({"revoked": True, "workspace": workspace.name})


def _keys(body: dict[str, Any], account: Account | None) -> list[str]:
    """The keys to revoke: the one that the body names, or else all of the account.

    Raises:
        Problem: 400, the key is not one of the account that the body names.
    """
    if "key" not in body:
        return account.api_keys if account is not None else []
    if account is not None and body["key"] not in account.api_keys:
        raise of_one("key", f"the key does not belong to account {account.name}")
    return [body["key"]]
