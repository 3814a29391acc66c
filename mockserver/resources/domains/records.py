"""The DNS records that the user of a domain is told to set (contract/domains#records)."""

from __future__ import annotations

from typing import NamedTuple

from mockserver.core.text.addresses import below_registrable
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.domains.dns_view import OK, DnsView, dns_view
from mockserver.resources.domains.domain import Domain


class DnsRecord(NamedTuple):
    """A record that the service tells its user to set."""

    type: str
    value: str
    #: Relative to the registrable domain, which is the zone that a user edits.
    host_name: str
    #: Whether DNS has the record.
    status: bool
    #: The whole name of the record in DNS.
    full_name: str


def records(workspace: Workspace, domain: Domain) -> dict[str, DnsRecord]:
    """The records of a domain by their names on the wire."""
    view = dns_view(workspace, domain.name)
    code, policy = f"brevo-code:{domain.code}", "v=DMARC1; p=none; rua=mailto:rua@dmarc.brevo.com"
    label = below_registrable(domain.name)
    return {
        **_dkim(workspace, domain, view),
        "brevo_code": DnsRecord("TXT", code, label or "@", view.brevo_code == OK, domain.name),
        "dmarc_record": DnsRecord(
            "TXT", policy, _below("_dmarc", label), view.dmarc_record == OK, f"_dmarc.{domain.name}"
        ),
    }


def _dkim(workspace: Workspace, domain: Domain, view: DnsView) -> dict[str, DnsRecord]:
    """The TXT record with the DKIM key, or with `behaviour.dkim: cname` the two CNAME records that lead to it.

    The service leaves the label of a sub-domain out of the host name (recorded, contract/domains#records).
    """
    labelled = workspace.state.behaviour.subdomain_dkim_host == "labelled"
    label = below_registrable(domain.name) if labelled else ""

    def record(kind: str, value: str, selector: str, name: str) -> DnsRecord:
        host = f"{selector}._domainkey"
        return DnsRecord(kind, value, _below(host, label), view.says(name) == OK, f"{host}.{domain.name}")

    if workspace.state.behaviour.dkim == "txt":
        return {"dkim_record": record("TXT", f"v=DKIM1; k=rsa; p={domain.dkim_key}", "mail", "dkim_record")}
    dashed = domain.name.replace(".", "-")
    pairs = ((f"dkim{n}Record", f"b{n}.{dashed}.dkim.brevo.com", f"brevo{n}") for n in (1, 2))
    return {name: record("CNAME", value, selector, name) for name, value, selector in pairs}


def _below(host: str, label: str) -> str:
    return f"{host}.{label}" if label else host
