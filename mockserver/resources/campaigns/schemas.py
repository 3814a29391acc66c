"""Campaigns and shared addresses on the wire."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import Any

from marshmallow import ValidationError, fields

from mockserver.core.time.duration import parse_instant
from mockserver.resources.templates.parts import ChosenSender, TextFlag
from mockserver.resources.templates.parts import MessageCreated as MessageCreated
from mockserver.resources.templates.parts import TestAddresses as TestAddresses
from mockserver.web.schemas.errors import Longest
from mockserver.web.schemas.evidence import CLIENT, OPENAPI, documented, proposed
from mockserver.web.schemas.fields import (
    Choice,
    Email,
    Flag,
    Int64,
    JsonObject,
    List,
    MillisecondMoment,
    Number,
    Range,
    Text,
    Url,
    identifier,
    with_metadata,
)
from mockserver.web.schemas.schema import Compact, Input, Output

#: The most characters of a content: less than 1 MB (brevo-python 5.1.0).
LONGEST_HTML = 1_000_000
#: The statistics that a query can ask for; the last two of a single campaign only.
_STATISTICS = ("globalStats", "linksStats", "statsByDomain", "statsByDevice", "statsByBrowser")


class CampaignPath(Input):
    campaign_id = identifier("campaignId")


class SharePath(Input):
    share = Text(required=True, **proposed("the last part of a sharedUrl", source="the mock's own"))


class SharedUrl(Output):
    names_from = "specification 2.10"

    sharedUrl = Url(required=True, **documented("shows the template to whoever has it"))


class _Instant(fields.Field[datetime]):
    """A date-time with any offset, or in UTC without one; a blank replaces an unencoded plus sign."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**with_metadata(kwargs, type="string", format="date-time"))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> datetime:
        if isinstance(value, str):
            for text in (value, f"{value}Z", value.replace(" ", "+")):
                with suppress(ValueError):
                    return parse_instant(text)
        raise ValidationError("Not a valid date-time, the format is YYYY-MM-DDTHH:mm:ss.SSSZ")


# ---------------------------------------------------------------------- bodies


class ChosenLists(Compact):
    listIds = List(Int64, **documented("required with scheduledAt, unless there are segments"))
    exclusionListIds = List(Int64, **documented("lists whose contacts get no e-mail"))
    segmentIds = List(Int64, **documented("kept, without an effect"))
    exclusionSegmentIds = List(Int64, **documented("kept, without an effect"))


class Lifetime(Compact):
    duration = Int64(validate=Range(1, 3600), **documented(bounds=OPENAPI))
    unit = Choice("days", "weeks", "months", **documented())


class _Content(Compact):
    subject = Text(**documented("required without abTesting and templateId"))
    htmlContent = Text(validate=Longest(LONGEST_HTML), **documented("over 10 characters, below 1 MB", bounds=CLIENT))
    htmlUrl = Url(**documented("not fetched; not together with htmlContent"))
    recipients = fields.Nested(ChosenLists, **documented())
    scheduledAt = _Instant(**documented("in the future"))
    replyTo = Email(**documented())
    toField = Text(**documented())
    tag = Text(**documented())
    attachmentUrl = Url(**documented("not fetched"))
    params = JsonObject(**documented("the values of `{{ params.NAME }}`", type="object"))


class _Options(_Content):
    """The members that are kept and shown without an effect."""

    abTesting = Flag(**documented("needs subjectA and subjectB, and no sendAtBestTime"))
    subjectA = Text(**documented("required with abTesting"))
    subjectB = Text(**documented("required with abTesting, and another text than subjectA"))
    splitRule = Int64(validate=Range(1, 50), **documented("required with abTesting and recipients", bounds=OPENAPI))
    winnerCriteria = Choice("open", "click", **documented("required with a splitRule below 50"))
    winnerDelay = Int64(validate=Range(1, 168), **documented("required with a splitRule below 50", bounds=OPENAPI))
    sendAtBestTime = Flag(**documented())
    previewText = Text(**documented())
    header = Text(**documented())
    footer = Text(**documented())
    inlineImageActivation = Flag(**documented())
    mirrorActive = Flag(**documented())
    utmCampaign = Text(**documented())
    emailExpirationDate = fields.Nested(Lifetime, **documented())
    ipWarmupEnable = Flag(**documented("needs initialQuota and increaseRate"))
    initialQuota = Int64(validate=Range(2), **documented("required with ipWarmupEnable", bounds=CLIENT))
    increaseRate = Int64(validate=Range(0, 100), **documented("required with ipWarmupEnable", bounds=OPENAPI))
    unsubscriptionPageId = Text(**documented())
    updateFormId = Text(**documented())


class NewCampaign(_Options):
    name = Text(required=True, **documented())
    sender = fields.Nested(ChosenSender, required=True, **documented())
    templateId = Int64(**documented("an active template, whose content is copied; not together with another content"))


class CampaignChanges(_Options):
    name = Text(**documented())
    sender = fields.Nested(ChosenSender, **documented())
    recurring = Flag(**documented("of trigger campaigns; kept, without an effect"))


