"""The table of webhook events.

A new event is a new row, and nothing else: subscriptions, exports, payloads, stories and documents follow from the rows
(`catalogue`). docs/project/architecture.md walks through it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from mockserver.resources.webhooks.event import (
    INBOUND_EMAIL,
    INBOUND_SMS,
    MARKETING_EMAIL,
    MARKETING_SMS,
    TRANSACTIONAL_EMAIL,
    TRANSACTIONAL_SMS,
    Exported,
    MailEvent,
    Occurrence,
    PayloadName,
    RaisedEvent,
    When,
    campaign,
    contact,
    email,
    email_with_uuid,
    sms,
)


def _with(**members: Any) -> Callable[[Occurrence], Mapping[str, Any]]:
    """Return a function adding constant payload members."""
    return lambda _: members


_NOTHING_MORE = _with()
#: For `sent_to`: only the event's own subscribers.
_ITS_OWN = ()
_IN_NO_STORY: Mapping[str, float] = {}

#: The `reason` of what went well, which reports leave out.
SENT_REASON = "sent"
#: Addresses for documentation (RFC 5737): of the service as it sends an e-mail, and of the person who opens it.
_SENT_FROM = {"sending_ip": "198.51.100.7"}
_SEEN = {
    "sending_ip": "203.0.113.80",
    "user_agent": ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0"),
    "device_used": "DESKTOP",
}
#: The link of clicks.
CLICKED = "https://acme.test/offer"
_OPENED = _with(**_SEEN, link="")
_UNKNOWN_ADDRESS = _with(reason="550 5.1.1 The email account that you tried to reach does not exist", **_SENT_FROM)
_FULL_MAILBOX = _with(reason="452 4.2.2 The recipient's inbox is out of storage space", **_SENT_FROM)

#: Choices of an export that include several events, each with its position in the official enum.
_HARD_BOUNCE, _SOFT_BOUNCE = Exported("hardBounce", 3), Exported("softBounce", 4)
_DELIVERED, _SPAM, _REQUEST = Exported("delivered", 5), Exported("spam", 6), Exported("request", 7)
_OPEN, _CLICK, _UNSUBSCRIBED = Exported("opened", 8), Exported("click", 9), Exported("unsubscribed", 13)
_BY_PROXY = Exported("loadedByProxy", 16)


def _in_microseconds(at: datetime) -> str:
    return at.isoformat(timespec="microseconds").replace("+00:00", "Z")


_email = partial(RaisedEvent, categories=(TRANSACTIONAL_EMAIL,), when=When.ALWAYS, sent_to=_ITS_OWN)
_campaign = partial(
    RaisedEvent, categories=(MARKETING_EMAIL,), when=When.ALWAYS, sent_to=_ITS_OWN, reported=None, scenes=_IN_NO_STORY
)
_contact = partial(_campaign, members=contact, exported=None)
_sms = partial(
    RaisedEvent, when=When.ALWAYS, sent_to=_ITS_OWN, reported=None, members=sms, adds=_NOTHING_MORE, scenes=_IN_NO_STORY
)
_EVERY_SMS = (TRANSACTIONAL_SMS, MARKETING_SMS)

#: Events of e-mails, text messages and contacts, in the order in which documents list them.
RAISED: tuple[RaisedEvent, ...] = (
    # Transactional e-mails: contract/events#transactional; spam, `uuid` and what opens add as recorded (2026-09).
    _email(
        names=("sent", "request"), reported="requests", sent_as=PayloadName("request"), exported=_REQUEST,
        members=email, adds=_with(reason=SENT_REASON, **_SENT_FROM),
        scenes={
            "delivered": 0, "delivered_opened": 0, "delivered_opened_clicked": 0, "delivered_unsubscribed": 0,
            "delivered_complaint": 0, "deferred_delivered": 0, "soft_bounce": 0, "hard_bounce": 0, "blocked": 0,
            "invalid": 0,
        },
    ),
    _email(
        names=("delivered",), reported="delivered", sent_as=PayloadName("delivered"), exported=_DELIVERED,
        members=email_with_uuid, adds=_with(reason=SENT_REASON, **_SENT_FROM),
        scenes={
            "delivered": 2, "delivered_opened": 2, "delivered_opened_clicked": 2, "delivered_unsubscribed": 2,
            "delivered_complaint": 2, "deferred_delivered": 905,
        },
    ),
    _email(
        names=("hardBounce",), reported="hardBounces", sent_as=PayloadName("hard_bounce"),
        exported=_HARD_BOUNCE, members=email_with_uuid, adds=_UNKNOWN_ADDRESS, scenes={"hard_bounce": 3},
    ),
    _email(
        names=("softBounce",), reported="softBounces", sent_as=PayloadName("soft_bounce"),
        exported=_SOFT_BOUNCE, members=email_with_uuid, adds=_FULL_MAILBOX, scenes={"soft_bounce": 4},
    ),
    _email(
        names=("blocked",), reported="blocked", sent_as=PayloadName("blocked"),
        exported=Exported("blocked", 12), members=email_with_uuid,
        adds=_with(reason="blocked : due to blacklist user"), scenes={"blocked": 1},
    ),
    _email(
        names=("spam",), reported="spam", sent_as=PayloadName("spam", ("complaint",)), exported=_SPAM,
        members=email_with_uuid, adds=_NOTHING_MORE, scenes={"delivered_complaint": 3_600},
    ),
    _email(
        names=("invalid",), reported="invalid", sent_as=PayloadName("invalid_email"),
        exported=Exported("invalid", 10), members=email, adds=_NOTHING_MORE, scenes={"invalid": 0},
    ),
    _email(
        names=("deferred",), reported="deferred", sent_as=PayloadName("deferred"),
        exported=Exported("deferred", 11), members=email,
        adds=_with(reason="421 4.7.0 Try again later", **_SENT_FROM), scenes={"deferred_delivered": 5},
    ),
    _email(
        names=("click",), reported="clicks", sent_as=PayloadName("click"), exported=_CLICK, members=email,
        adds=_with(**_SEEN, link=CLICKED), scenes={"delivered_opened_clicked": 320},
    ),
    _email(
        names=("opened",), reported="opened", sent_as=PayloadName("opened"), exported=_OPEN, members=email,
        adds=_OPENED, scenes={"delivered_opened": 300, "delivered_opened_clicked": 300, "delivered_unsubscribed": 300},
    ),
    _email(
        names=("uniqueOpened",), reported=None, sent_as=PayloadName("unique_opened"),
        exported=Exported("uniqueOpened", 15), members=email,
        adds=_OPENED, scenes={"delivered_opened": 300, "delivered_opened_clicked": 300, "delivered_unsubscribed": 300},
    ),
    _email(
        names=("unsubscribed",), reported="unsubscribed", sent_as=PayloadName("unsubscribed", ("unsubscribe",)),
        exported=_UNSUBSCRIBED,
        members=email, adds=_with(**_SEEN, is_returnpath=False), scenes={"delivered_unsubscribed": 340},
    ),
    # No document lists `error` among subscriptions, but the service accepts it; that `blocked` includes it is proposed.
    _email(
        names=("error",), reported="error", sent_as=PayloadName("error"), sent_to=("error", "blocked"),
        exported=Exported("error", 14), members=email, adds=_with(reason="error while sending"), scenes=_IN_NO_STORY,
    ),
    # No webhook can subscribe to opens by proxy by their own names; which subscribers receive them is proposed.
    _email(
        names=("proxyOpen",), reported="loadedByProxy", when=When.NEVER, sent_as=PayloadName("proxy_open"),
        sent_to=("opened",), exported=_BY_PROXY,
        members=email, adds=_OPENED, scenes=_IN_NO_STORY,
    ),
    _email(
        names=("uniqueProxyOpen",), reported=None, when=When.NEVER, sent_as=PayloadName("unique_proxy_open"),
        sent_to=("uniqueOpened",),
        exported=_BY_PROXY, members=email, adds=_OPENED, scenes=_IN_NO_STORY,
    ),
    # Campaigns and contacts: contract/events#marketing.
    _campaign(
        names=("spam",), sent_as=PayloadName("spam"), exported=_SPAM, members=campaign,
        adds=_with(reason="complaint of the recipient"),
    ),
    _campaign(names=("opened",), sent_as=PayloadName("opened"), exported=_OPEN, members=campaign, adds=_NOTHING_MORE),
    _campaign(
        names=("click",), sent_as=PayloadName("click"), exported=_CLICK, members=campaign,
        adds=_with(URL=CLICKED),
    ),
    _campaign(
        names=("hardBounce",), sent_as=PayloadName("hard_bounced", ("hard_bounce",)), exported=_HARD_BOUNCE,
        members=campaign, adds=_UNKNOWN_ADDRESS,
    ),
    _campaign(
        names=("softBounce",), sent_as=PayloadName("soft_bounced", ("soft_bounce",)), exported=_SOFT_BOUNCE,
        members=campaign, adds=_FULL_MAILBOX,
    ),
    _campaign(
        names=("unsubscribed",), sent_as=PayloadName("unsubscribed", ("unsubscribe",)), exported=_UNSUBSCRIBED,
        members=campaign, adds=lambda what: {"list_id": list(what.campaign.list_ids), **_SENT_FROM},
    ),
    _contact(names=("listAddition",), sent_as=PayloadName("list_addition"), adds=lambda _: {"list_id": [8]}),
    _campaign(
        names=("delivered",), sent_as=PayloadName("delivered"), exported=_DELIVERED, members=campaign,
        adds=_with(**_SENT_FROM),
    ),
    # The specification leaves these two out of an update (contract/events#subscriptions).
    _contact(
        names=("contactUpdated",), when=When.CREATION, sent_as=PayloadName("contact_updated"),
        adds=lambda what: {"content": [{"email": what.to, "attributes": {"FIRSTNAME": "Bob"}}]},
    ),
    # A list in `email` and a moment in microseconds, unlike all other events: both were captured from the service.
    _contact(
        names=("contactDeleted",), when=When.CREATION, sent_as=PayloadName("contact_deleted"),
        adds=lambda what: {"email": [what.to], "date": _in_microseconds(what.at)},
    ),
    # From the vendor's changelog of April 2026; the members of the payload are proposed.
    _contact(
        names=("uniqueCouponSent",), sent_as=PayloadName("unique_coupon_sent"),
        adds=_with(coupon_code="ACME-4F7K", collection_id="23befbae-1505-47a8-bd27-e30ef739f32c"),
    ),
    _campaign(
        names=("proxyOpen",), when=When.NEVER, sent_as=PayloadName("proxy_open"), sent_to=("opened",),
        exported=_BY_PROXY,
        members=campaign, adds=_NOTHING_MORE,
    ),
    # No source says what payloads call some of the statuses; those have the event's own name
    # (contract/events#text-messages).
    _sms(names=("accepted",), categories=(TRANSACTIONAL_SMS,), sent_as=PayloadName("accepted"), exported=None),
    _sms(names=("sent",), categories=_EVERY_SMS, sent_as=PayloadName("sent"), exported=_REQUEST),
    _sms(names=("delivered",), categories=_EVERY_SMS, sent_as=PayloadName("delivered"), exported=_DELIVERED),
    _sms(names=("softBounce",), categories=_EVERY_SMS, sent_as=PayloadName("soft_bounce"), exported=_SOFT_BOUNCE),
    _sms(names=("hardBounce",), categories=_EVERY_SMS, sent_as=PayloadName("hard_bounce"), exported=_HARD_BOUNCE),
    _sms(names=("unsubscribe",), categories=_EVERY_SMS, sent_as=PayloadName("unsubscribe"), exported=None),
    _sms(names=("reply",), categories=_EVERY_SMS, sent_as=PayloadName("reply"), exported=None),
    _sms(names=("subscribe",), categories=_EVERY_SMS, sent_as=PayloadName("subscribe"), exported=None),
    _sms(names=("skip",), categories=_EVERY_SMS, sent_as=PayloadName("skip"), exported=None),
    _sms(names=("blacklisted",), categories=(TRANSACTIONAL_SMS,), sent_as=PayloadName("blacklisted"), exported=None),
)  # fmt: skip

#: Events of received mails; a webhook that subscribes to several of them receives the first one.
RECEIVED: tuple[MailEvent, ...] = (
    MailEvent(
        names=("inboundEmailProcessed",), categories=(INBOUND_EMAIL, INBOUND_SMS), when=When.ALWAYS, exported=None,
        is_reply=False,
    ),
    # The specification names it for an update (contract/events#subscriptions).
    MailEvent(
        names=("reply",), categories=(INBOUND_EMAIL, INBOUND_SMS), when=When.CHANGE, exported=None, is_reply=True
    ),
)  # fmt: skip
