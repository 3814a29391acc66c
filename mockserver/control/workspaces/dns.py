"""`/_mock/dns`: what the workspace's DNS says about domains."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, fields, validate, validates_schema

from mockserver.control.framework import inputs
from mockserver.control.framework.call import ControlResource, listed
from mockserver.control.framework.problem import of_one
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.domains.model import publish_dns
from mockserver.resources.domains.section import DnsItem
from mockserver.views.record import listing
from mockserver.views.workspace_records import Dns, KnownName
from mockserver.views.workspaces import known, show_dns
from mockserver.web.schemas.fields import Hostname
from mockserver.web.server import loop

DNS = ControlResource("dns", "/_mock/dns")


class DnsChange(DnsItem):
    """New values of some DNS records; the others stay."""

    @validates_schema
    def _check_members(self, data: dict[str, Any], **_: Any) -> None:
        if not data:
            raise ValidationError("give brevo_code, dkim_record, dmarc_record, dmarc_policy or several of them")


class NameFilter(inputs.Part):
    #: As long as the longest domain name (RFC 1035, 2.3.4).
    name = fields.String(validate=validate.Length(max=253), load_default="")


@DNS.call("GET", query=NameFilter, answer=listing("KnownNames", KnownName))
def index(workspace: Workspace, query: dict[str, Any]) -> Any:
    """List the domains of all accounts and of DNS, by name; `name` filters by a part of the name."""
    loop.leave_if_large(workspace)
    return listed(*known(workspace, query["name"], query["offset"], query["limit"]))


@DNS.call("GET", "/<domain>", answer=Dns, problems=(400,))
def show(workspace: Workspace, domain: str) -> Dns:
    """Return the records of a domain in the workspace's DNS."""
    return show_dns(workspace, _hostname(domain))


@DNS.call("PUT", "/<domain>", body=DnsChange, answer=Dns, adds=True)
def change(workspace: Workspace, domain: str, body: dict[str, Any]) -> Dns:
    """Change the given records of a domain, even of an unknown domain."""
    name = _hostname(domain)
    publish_dns(workspace, name, body)
    return show_dns(workspace, name)


def _hostname(domain: str) -> str:
    """Return the normalised name of a domain."""
    try:
        name: str = Hostname().deserialize(domain)
    except ValidationError as error:
        raise of_one("domain", f"not a host name: got {domain!r}") from error
    return name