class CampaignStatus(Compact):
    status = Choice(
        "suspended", "archive", "darchive", "sent", "queued", "replicate", "replicateTemplate", "draft",
        **documented("required (proposed)"),
    )  # fmt: skip


# ---------------------------------------------------------------------- queries


class CampaignFilter(Input):
    type = Choice("classic", "trigger", **documented("all campaigns are classic here"))
    status = Choice("suspended", "archive", "sent", "queued", "draft", "inProcess", "inReview", **documented())
    statistics = Choice(*_STATISTICS[:3], **documented("the statistics of the answer"))
    startDate = _Instant(**documented("of sent campaigns; needs endDate"))
    endDate = _Instant(**documented("of sent campaigns; needs startDate"))
    limit = Int64(text=True, load_default=50, validate=Range(0, 100), **documented(bounds=OPENAPI))
    offset = Int64(text=True, load_default=0, validate=Range(0), **documented())
    sort = Choice("asc", "desc", load_default="desc", **documented("by creation"))
    excludeHtmlContent = TextFlag(load_default=False, **documented("answer with an empty htmlContent"))


class CampaignView(Input):
    statistics = Choice(*_STATISTICS, **documented("the statistics of the answer"))
    excludeHtmlContent = TextFlag(load_default=False, **documented("answer with an empty htmlContent", source=CLIENT))


# ---------------------------------------------------------------------- answers


class CampaignSender(Output):
    email = Email(**documented())
    id = Int64(**documented("if the account has the sender"))
    name = Text(**documented())


class CampaignLists(Output):
    lists = fields.List(Int64, required=True, **documented())
    exclusionLists = fields.List(Int64, required=True, **documented())


#: The members of statistics, and those that an answer may leave out.
_STATS = (
    "listId", "appleMppOpens", "clickers", "complaints", "deferred", "delivered", "estimatedViews", "hardBounces",
    "opensRate", "returnBounce", "sent", "softBounces", "trackableViews", "trackableViewsRate", "uniqueClicks",
    "uniqueViews", "unsubscriptions", "viewed",
)  # fmt: skip
_OPTIONAL = frozenset({"listId", "deferred", "estimatedViews", "returnBounce", "trackableViewsRate"})
CampaignStats = Output.from_dict(
    {
        name: (Number if name.endswith("Rate") else Int64)(required=name not in _OPTIONAL, **documented())
        for name in _STATS
    },
    name="CampaignStats",
)


CampaignDevices = Output.from_dict(
    {name: fields.Dict(**documented()) for name in ("desktop", "mobile", "tablet", "unknown")}, name="CampaignDevices"
)


class CampaignStatistics(Output):
    globalStats = fields.Nested(CampaignStats, required=True, **documented("zeros unless the query asks for it"))
    campaignStats = fields.List(fields.Nested(CampaignStats), required=True, **documented("of each list"))
    mirrorClick = Int64(required=True, **documented())
    remaining = Int64(required=True, **documented())
    linksStats = fields.Dict(required=True, **documented("empty unless the query asks for it"))
    statsByDomain = fields.Dict(required=True, **documented("empty unless the query asks for it"))
    statsByDevice = fields.Nested(CampaignDevices, required=True, **documented("empty unless the query asks for it"))
    statsByBrowser = fields.Dict(required=True, **documented("empty unless the query asks for it"))


class CampaignOut(Output):
    id = Int64(required=True, **documented())
    name = Text(required=True, **documented())
    type = Text(required=True, **documented("always classic"))
    status = Text(required=True, **documented("in_process in review, too"))
    subject = Text(**documented("without abTesting"))
    previewText = Text(**documented())
    abTesting = Flag(**documented())
    subjectA = Text(**documented("with abTesting"))
    subjectB = Text(**documented("with abTesting"))
    splitRule = Int64(**documented("with abTesting"))
    winnerCriteria = Text(**documented("with abTesting"))
    winnerDelay = Int64(**documented("with abTesting"))
    scheduledAt = MillisecondMoment(**documented())
    sendAtBestTime = Flag(**documented())
    sentDate = MillisecondMoment(**documented("once it is sent"))
    createdAt = MillisecondMoment(required=True, **documented())
    modifiedAt = MillisecondMoment(required=True, **documented())
    testSent = Flag(required=True, **documented())
    header = Text(required=True, **documented())
    footer = Text(required=True, **documented())
    sender = fields.Nested(CampaignSender, required=True, **documented())
    replyTo = Email(required=True, **documented("the sender if none was given (proposed)"))
    toField = Text(**documented())
    htmlContent = Text(required=True, **documented("an empty text if there is none"))
    shareLink = Url(**documented("once it was shared"))
    tag = Text(**documented())
    inlineImageActivation = Flag(**documented())
    mirrorActive = Flag(**documented())
    recurring = Flag(**documented())
    utmCampaignValue = Text(**documented())
    recipients = fields.Nested(CampaignLists, required=True, **documented())
    statistics = fields.Nested(CampaignStatistics, required=True, **documented())


class Campaigns(Output):
    campaigns = fields.List(fields.Nested(CampaignOut), **documented())
    count = Int64(**documented("of all that the query asks for"))
