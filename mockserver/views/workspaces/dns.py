"""The view of what the DNS of a workspace says about a domain."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nsmallest
from typing import Any, NamedTuple

from marshmallow import fields, validate

from mockserver.core.text.addresses import unicode_form
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.domains.domain import ANSWERS, POLICIES, DnsView, dmarc_policy, dns_view, known_names, named
from mockserver.views.base import members
from mockserver.views.base.view import View, listing

#: Which part of all names may be found one by one; measured: sorting takes an eighth of the time for each.
_FEW = 8


class Asked(NamedTuple):
    """A row of `Dns`: what the DNS of a workspace says about a domain."""

    domain: str
    records: DnsView
    dmarc_policy: str


def asked(workspace: Workspace, domain: str) -> Asked:
    """What the DNS of a workspace says about a domain, as a row of `Dns`."""
    return Asked(domain, dns_view(workspace, domain), dmarc_policy(workspace, domain))


class Owned(NamedTuple):
    """A row of `OwnedDomain`: an account's domain."""

    account: str
    state: str


class Known(NamedTuple):
    """A row of `KnownName`: what the DNS of a workspace says about a domain, and the accounts that have it."""

    domain: str
    records: DnsView
    dmarc_policy: str
    accounts: Sequence[Owned]


def known(workspace: Workspace, part: str, offset: int, limit: int) -> tuple[list[Known], int]:
    """The known names with `part` in them, as rows of `KnownName` by name, from `offset` on; and how many there are."""
    names, end = known_names(workspace, part), offset + limit
    first = nsmallest(end, names) if end * _FEW < len(names) else sorted(names)
    owned: dict[str, list[Owned]] = {name: [] for name in first[offset:end]}
    for account, domain in named(workspace, owned.keys()):
        owned[domain.name].append(Owned(account.name, domain.state))
    return [Known(*asked(workspace, name), accounts) for name, accounts in owned.items()], len(names)


def _record(name: str) -> Any:
    return members.text(validate=validate.OneOf(ANSWERS), attribute=f"records.{name}")


class Dns(View):
    domain = members.text()
    brevo_code = _record("brevo_code")
    dkim_record = _record("dkim_record")
    dmarc_record = _record("dmarc_record")
    dmarc_policy = members.text("a sub-domain has that of its registrable domain", validate=validate.OneOf(POLICIES))
    free_mail = members.maybe(
        fields.Boolean,
        about="true, and there only then: no user can have the domain",
        of=lambda row: row.records.free_mail or None,
    )


class OwnedDomain(View):
    account = members.text()
    state = members.text("of the domain")


class KnownName(Dns):
    shown_as = members.text("the name as people write it", of=lambda row: unicode_form(row.domain))
    accounts = members.many(OwnedDomain, "that have a domain of this name")


KnownNames = listing(KnownName, "KnownNames")
