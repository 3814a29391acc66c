"""Senders on the wire."""

from __future__ import annotations

from marshmallow import fields

from mockserver.resources.senders.model import OTP_RANGE
from mockserver.web.schemas.evidence import OPENAPI, OPENAPI_OLDER, documented
from mockserver.web.schemas.fields import Email, Flag, Int64, List, NotBlank, Range, Text, identifier
from mockserver.web.schemas.schema import Input, Output


class SenderPath(Input):
    sender_id = identifier("senderId")


class SenderFilter(Input):
    ip = Text(**documented("senders of this dedicated IP"))
    domain = Text(**documented("senders of this domain, compared without case, in either spelling"))


class IpShareIn(Input):
    names_from = OPENAPI

    domain = Text(required=True, **documented("domain of the IP"))
    ip = Text(required=True, **documented("a dedicated IP of the account"))
    weight = Int64(
        **documented(
            "1 to 100, for all IPs or for none (an equal split); their sum is 100",
            bounds=OPENAPI_OLDER,
            minimum=1,
            maximum=100,
        )
    )


class NewSender(Input):
    email = Email(required=True, **documented("a verification mail with the code goes here"))
    name = Text(required=True, validate=NotBlank(), **documented("From name"))
    ips = List(fields.Nested(IpShareIn), **documented("required for accounts with dedicated IPs"))


class SenderChanges(Input):
    email = Email(**documented("another address is to be verified anew (proposed)"))
    name = Text(validate=NotBlank(), **documented())
    ips = List(fields.Nested(IpShareIn), **documented("replaces all current IPs"))


class Otp(Input):
    otp = Int64(
        required=True, validate=Range(*OTP_RANGE), **documented("the code of the verification mail", bounds=OPENAPI)
    )


class SenderCreated(Output):
    id = Int64(required=True, **documented())
    spfError = Flag(attribute="spf_error", **documented("true: SPF is not well configured"))
    dkimError = Flag(attribute="dkim_error", **documented("true: DKIM is not well configured"))


class IpShareOut(Output):
    domain = Text(required=True, **documented())
    ip = Text(required=True, **documented())
    weight = Int64(required=True, **documented())


class SenderOut(Output):
    id = Int64(required=True, **documented())
    name = Text(required=True, **documented("From name"))
    email = Email(required=True, **documented("From address"))
    active = Flag(required=True, **documented("whether it is verified"))
    ips = fields.List(fields.Nested(IpShareOut), required=True, **documented("empty for standard accounts"))


class Senders(Output):
    senders = fields.List(fields.Nested(SenderOut), **documented())


class DedicatedIpOut(Output):
    id = Int64(required=True, **documented())
    ip = Text(required=True, **documented("IPv4 text"))
    domain = Text(required=True, **documented())
    active = Flag(required=True, **documented())


class DedicatedIps(Output):
    ips = fields.List(fields.Nested(DedicatedIpOut), required=True, **documented("empty for standard accounts"))


class SenderIpOut(Output):
    id = Int64(required=True, **documented())
    ip = Text(required=True, **documented())
    domain = Text(required=True, **documented())
    weight = Int64(required=True, **documented())


class SenderIps(Output):
    ips = fields.List(fields.Nested(SenderIpOut), required=True, **documented())
