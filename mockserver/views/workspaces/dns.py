"""The view of what the DNS of a workspace says about a domain."""

from __future__ import annotations

from typing import Any, NamedTuple

from marshmallow import fields, validate

from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.domains.dns_view import ANSWERS, POLICIES, DnsView, dmarc_policy, dns_view
from mockserver.views.base import members
from mockserver.views.base.view import View


class Asked(NamedTuple):
    """A row of `Dns`: what the DNS of a workspace says about a domain."""

    domain: str
    records: DnsView
    dmarc_policy: str


def asked(workspace: Workspace, domain: str) -> Asked:
    """What the DNS of a workspace says about a domain, as a row of `Dns`."""
    return Asked(domain, dns_view(workspace, domain), dmarc_policy(workspace, domain))


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
