"""The progress and the statistics of campaigns, which follow from their events (contract/campaigns#statistics)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from typing import Any

from mockserver.core.state.state import Account
from mockserver.core.state.tables import Bounded
from mockserver.core.text.addresses import comparable, domain_of
from mockserver.core.time.clock import EARLIEST, LATEST
from mockserver.resources.campaigns.audience import Audience
from mockserver.resources.campaigns.campaign import Campaign
from mockserver.resources.contacts.rows import EMAIL_ID, find_contact

#: The members of statistics in which an event counts: each time, and once for each recipient.
_EACH = {"opened": "viewed", "click": "clickers"}
_ONCE = {
    "hardBounce": "hardBounces", "softBounce": "softBounces", "opened": "uniqueViews", "click": "uniqueClicks",
    "unsubscribed": "unsubscriptions", "spam": "complaints", "proxyOpen": "appleMppOpens",
}  # fmt: skip
SENT, DELIVERED = "sent", "delivered"
#: The events of a campaign's e-mails; deliveries count by themselves, and once.
COUNTED_EVENTS = frozenset({DELIVERED, *_EACH, *_ONCE})
_COUNTED = (SENT, DELIVERED, *dict.fromkeys((*_EACH.values(), *_ONCE.values())))
_CLICK = "click"
#: The most links whose clicks a campaign counts, and the most characters of a link. Chosen: more than an e-mail has.
_MOST_LINKS, _LONGEST_LINK = 1_000, 2_048
#: The most domains of recipients that a campaign counts apart, and the most recipients that an event counts once for.
_MOST_DOMAINS, _MOST_UNIQUE = 1_000, 300_000
#: The list of recipients whose list is unknown.
_NO_LIST = 0

Counts = dict[str, int]


@dataclass(slots=True)
class Ahead:
    """E-mails to contacts of one list and domain that are delivered at a later moment."""

    at: datetime
    list_id: int
    domain: str
    number: int


@dataclass(slots=True)
class Pause:
    """An interruption of the sending: how many recipients had their turn, and when the last e-mails had left."""

    turns: int
    at: datetime


@dataclass(slots=True, eq=False)
class Progress(Bounded):
    """How far a campaign is sent, and the counts of its events."""

    #: The id of the campaign.
    id: int = 0
    #: The number of recipients, in the order of the audience, that had their turn.
    turns: int = 0
    #: When the next e-mails leave; None: none leave now.
    next_at: datetime | None = None
    #: When the first and the last e-mails left; None: none has left.
    began_at: datetime | None = None
    left_at: datetime | None = None
    #: The counts by list (0: unknown) and by domain, and the clicks by link.
    lists: dict[int, Counts] = field(default_factory=dict)
    domains: dict[str, Counts] = field(default_factory=dict)
    links: Counts = field(default_factory=dict)
    #: The recipients that were counted once, by the member of statistics.
    unique: dict[str, dict[int, None]] = field(default_factory=dict)
    #: E-mails that are not delivered yet, by moment.
    ahead: list[Ahead] = field(default_factory=list)
    #: The interruptions of the sending after which it went on.
    pauses: list[Pause] = field(default_factory=list)

    def add(self, list_id: int, domain: str, member: str, number: int = 1) -> None:
        places = [self.lists.setdefault(list_id, {})]
        if domain in self.domains or len(self.domains) < _MOST_DOMAINS:
            places.append(self.domains.setdefault(domain, {}))
        for counts in places:
            counts[member] = counts.get(member, 0) + number

    def fits(self, audience: Audience) -> bool:
        """Return whether a document's values fit each other and the recipients."""
        contacts = audience.contacts
        ahead, paused = (row.at for row in self.ahead), (row.at for row in self.pauses)
        moments = (self.next_at, self.began_at, self.left_at, *ahead, *paused)
        return (
            0 <= self.turns <= len(contacts) == len(audience.lists)
            and len(set(contacts)) == len(contacts)
            and all(at is None or (at.tzinfo is not None and EARLIEST <= at <= LATEST) for at in moments)
        )

    def go_on(self) -> None:
        """Note an interruption, if e-mails have left since the one before."""
        if self.left_at is not None and not (self.pauses and self.pauses[-1].turns == self.turns):
            self.pauses.append(Pause(self.turns, self.left_at))

    def left_to(self, index: int) -> datetime | None:
        """Return when the e-mails left with which a recipient had its turn; those of one run count as one."""
        return next((row.at for row in self.pauses if index < row.turns), self.left_at)

    def arrive(self, now: datetime) -> None:
        """Count the e-mails that are delivered by now."""
        while self.ahead and self.ahead[0].at <= now:
            row = self.ahead.pop(0)
            self.add(row.list_id, row.domain, DELIVERED, row.number)


