"""Master and sub-accounts on the wire."""

from __future__ import annotations

from typing import Any

from marshmallow import fields, post_load, validate

from mockserver.core.contract.errors import INVALID_PARAMETER, MISSING_PARAMETER
from mockserver.core.state.state import LANGUAGES
from mockserver.resources.corporate.pool import SWITCHES, Allotment
from mockserver.web.schemas.errors import Sentence
from mockserver.web.schemas.evidence import OPENAPI, documented
from mockserver.web.schemas.fields import (
    INT64_MAX,
    Choice,
    Email,
    Flag,
    Int64,
    List,
    NotBlank,
    Number,
    Quantity,
    Range,
    Text,
    Timezone,
    UnixMoment,
    identifier,
)
from mockserver.web.schemas.schema import Input, Output

_BAD_EMAIL = Sentence(INVALID_PARAMETER, "Invalid email address")


class SubAccountPath(Input):
    sub_account_id = identifier("id")


class DeletedSubAccountPath(Input):
    """The id of a delete; if malformed, `missing_parameter` as documented (contract/corporate#deleteSubAccount)."""

    sub_account_id = identifier("id")

    def handle_error(self, error: Any, data: Any, **_: Any) -> None:
        error.messages = {"id": [Sentence(MISSING_PARAMETER, f"Sub-account {data['id']} is not valid")]}


class SubAccountPage(Input):
    offset = Int64(text=True, required=True, validate=Range(min=0), **documented("index of the first"))
    limit = Int64(text=True, required=True, validate=Range(min=1), **documented("page size; it has no maximum"))


class NewSubAccount(Input):
    companyName = Text(required=True, validate=NotBlank(), **documented())
    email = Email(required=True, error=_BAD_EMAIL, **documented())
    groupIds = List(Text, **documented("groups of the master account; one that is named twice counts once"))
    language = Choice(*LANGUAGES, **documented())
    timezone = Timezone(**documented("IANA name"))


class SubAccountCreated(Output):
    id = Int64(required=True, **documented())


class GroupOut(Output):
    id = Text(**documented("24 hexadecimal digits"))
    name = Text(**documented())


class DetailGroup(GroupOut):
    names_from = "specification 2.8"


class SubAccountEntry(Output):
    id = Int64(required=True, **documented())
    companyName = Text(required=True, **documented())
    active = Flag(required=True, **documented())
    createdAt = UnixMoment(required=True, **documented("Unix seconds"))
    groups = fields.List(fields.Nested(GroupOut), required=True, **documented())


class SubAccounts(Output):
    count = Int64(**documented("all sub-accounts"))
    subAccounts = fields.List(fields.Nested(SubAccountEntry), **documented())


class Balance(Output):
    names_from = "specification 2.8"

    quantity = Int64(**documented("-1: unlimited"))
    remaining = Int64(**documented("-1: unlimited"))


class CreditsOut(Output):
    names_from = "specification 2.8"

    emails = fields.Nested(Balance, **documented())
    sms = fields.Nested(Balance, **documented())
    wpSubscribers = fields.Nested(Balance, **documented("push credits"))
    whatsapp = fields.Nested(Balance, **documented())
    externalFeeds = fields.Nested(Balance, **documented())


class FeaturesOut(Output):
    names_from = "specification 2.8"

    inbox = fields.Nested(Balance, **documented("not on the v2 solution"))
    landingPage = fields.Nested(Balance, **documented("not on the v2 solution"))
    users = fields.Nested(Balance, **documented("marketing users"))
    salesUsers = fields.Nested(Balance, **documented("sales and service users"))


class SubAccountPlan(Output):
    names_from = "specification 2.8"

    planType = Text(**documented())
    credits = fields.Nested(CreditsOut, **documented())
    features = fields.Nested(FeaturesOut, **documented())


class SubAccountDetail(Output):
    names_from = "specification 2.8"

    name = Text(**documented("name of the user"))
    email = Email(**documented("organization e-mail"))
    companyName = Text(**documented())
    groups = fields.List(fields.Nested(DetailGroup), **documented())
    planInfo = fields.Nested(SubAccountPlan, **documented())


#: Validators of fractional amounts: at least 0, or -1.
_FRACTION = (Range(min=-1), Quantity(), Range(max=INT64_MAX))
#: JSON Schema of `_FRACTION`.
_FRACTION_SCHEMA = [{"minimum": 0}, {"const": -1}]


