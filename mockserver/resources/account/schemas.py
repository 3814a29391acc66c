"""Account details on the wire."""

from __future__ import annotations

from marshmallow import fields

from mockserver.resources.account.model import PLAN_TYPES
from mockserver.web.schemas.evidence import OPENAPI_NEWEST, documented, observed
from mockserver.web.schemas.fields import Choice, Email, Flag, Int64, Number, Quantity, Text, Timezone
from mockserver.web.schemas.schema import Output


class Address(Output):
    street = Text(required=True, **documented("the street"))
    city = Text(required=True, **documented("the city"))
    zipCode = Text(required=True, **documented("the postal code"))
    country = Text(required=True, **documented("the name of the country"))


class Plan(Output):
    type = Choice(*PLAN_TYPES, required=True, **documented("what the credits are for"))
    creditsType = Choice("sendLimit", required=True, **documented("what the credits limit"))
    credits = Number(required=True, validate=Quantity(), **documented("remaining; of SMS fractional; -1: unlimited"))
    startDate = Text(**documented("left out unless the scenario gives it: clients disagree on its form"))
    endDate = Text(**documented("left out unless the scenario gives it"))


class Seats(Output):
    purchasedSeats = Text(required=True, **documented("a number as string"))
    usedSeats = Text(required=True, **documented("a number as string"))


class PlanVertical(Output):
    planCategory = Choice("Marketing", "Chat", "CRM", required=True, **documented("the product"))
    planType = Text(required=True, **documented("the kind of plan"))
    name = Text(required=True, **documented("its name"))
    status = Choice("active", "inactive", required=True, **documented("whether it is in use"))
    startDate = Text(**documented("Unix seconds as string"))
    endDate = Text(**documented("Unix seconds as string"))
    users = fields.Nested(Seats, **documented("the seats of a plan with users"))
    credits = Text(**documented("a number as string"))


class RelayData(Output):
    userName = Email(required=True, **documented("the login"))
    relay = Text(required=True, **documented("the host"))
    port = Int64(required=True, **documented("the port"))


class Relay(Output):
    enabled = Flag(required=True, **documented("whether e-mails can be sent by SMTP"))
    data = fields.Nested(RelayData, required=True, **documented("the server and the login"))


class MarketingAutomation(Output):
    enabled = Flag(required=True, **documented("whether it is on"))
    key = Text(**documented("only when enabled"))


class DateTimePreferences(Output):
    timezone = Timezone(required=True, **observed("IANA name", source="contract/account#getAccount"))
    timeFormat = Choice(
        "12", "24", required=True, **observed("hours of a day or of half a day", source="contract/account#getAccount")
    )
    dateFormat = Text(required=True, **observed("such as mm-dd-yyyy", source="contract/account#getAccount"))


class AccountOut(Output):
    """The account behind the key, as getAccount answers it (specification 4.4)."""

    names_from = OPENAPI_NEWEST

    organization_id = Text(required=True, **documented("24 hexadecimal digits"))
    user_id = Int64(required=True, **documented())
    enterprise = Flag(required=True, **documented())
    email = Email(required=True, **documented("login e-mail"))
    firstName = Text(required=True, **documented())
    lastName = Text(required=True, **documented())
    companyName = Text(required=True, **documented())
    address = fields.Nested(Address, **documented())
    plan = fields.List(fields.Nested(Plan), required=True, **documented())
    planVerticals = fields.List(fields.Nested(PlanVertical), **documented("only when available"))
    relay = fields.Nested(Relay, required=True, **documented())
    marketingAutomation = fields.Nested(MarketingAutomation, **documented())
    dateTimePreferences = fields.Nested(
        DateTimePreferences, **observed("of newer accounts", source="contract/account#getAccount")
    )
    language = Text(**observed("of newer accounts", source="contract/account#getAccount"))
