"""Single-sign-on tokens in a scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from marshmallow import fields, validate

from mockserver.core.state.state import Account
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Instant, Item, Section, SectionError, TakenError, about, claim, dump_rows
from mockserver.resources.sso.model import TARGETS, SsoToken
from mockserver.web.schemas.fields import Email, Flag, List, Url

_TOKEN = validate.Regexp(
    r"[0-9A-Za-z._~-]{1,200}\Z", error="must be 1 to 200 letters, digits, dots, hyphens, underscores and tildes"
)


class SsoTokenItem(Item):
    token = fields.String(required=True, validate=_TOKEN, **about("the token itself"))
    corporate = Flag(load_default=False, **about("whether it opens the organization or a sub-account"))
    email = Email(allow_none=True, load_default=None, **about("whom it signs in"))
    expires_at = Instant(**about("when it ends; behaviour.sso_token.lifetime after the start if left out"))
    target = fields.String(allow_none=True, validate=validate.OneOf(TARGETS), load_default=None, **about("its page"))
    url = Url(allow_none=True, load_default=None, **about("an address to which it leads"))
    used_at = Instant(allow_none=True, load_default=None, **about("when it was first used; null: never"))


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    for index, item in enumerate(data.get("sso_tokens", ())):
        if not claim(workspace, SsoToken, item["token"]):
            yield TakenError(("sso_tokens", index, "token"), "duplicate token")
            continue
        item.setdefault("expires_at", workspace.state.clock.after(workspace.state.behaviour.sso_token.lifetime))
        account.table(SsoToken)[item["token"]] = SsoToken(**item)


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    return dump_rows("sso_tokens", _SSO_TOKEN_ITEM, account.rows_of(SsoToken).values())


_SSO_TOKEN_ITEM = SsoTokenItem()

SECTION = Section(
    fields={"sso_tokens": List(fields.Nested(SsoTokenItem), **about("its single-sign-on tokens"))},
    load=_load,
    dump=_dump,
)
