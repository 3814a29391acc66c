"""Grants in written state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from marshmallow import fields, post_load, validate

from mockserver.core.state.account import Account
from mockserver.core.text.given import shown
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth import lookup, model
from mockserver.resources.oauth.apps import App
from mockserver.resources.oauth.grant import LONGEST_STATE, AccessToken, Challenge, Grant
from mockserver.resources.oauth.model import MACHINE
from mockserver.resources.oauth.sections.scope_list import ScopeList
from mockserver.resources.resource import Section
from mockserver.resources.section import Instant, Item, SectionError, TakenError, about, claim
from mockserver.web.schemas.fields import List


class AccessItem(Item):
    id = fields.String(required=True, **about("the id in the token, jti"))
    scopes = ScopeList(required=True, **about("what it allows"))
    issued_at = Instant(required=True, **about("since when"))
    expires_at = Instant(required=True, **about("until when"))

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> AccessToken:
        return AccessToken(data["id"], tuple(data["scopes"]), data["issued_at"], data["expires_at"])


class ChallengeItem(Item):
    value = fields.String(required=True, **about("the challenge itself"))
    method = fields.String(
        load_default="plain", validate=validate.OneOf(("plain", "S256")), **about("how the verifier leads to it")
    )

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> Challenge:
        return Challenge(**data)


class GrantItem(Item):
    """A grant in written state."""

    id = fields.Integer(required=True, strict=True, validate=validate.Range(min=1, max=2**62), **about("its number"))
    client_id = fields.String(required=True, **about("the app"))
    scopes = ScopeList(required=True, **about("what the app asks for"))
    created_at = Instant(required=True, **about("when the app asked"))
    expires_at = Instant(required=True, **about("when it ends if nothing happens"))
    state = fields.String(required=True, validate=validate.OneOf(MACHINE.states), **about("how far it has come"))
    user = fields.String(allow_none=True, **about("who has given it"))
    redirect_uri = fields.String(allow_none=True, **about("where the browser is sent back to"))
    app_state = fields.String(
        allow_none=True, validate=validate.Length(max=LONGEST_STATE), **about("the app's state, which it gets back")
    )
    nonce = fields.String(allow_none=True, validate=validate.Length(max=LONGEST_STATE), **about("the app's nonce"))
    challenge = fields.Nested(ChallengeItem, allow_none=True, **about("the code challenge (PKCE)"))
    ticket = fields.String(allow_none=True, **about("what the form of the sign-in page carries"))
    browser = fields.String(allow_none=True, **about("what the browser's cookie holds"))
    code = fields.String(allow_none=True, **about("the code for which the app gets tokens"))
    refresh_token = fields.String(allow_none=True, **about("the newest refresh token"))
    refresh_expires_at = Instant(allow_none=True, **about("when that ends"))
    spent = List(fields.String(), **about("refresh tokens that a newer one has replaced"))
    tokens = List(fields.Nested(AccessItem), **about("its access tokens"))

    @post_load
    def _as_row(self, data: dict[str, Any], **_: Any) -> Grant:
        tokens = {token.id: token for token in data.pop("tokens", ())}
        return Grant(**{**data, "scopes": tuple(data["scopes"])}, tokens=tokens)


def _load_grants(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    last = workspace.state.last_ids.get("oauth_grant", 0)
    for index, row in enumerate(data.get("oauth_grants", ())):
        if not claim(workspace, Grant, row.id, is_next=row.id > last):
            yield TakenError(("oauth_grants", index, "id"), f"duplicate grant id {row.id}")
            continue
        # An ended grant may be kept longer than its app.
        if row.client_id not in workspace.state.rows_of(App) and MACHINE.allowed(row.state):
            path = ("oauth_grants", index, "client_id")
            yield SectionError(path, f"no app has the client_id {shown(row.client_id)}", wanted=(row.client_id,))
            continue
        workspace.state.claim_id("oauth_grant", row.id)
        account.table(Grant)[row.id] = row
        lookup.learn(workspace, account, row)
        if MACHINE.allowed(row.state):
            model.keep_until(workspace, account, row, row.expires_at)
        else:
            model.keep_ended(workspace, account, row)


def _dump_grants(workspace: Workspace, account: Account) -> dict[str, Any]:
    rows = [_written(row) for row in account.rows_of(Grant).values()]
    return {"oauth_grants": rows} if rows else {}


def _written(row: Grant) -> dict[str, Any]:
    found: dict[str, Any] = _GRANT_ITEM.dump(row)
    found["tokens"] = [_ACCESS_ITEM.dump(token) for token in row.tokens.values()]
    return {name: value for name, value in found.items() if value not in (None, []) or name == "scopes"}


_ACCESS_ITEM = AccessItem()
_GRANT_ITEM = GrantItem(exclude=("tokens",))

SECTION = Section(
    fields={
        "oauth_grants": List(
            fields.Nested(GrantItem), **about("what users have allowed apps, as a written state has it")
        )
    },
    load=_load_grants,
    dump=_dump_grants,
)
