"""Sender domains on the wire."""

from __future__ import annotations

from typing import Any

from marshmallow import fields

from mockserver.web.schemas.evidence import documented, observed, proposed
from mockserver.web.schemas.fields import Email, Flag, Hostname, Int64, SecondMoment, Text
from mockserver.web.schemas.schema import Input, Output


class DomainPath(Input):
    domain_name = Text(
        data_key="domainName",
        required=True,
        **documented("Compared without case, in either spelling of an international name."),
    )


class NewDomain(Input):
    name = Hostname(required=True, **documented("A host name, of two labels at least; answers have it in A-labels."))


class DnsRecordOut(Output):
    type = Text(required=True, **documented("TXT"))
    value = Text(required=True, **documented())
    host_name = Text(required=True, **documented())
    status = Flag(required=True, **documented("true once the record is seen in DNS"))


_RECORDED = observed("with `behaviour.dkim: cname`", source="contract/domains#records")


class DkimRecordOut(Output):
    """A CNAME record of DKIM, seen in recorded answers only."""

    type = Text(required=True, **_RECORDED)
    value = Text(required=True, **_RECORDED)
    host_name = Text(required=True, **_RECORDED)
    status = Flag(required=True, **_RECORDED)


class DnsRecords(Output):
    dkim_record = fields.Nested(DnsRecordOut, allow_none=True, **documented("null with `behaviour.dkim: cname`"))
    dkim1Record = fields.Nested(DkimRecordOut, **_RECORDED)
    dkim2Record = fields.Nested(DkimRecordOut, **_RECORDED)
    brevo_code = fields.Nested(DnsRecordOut, required=True, **documented())
    dmarc_record = fields.Nested(DnsRecordOut, required=True, **documented())


class DomainId(fields.Field[int | str]):
    """A domain's number, or its 24 hexadecimal digits."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs["metadata"] = {**kwargs.get("metadata", {}), "type": ["integer", "string"]}
        super().__init__(**kwargs)


class DomainCreated(Output):
    id = DomainId(required=True, **documented("with `behaviour.domain_id: hex` the 24 digits that the list has"))
    domain_name = Text(attribute="name", required=True, **documented())
    domain_provider = Text(attribute="provider", **documented("detected DNS provider"))
    message = Text(required=True, **documented())
    dns_records = fields.Nested(DnsRecords, **documented())


class Creator(Output):
    id = Text(required=True, **documented("24 digits"))
    email = Email(required=True, **documented())
    creationDate = SecondMoment(required=True, **documented())


class DomainOut(Output):
    id = Text(required=True, **documented("24 hexadecimal digits, here all decimal"))
    domain_name = Text(required=True, **documented())
    authenticated = Flag(required=True, **documented())
    verified = Flag(required=True, **documented())
    ip = Text(allow_none=True, **documented("dedicated IP or null"))
    provider = Text(required=True, **documented("Cloudflare, GoDaddy, Other; the list is open"))
    creator = fields.Nested(Creator, required=True, **documented())


class Domains(Output):
    domains = fields.List(fields.Nested(DomainOut), required=True, **documented())
    count = Int64(required=True, **documented("all domains"))
    current_page = Int64(required=True, **documented("starts at 1"))
    total_pages = Int64(required=True, **documented("all domains stand on one page"))


class DomainConfiguration(Output):
    domain = Text(required=True, **documented())
    verified = Flag(required=True, **documented())
    authenticated = Flag(required=True, **documented())
    dns_records = fields.Nested(DnsRecords, required=True, **documented())


class DomainDeleted(Output):
    message = Text(required=True, **proposed("no field is published", source="specification 4.2, but for the name"))


class DomainAuthenticated(Output):
    domain_name = Text(attribute="name", required=True, **documented())
    message = Text(required=True, **documented())
