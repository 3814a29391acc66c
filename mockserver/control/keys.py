"""`/_mock/keys`: API keys that stop working."""

from __future__ import annotations

from typing import Any

from flask import Response
from marshmallow import fields, validate

from mockserver.control import call
from mockserver.control.noun import Noun
from mockserver.resources.section import Item

KEYS = Noun("keys", "/_mock/keys")


class Revocation(Item):
    key = fields.String(required=True, validate=validate.Length(1, 500))


@KEYS.call("POST", "/revoke", body=Revocation, answer="Revoked")
def revoke(body: dict[str, Any]) -> Response:
    """Refuse a key with 401 from now on, until the workspace is reset."""
    workspace = call.workspace()
    with workspace.lock:
        workspace.revoke_key(body["key"])
    return call.answer({"revoked": True, "workspace": workspace.name})
