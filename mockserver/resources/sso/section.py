"""Single-sign-on tokens in a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import fields, validate

from mockserver.core.state.account import Account
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.resource import Section
from mockserver.resources.section import Instant, Item, TakenError, claim
from mockserver.resources.sso.model import TARGETS, SsoToken
from mockserver.web.schemas.fields import Email, Flag, List, Url


class SsoTokenItem(Item):
    """A token as the row holds it."""

    token = fields.String(required=True, validate=validate.Regexp(r"[0-9A-Za-z._~-]{1,200}\Z"))
    corporate = Flag(load_default=False)
    email = Email(allow_none=True, load_default=None)
    expires_at = Instant()
    target = fields.String(allow_none=True, validate=validate.OneOf(TARGETS), load_default=None)
    url = Url(allow_none=True, load_default=None)
    used_at = Instant(allow_none=True, load_default=None)


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> None:
    for index, item in enumerate(data.get("sso_tokens", ())):
        if not claim(workspace, SsoToken, item["token"]):
            raise TakenError(("sso_tokens", index, "token"), "a token like this is there already")
        item.setdefault("expires_at", workspace.state.clock.after(workspace.state.behaviour.sso_token.lifetime))
        account.table(SsoToken)[item["token"]] = SsoToken(**item)


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    rows = account.table(SsoToken).values()
    return {"sso_tokens": [_dump_token(row) for row in rows]} if rows else {}


def _dump_token(row: SsoToken) -> dict[str, Any]:
    found: dict[str, Any] = _SSO_TOKEN_ITEM.dump(row)
    return {name: value for name, value in found.items() if value is not None}


_SSO_TOKEN_ITEM = SsoTokenItem()

SECTION = Section(fields={"sso_tokens": List(fields.Nested(SsoTokenItem))}, load=_load, dump=_dump)