class Credits(Input):
    """The credits in the body of a plan update (specification 4.5)."""

    names_from = OPENAPI

    email = Int64(validate=Range(-1, INT64_MAX), **documented("-1: unlimited, v2 only", bounds="specification 2.8"))
    sms = Number(
        validate=_FRACTION, **documented("-1: unlimited, v2 only", bounds="specification 2.8", anyOf=_FRACTION_SCHEMA)
    )
    whatsapp = Number(
        validate=_FRACTION, **documented("-1: unlimited, v2 only", bounds="specification 2.8", anyOf=_FRACTION_SCHEMA)
    )
    wpSubscribers = Int64(
        validate=validate.OneOf(SWITCHES["wpSubscribers"], error="Must be 0 or -1"), **documented("0 or -1, v2 only")
    )
    externalFeeds = Int64(
        validate=validate.OneOf(SWITCHES["externalFeeds"], error="Must be 0 or 1"), **documented("0 or 1, v2 only")
    )


class BulkFeatures(Input):
    names_from = OPENAPI

    users = Int64(validate=Range(0, INT64_MAX), **documented())
    landingPage = Int64(validate=Range(0, INT64_MAX), **documented())
    salesUsers = Int64(validate=Range(0, INT64_MAX), **documented("v2 only"))


class Features(BulkFeatures):
    inbox = Int64(validate=Range(0, INT64_MAX), **documented("not needed on v2"))


class PlanChange(Input):
    credits = fields.Nested(Credits, **documented())
    features = fields.Nested(Features, **documented())

    @post_load
    def _as_allotment(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Replace credits and features by `change`."""
        change = Allotment(data.pop("credits", {}), data.pop("features", {}))
        return {**data, "change": change}


class PlansChange(PlanChange):
    subAccountIds = List(Int64, required=True, **documented("one at least (proposed)", minItems=1))
    features = fields.Nested(BulkFeatures, **documented("without inbox"))


class NewKey(Input):
    names_from = OPENAPI

    id = Int64(
        required=True,
        error=Sentence(INVALID_PARAMETER, "id should be a positive number"),
        validate=validate.Range(min=1),
        **documented("sub-account", bounds=OPENAPI),
    )
    name = Text(required=True, validate=NotBlank(), **documented("label"))


class KeyCreated(Output):
    status = Text(required=True, **documented("success"))
    key = Text(required=True, **documented("shown only here"))


class BillingName(Output):
    givenName = Text(**documented("the first name"))
    familyName = Text(**documented("the last name"))


class BillingAddress(Output):
    streetAddress = Text(**documented("street and number"))
    locality = Text(**documented("the city"))
    postalCode = Text(**documented("the postal code"))
    stateCode = Text(**documented("the state or region"))
    countryCode = Text(**documented("ISO 3166 alpha-2"))


class BillingInfo(Output):
    email = Email(**documented("where invoices go"))
    companyName = Text(**documented("the company"))
    name = fields.Nested(BillingName, **documented("the person"))
    address = fields.Nested(BillingAddress, **documented("the address of the company"))


class MasterFeature(Output):
    name = Text(**documented("such as MULTI_USER, INBOX, LANDING_PAGE, RECURRING_CREDITS"))
    unitValue = Text(**documented("the unit that is counted"))
    quantity = Int64(**documented("how many there are"))
    used = Int64(**documented("given to sub-accounts"))
    remaining = Int64(**documented("how many are left"))
    quantityWithOverages = Int64(**documented("v2 only"))
    usedOverages = Int64(**documented("v2 only"))


class MasterPlan(Output):
    currencyCode = Text(**documented("ISO 4217"))
    nextBillingAt = Int64(**documented("Unix seconds"))
    price = Number(**documented("what a period costs, in the currency"))
    planPeriod = Choice("month", "year", **documented("how long a period is"))
    subAccounts = Int64(**documented("how many there are"))
    features = List(fields.Nested(MasterFeature), **documented("what the plan includes"))


class MasterOut(Output):
    id = Int64(**documented())
    email = Email(**documented())
    companyName = Text(**documented())
    currencyCode = Text(**documented("ISO 4217"))
    timezone = Text(**documented("IANA name"))
    billingInfo = fields.Nested(BillingInfo, **documented())
    planInfo = fields.Nested(MasterPlan, **documented())
