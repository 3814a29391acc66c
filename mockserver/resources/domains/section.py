"""Domains and DNS answers in a scenario."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from marshmallow import ValidationError, fields, post_dump, validate

from mockserver.core.state.state import Account
from mockserver.core.text.addresses import ascii_form
from mockserver.core.text.messages import shown
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.domains.domain import (
    ANSWERS,
    AUTHENTICATED,
    MACHINE,
    OK,
    PENDING,
    POLICIES,
    RECORDS,
    VERIFIED,
    BrevoCode,
    DnsView,
    Domain,
    new,
    set_answers,
)
from mockserver.resources.domains.model import follow_dns
from mockserver.resources.section import (
    ID_RANGE,
    Instant,
    Item,
    Section,
    SectionError,
    TakenError,
    WorkspaceSection,
    about,
    once_per_load,
)
from mockserver.web.schemas.errors import BadName
from mockserver.web.schemas.fields import Dict, Email, Flag, Hostname, List

_ANSWER = validate.OneOf(ANSWERS)


class DnsItem(Item):
    brevo_code = fields.String(validate=_ANSWER, **about("the answer for the record that proves ownership"))
    dkim_record = fields.String(validate=_ANSWER, **about("the answer for the DKIM record"))
    dmarc_record = fields.String(validate=_ANSWER, **about("the answer for the DMARC record"))
    dmarc_policy = fields.String(validate=validate.OneOf(POLICIES), **about("the policy of the DMARC record"))
    free_mail = Flag(**about("whether the domain is that of a provider of free mailboxes"))

    @post_dump
    def _without_defaults(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        return {name: value for name, value in data.items() if value not in (None, False)}


def _code(**options: Any) -> fields.String:
    return fields.String(validate=validate.Regexp(r"[0-9a-f]{32}\Z", error="must be 32 hexadecimal digits"), **options)


class DomainItem(Item):
    """A domain with its progress and its DNS answers."""

    name = Hostname(required=True, **about("the name, in any spelling; each once in an account"))
    number = fields.Integer(strict=True, validate=ID_RANGE, **about("its number; counts up if left out"))
    state = fields.String(validate=validate.OneOf(MACHINE.states), load_default=PENDING, **about("the state of set-up"))
    provider = fields.String(**about("the DNS provider that the service has found"))
    dns = fields.Nested(DnsItem, **about("its DNS records; as the state needs them if left out"))
    created_at = Instant(**about("when it was added; the clock's start if left out"))
    creator = Email(**about("who has added it; the account's e-mail if left out"))
    code = _code(**about("the digits of the record that proves ownership; drawn if left out"))
    dkim_key = fields.String(**about("the public key of the DKIM record, base64; drawn if left out"))
    published_at = Instant(allow_none=True, **about("when all its records became right"))
    attempts = fields.Integer(
        strict=True,
        validate=validate.Range(min=0),
        **about("requests for authentication while all records were right"),
    )


#: The members that are drawn where a scenario leaves them out.
_DRAWN = {"number", "created_at", "creator", "code", "dkim_key"}
#: The DNS answers about a domain in each state, where a scenario leaves them open.
_IMPLIED: dict[str, dict[str, Any]] = {
    PENDING: {},
    VERIFIED: {"brevo_code": OK},
    AUTHENTICATED: dict.fromkeys(RECORDS, OK),
}


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    _load_code(workspace, account, data)
    table = account.table(Domain)
    for index, item in enumerate(data.get("domains", ())):
        name = ascii_form(item["name"])  # the field has done that, but not for items that a generator made up
        if name in table:
            yield TakenError(("domains", index, "name"), f"duplicate domain {shown(name)} in the account")
            continue
        members = {key: value for key, value in item.items() if key not in ("name", "dns")}
        if "number" in members:
            workspace.state.claim_id("domain", members["number"])
        # A complete item draws nothing: a state that is loaded again keeps its ids and its random source.
        row = Domain(name=name, **members) if members.keys() >= _DRAWN else new(workspace, account, name)
        for key, value in members.items():
            setattr(row, key, value)
        table[name] = row
        _load_view(workspace, row, item.get("dns"))
        _to_follow(workspace)[name] = None


def _to_follow(workspace: Workspace) -> dict[str, None]:
    """Return domain names whose states follow DNS after loading all accounts."""
    return once_per_load(workspace, follow_dns, dict[str, None])


def _finish(workspace: Workspace) -> tuple[()]:
    names = _to_follow(workspace)
    follow_dns(workspace, dict(names))
    names.clear()
    return ()


def _load_code(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> None:
    """Load an account's code, defaulting to its first domain's code.

    With `behaviour.brevo_code: domain` the codes of domains do not become the code of the account.
    """
    code = account.record(BrevoCode)
    of_domains = data.get("domains", ()) if workspace.state.behaviour.brevo_code == "account" else ()
    given = (item["code"] for item in of_domains if "code" in item)
    code.digits = data.get("brevo_code") or code.digits or next(given, None)


def _load_view(workspace: Workspace, row: Domain, answers: Mapping[str, Any] | None) -> None:
    views = workspace.state.table(DnsView)
    if answers is None and (row.name in views or not _IMPLIED[row.state]):
        return
    # Without `free_mail` among its answers, a scenario has no provider of mailboxes.
    view = views[row.name] = DnsView(**(_IMPLIED[row.state] if answers is None else answers))
    if view.published and row.published_at is None:
        row.published_at = row.created_at


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    rows, code = account.rows_of(Domain).values(), account.record(BrevoCode).digits
    found: dict[str, Any] = {} if code is None else {"brevo_code": code}
    return {**found, "domains": [_DOMAIN_ITEM.dump(row) for row in rows]} if rows else found


_DOMAIN_ITEM, _DNS_ITEM = DomainItem(exclude=("dns",)), DnsItem()


SECTION = Section(
    fields={
        "brevo_code": _code(**about("the digits that prove ownership of its domains; drawn if left out")),
        "domains": List(fields.Nested(DomainItem), **about("its sender domains")),
    },
    load=_load,
    dump=_dump,
    finish=_finish,
    generators={
        "domains": lambda people, workspace, account: {
            "name": people.domain(),
            "state": people.choice((AUTHENTICATED, AUTHENTICATED, VERIFIED, PENDING)),
            "provider": people.choice(("Cloudflare", "GoDaddy", "Other")),
        }
    },
)


class ByDomain(Dict):
    """A mapping by domain name, refusing two spellings of a name."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        loaded: dict[str, Any] = super()._deserialize(value, attr, data, **kwargs)
        if len(loaded) < len(value):
            count = Counter(map(ascii_form, value))
            twice = [name for name in value if count[ascii_form(name)] > 1]
            raise ValidationError({key: [BadName("duplicate domain, in two spellings")] for key in twice})
        return loaded


def _load_workspace(workspace: Workspace, data: Mapping[str, Any]) -> tuple[()]:
    for name, answers in data.get("dns", {}).items():
        # Without the default for `free_mail`: the scenario decides about providers of free mailboxes.
        workspace.state.table(DnsView).setdefault(name, DnsView())
        set_answers(workspace, name, answers)
        _to_follow(workspace)[name] = None
    return ()


def _dump_workspace(workspace: Workspace) -> dict[str, Any]:
    views = workspace.state.table(DnsView)
    return {"dns": {name: _DNS_ITEM.dump(view) for name, view in views.items()}} if views else {}


WORKSPACE = WorkspaceSection(
    fields={
        "dns": ByDomain(
            keys=Hostname(),
            values=fields.Nested(DnsItem),
            **about("the DNS of domains by name, also of domains that no account has"),
        )
    },
    load=_load_workspace,
    dump=_dump_workspace,
)
