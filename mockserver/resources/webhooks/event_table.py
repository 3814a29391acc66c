"""The events that webhooks are told of, a row each: who may subscribe to them, and what their payloads add."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple

TRANSACTIONAL, MARKETING, INBOUND = TYPES = ("transactional", "marketing", "inbound")
EMAIL, SMS = CHANNELS = ("email", "sms")
CREATION, CHANGE = "creation", "change"
INBOUND_DEFAULT, REPLY = "inboundEmailProcessed", "reply"


class Occurrence(NamedTuple):
    """Something that a webhook may be told: what, to whom, when, and the e-mail that it happened to."""

    event: str
    to: str
    at: datetime
    message_id: str
    subject: str = "Hello"
    tags: tuple[str, ...] = ()
    #: The address from which the e-mail was sent; empty: the account's first one that is verified.
    sender: str = ""


class Event(NamedTuple):
    """An event of one type and channel of webhooks."""

    #: As webhooks subscribe to it.
    name: str
    #: What payloads call it.
    told_as: str
    #: What a payload has beside the members that all of its kind have.
    adds: Mapping[str, Any] = MappingProxyType({})
    #: Whether a payload has the id of the e-mail.
    has_uuid: bool = False
    #: What happened to a contact, where it is no event of a campaign.
    of_contact: Callable[[Occurrence], Mapping[str, Any]] | None = None
    #: When a webhook may subscribe to it.
    when: tuple[str, ...] = (CREATION, CHANGE)
    #: The event that it is another name of; a webhook that subscribes to it reads back that one.
    same_as: str = ""
    #: Whose subscribers are told of it, if not its own only.
    told_to: tuple[str, ...] = ()
    #: Whether sources contradict each other about `told_as`, so that a scenario may choose.
    is_contested: bool = False


#: Documentation addresses, RFC 5737: of the service, and of who opens an e-mail.
_SENT_FROM = {"sending_ip": "198.51.100.7"}
_SEEN = {
    "sending_ip": "203.0.113.80",
    "user_agent": ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0"),
    "device_used": "DESKTOP",
}
_OPENED = {**_SEEN, "link": ""}
_UNKNOWN_ADDRESS = {"reason": "550 5.1.1 The email account that you tried to reach does not exist", **_SENT_FROM}
_FULL_MAILBOX = {"reason": "452 4.2.2 The recipient's inbox is out of storage space", **_SENT_FROM}

#: SPEC 6, ledger 3.3 and 3.4; spam, `uuid` and what opens add as recorded in September 2026 (ledger 3.3).
_TRANSACTIONAL_EMAIL = (
    Event("sent", "request", same_as="request"),
    Event("request", "request", {"reason": "sent", **_SENT_FROM}),
    Event("delivered", "delivered", {"reason": "sent", **_SENT_FROM}, has_uuid=True),
    Event("hardBounce", "hard_bounce", _UNKNOWN_ADDRESS, has_uuid=True),
    Event("softBounce", "soft_bounce", _FULL_MAILBOX, has_uuid=True),
    Event("blocked", "blocked", {"reason": "blocked : due to blacklist user"}, has_uuid=True),
    Event("spam", "spam", has_uuid=True, is_contested=True),
    Event("invalid", "invalid_email"),
    Event("deferred", "deferred", {"reason": "421 4.7.0 Try again later", **_SENT_FROM}),
    Event("click", "click", {**_SEEN, "link": "https://acme.test/offer"}),
    Event("opened", "opened", _OPENED),
    Event("uniqueOpened", "unique_opened", _OPENED),
    Event("unsubscribed", "unsubscribed", {**_SEEN, "is_returnpath": False}, is_contested=True),
    # No document has it among subscriptions, and the service takes it; that those to `blocked` hear of it is proposed.
    Event("error", "error", {"reason": "error while sending"}, told_to=("error", "blocked")),
    # Nothing subscribes to them by their names; who hears of them is proposed.
    Event("proxyOpen", "proxy_open", _OPENED, told_to=("opened",), when=()),
    Event("uniqueProxyOpen", "unique_proxy_open", _OPENED, told_to=("uniqueOpened",), when=()),
)
#: SPEC 6, ledger 3.3 and 3.5. SPEC leaves two events of contacts out of an update (ledger 7 row 4).
_MARKETING_EMAIL = (
    Event("spam", "spam", {"reason": "complaint of the recipient"}),
    Event("opened", "opened"),
    Event("click", "click", {"URL": "https://acme.test/offer"}),
    Event("hardBounce", "hard_bounced", _UNKNOWN_ADDRESS, is_contested=True),
    Event("softBounce", "soft_bounced", _FULL_MAILBOX, is_contested=True),
    Event("unsubscribed", "unsubscribed", {"list_id": [8], **_SENT_FROM}, is_contested=True),
    Event("listAddition", "list_addition", of_contact=lambda _: {"list_id": [8]}),
    Event("delivered", "delivered", _SENT_FROM),
    Event(
        "contactUpdated", "contact_updated", when=(CREATION,),
        of_contact=lambda what: {"content": [{"email": what.to, "attributes": {"FIRSTNAME": "Bob"}}]},
    ),
    # The service sends a list here, and a moment of another form: both were captured.
    Event(
        "contactDeleted", "contact_deleted", when=(CREATION,),
        of_contact=lambda what: {"email": [what.to], "date": _in_microseconds(what.at)},
    ),
    # The vendor's changelog of April 2026; the members are proposed.
    Event(
        "uniqueCouponSent", "unique_coupon_sent",
        of_contact=lambda _: {"coupon_code": "ACME-4F7K", "collection_id": "23befbae-1505-47a8-bd27-e30ef739f32c"},
    ),
    Event("proxyOpen", "proxy_open", told_to=("opened",), when=()),
)  # fmt: skip
#: Ledger 2.14 and 3.7: of some statuses no source says how they are told, and those have the event's own name.
_MARKETING_SMS = (
    Event("sent", "sent"),
    Event("delivered", "delivered"),
    Event("softBounce", "soft_bounce"),
    Event("hardBounce", "hard_bounce"),
    Event("unsubscribe", "unsubscribe"),
    Event("reply", "reply"),
    Event("subscribe", "subscribe"),
    Event("skip", "skip"),
)
_TRANSACTIONAL_SMS = (Event("accepted", "accepted"), *_MARKETING_SMS, Event("blacklisted", "blacklisted"))
#: Their payload has no name of the event (ledger 3.6). SPEC 6 names the second one for an update.
_INBOUND = (Event(INBOUND_DEFAULT, ""), Event(REPLY, "", when=(CHANGE,)))

#: The events of a type and a channel, by the names that webhooks subscribe to.
TABLE: Mapping[tuple[str, str], Mapping[str, Event]] = {
    form: {row.name: row for row in rows}
    for form, rows in {
        (TRANSACTIONAL, EMAIL): _TRANSACTIONAL_EMAIL,
        (MARKETING, EMAIL): _MARKETING_EMAIL,
        (TRANSACTIONAL, SMS): _TRANSACTIONAL_SMS,
        (MARKETING, SMS): _MARKETING_SMS,
        (INBOUND, EMAIL): _INBOUND,
        (INBOUND, SMS): _INBOUND,
    }.items()
}
#: What a webhook may subscribe to when it is made, and when it is changed.
CREATE_EVENTS = {form: tuple(row.name for row in rows.values() if CREATION in row.when) for form, rows in TABLE.items()}
UPDATE_EVENTS = {form: tuple(row.name for row in rows.values() if CHANGE in row.when) for form, rows in TABLE.items()}
#: What a webhook can have come to.
HELD_EVENTS = {form: frozenset(CREATE_EVENTS[form]) | frozenset(UPDATE_EVENTS[form]) for form in TABLE}
#: The events of ledger 2.14 and 6, of all types and channels.
EVENTS = tuple(dict.fromkeys(name for form, rows in TABLE.items() for name in rows if name in HELD_EVENTS[form]))
#: Payloads' names of events that a scenario may choose; the last one is the older name of `spam`, and of nothing now.
CONTESTED = (
    *dict.fromkeys(row.told_as for rows in TABLE.values() for row in rows.values() if row.is_contested),
    "complaint",
)


def subscribed(form: tuple[str, str], names: Iterable[str]) -> list[str]:
    """Events as a webhook that subscribes to them reads them back: each once, by its first name."""
    rows = TABLE[form]
    return list(dict.fromkeys(rows[name].same_as or name for name in names))


def event(form: tuple[str, str], name: str) -> Event:
    """The row of an event, by any of its names."""
    row = TABLE[form][name]
    return TABLE[form][row.same_as] if row.same_as else row


def _in_microseconds(at: datetime) -> str:
    return at.isoformat(timespec="microseconds").replace("+00:00", "Z")
