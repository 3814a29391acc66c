"""`/_mock/dns`: what the workspace's DNS says about domains."""

from __future__ import annotations

from typing import Any

from flask import Response
from marshmallow import ValidationError, fields, validate, validates_schema

from mockserver.control.framework import answers, parameters, target
from mockserver.control.framework.problem import of_one
from mockserver.control.framework.resource import ControlResource
from mockserver.resources.domains.model import publish_dns
from mockserver.resources.domains.section import DnsItem
from mockserver.resources.section import Item
from mockserver.views.workspaces import dns as shown
from mockserver.web.schemas.fields import Hostname

DNS = ControlResource("dns", "/_mock/dns")


class DnsChange(DnsItem):
    """What DNS says of some records from now on; the others stay."""

    @validates_schema
    def _check_members(self, data: dict[str, Any], **_: Any) -> None:
        if not data:
            raise ValidationError("give brevo_code, dkim_record, dmarc_record, dmarc_policy or several of them")


class NameFilter(Item):
    #: As long as the longest domain name (RFC 1035, 2.3.4).
    name = fields.String(validate=validate.Length(max=253), load_default="")
    limit = parameters.limit()
    offset = parameters.offset()


@DNS.call("GET", query=NameFilter, answer=shown.KnownNames)
def index(query: dict[str, Any]) -> Response:
    """The domains of all accounts, and those that only DNS has, by name; `name` is a part of it."""
    workspace = target.workspace(whole=True)
    with workspace.lock:
        rows, count = shown.known(workspace, query["name"], query["offset"], query["limit"])
        return answers.listed(rows, count)


@DNS.call("GET", "/<domain>", answer=shown.Dns, problems=(400,))
def show(domain: str) -> Response:
    """What the workspace's DNS says about a domain."""
    workspace = target.workspace()
    return answers.answer(shown.asked(workspace, _hostname(domain)))


@DNS.call("PUT", "/<domain>", body=DnsChange, answer=shown.Dns, adds=True)
def change(domain: str, body: dict[str, Any]) -> Response:
    """Change the records that are named; also of a domain that nobody has added."""
    workspace = target.workspace()
    name = _hostname(domain)
    with workspace.lock:
        publish_dns(workspace, name, body)
        return answers.answer(shown.asked(workspace, name))


def _hostname(domain: str) -> str:
    """The normalised name of a domain.

    Raises:
        Problem: 400, it is not a host name.
    """
    try:
        name: str = Hostname().deserialize(domain)
    except ValidationError as error:
        raise of_one("domain", f"not a host name: got {domain!r}") from error
    return name