def count(account: Account, campaign: Campaign, event: str, address: str, link: str = "") -> None:
    """Count an event of a campaign's e-mail to an address."""
    progress = account.table(Progress).setdefault(campaign.id, Progress(campaign.id))
    contact = find_contact(account, EMAIL_ID, address)
    audience = account.rows_of(Audience).get(campaign.id)
    list_id = _NO_LIST if contact is None or audience is None else audience.list_of(contact.id, progress.turns)
    # Others than contacts have negative numbers.
    who = -_digest(address) if contact is None else contact.id
    domain = domain_of(comparable(address))
    if event in _EACH:
        progress.add(list_id, domain, _EACH[event])
    known = progress.unique.setdefault(_ONCE[event], {}) if event in _ONCE else {}
    if event in _ONCE and who not in known and len(known) < _MOST_UNIQUE:
        known[who] = None
        progress.add(list_id, domain, _ONCE[event])
    link = link[:_LONGEST_LINK]
    if event == _CLICK and link and (link in progress.links or len(progress.links) < _MOST_LINKS):
        progress.links[link] = progress.links.get(link, 0) + 1


def _digest(address: str) -> int:
    return int.from_bytes(blake2b(comparable(address).encode(errors="surrogatepass"), digest_size=7).digest())


def shown(account: Account, campaign: Campaign, wanted: str | None) -> dict[str, Any]:
    """Return a campaign's statistics with the wanted part only, as the service does since February 2023."""
    progress = account.rows_of(Progress).get(campaign.id) or Progress(campaign.id)
    total = _shown(_total(progress.lists.values()))
    parts = {
        "globalStats": total,
        "linksStats": dict(progress.links),
        "statsByDomain": {name: _shown(row) for name, row in progress.domains.items() if wanted == "statsByDomain"},
    }
    empty: Mapping[str, Any] = {"globalStats": dict.fromkeys(total, 0)}
    return {
        **{name: part if name == wanted else empty.get(name, {}) for name, part in parts.items()},
        "campaignStats": [{"listId": number, **_shown(row)} for number, row in progress.lists.items() if number],
        "mirrorClick": 0,
        "remaining": remaining(account, campaign),
        # The marketing events name no user agent.
        "statsByDevice": {"desktop": {}, "mobile": {}, "tablet": {}, "unknown": {}},
        "statsByBrowser": {},
    }


def remaining(account: Account, campaign: Campaign) -> int:
    """Return the number of recipients that are still to get a campaign."""
    audience, progress = account.rows_of(Audience).get(campaign.id), account.rows_of(Progress).get(campaign.id)
    if audience is None or progress is None or campaign.is_over:
        return 0
    return len(audience.contacts) - progress.turns


def _total(rows: Iterable[Counts]) -> Counts:
    rows = list(rows)
    return {member: sum(row.get(member, 0) for row in rows) for member in _COUNTED}


def _shown(counts: Mapping[str, int]) -> dict[str, Any]:
    """Return counts with what is computed from them; rates are percentages."""
    found = {member: counts.get(member, 0) for member in _COUNTED}
    delivered, views = found[DELIVERED], found["uniqueViews"]
    trackable = max(delivered - found["appleMppOpens"], 0)
    rate = min(views / trackable, 1.0) if trackable else 0.0
    return {
        **found,
        "trackableViews": views,
        "trackableViewsRate": round(100 * rate, 2),
        "estimatedViews": round(delivered * rate),
        "opensRate": round(100 * min(views / delivered, 1.0), 2) if delivered else 0.0,
        "deferred": 0,
        "returnBounce": 0,
    }
