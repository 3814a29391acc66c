"""What becomes of contacts, lists, templates, campaigns, imports and credits: the documents in plain Python.

Each method does what an operation does, and returns the `Answer` that the API should give. The clock is a number of
milliseconds since the start. New ids are drawn as the service draws them: one more than the last of their kind, for
all accounts of a workspace together.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

#: How long a campaign is processed, an e-mail is on its way, and an import waits and takes, in milliseconds.
PROCESSING, UNDERWAY, WAITING, IMPORTING = 60_000, 2_000, 1_000, 10_000
#: The states in which a campaign may be changed and sent.
UNSENT = ("draft", "queued", "suspended")
#: The domain of all contacts, and the link of clicks that are raised by hand.
DOMAIN, LINK = "readers.test", "https://acme.test/offer"
#: The members of statistics in which events count each time, and once for each recipient.
EACH = {"opened": "viewed", "click": "clickers"}
ONCE = {
    "opened": "uniqueViews", "click": "uniqueClicks", "unsubscribed": "unsubscriptions", "spam": "complaints",
    "hardBounce": "hardBounces", "softBounce": "softBounces",
}  # fmt: skip


@dataclass
class Answer:
    """The status of an answer, the code of an error, and the members that matter of a success."""

    status: int
    code: str | None = None
    body: dict[str, Any] = field(default_factory=dict)


DONE = Answer(204)
UNKNOWN = Answer(404, "document_not_found")
INVALID = Answer(400, "invalid_parameter")


def created(number):
    return Answer(201, body={"id": number})


@dataclass
class Contact:
    id: int
    email: str
    is_blacklisted: bool = False
    #: In the order of joining.
    lists: list[int] = field(default_factory=list)
    attributes: dict[str, str] = field(default_factory=dict)


class Mail(NamedTuple):
    account: str
    to: str
    subject: str


@dataclass
class Template:
    id: int
    name: str
    subject: str
    is_active: bool
    is_tested: bool = False


class Copy(NamedTuple):
    """An e-mail of a campaign: to whom, for which list, and when it left."""

    contact: int
    list: int
    at: int


@dataclass
class Campaign:
    id: int
    name: str
    subject: str
    lists: list[int]
    excluded: list[int]
    state: str = "draft"
    scheduled_at: int | None = None
    sent_at: int | None = None
    is_tested: bool = False
    #: The contacts and their lists, taken when it is due, and how many had their turn.
    recipients: list[tuple[int, int]] = field(default_factory=list)
    turns: int = 0
    copies: list[Copy] = field(default_factory=list)
    #: The list and the contact or address of each event.
    events: list[tuple[str, int, object]] = field(default_factory=list)

    @property
    def is_over(self):
        return self.state == "sent" or (self.state == "archive" and self.sent_at is not None)


@dataclass
class Import:
    id: int
    rows: list[tuple[str, str]]
    lists: list[int]
    is_update: bool
    is_silent: bool
    is_erasing: bool
    is_blacklisting: bool
    state: str = "queued"
    invalid: int = 0
    duplicates: int = 0


@dataclass
class Account:
    """An account with everything that belongs to it."""

    name: str
    credits: int
    contacts: dict[int, Contact] = field(default_factory=dict)
    #: Names by id.
    lists: dict[int, str] = field(default_factory=dict)
    #: Addresses of contacts that get nothing any more.
    blocked: set[str] = field(default_factory=set)
    templates: dict[int, Template] = field(default_factory=dict)
    campaigns: dict[int, Campaign] = field(default_factory=dict)
    imports: dict[int, Import] = field(default_factory=dict)
    #: The test e-mails by the day.
    tests: Counter = field(default_factory=Counter)

    def by_email(self, email):
        return next((row for row in self.contacts.values() if row.email == email), None)

    def members(self, number):
        return [row for row in self.contacts.values() if number in row.lists]


class Contacts:
    """Contacts and lists of all accounts."""

    def __init__(self, accounts):
        self.accounts = {row.name: row for row in accounts}
        self.ids = Counter()

    def next_id(self, kind):
        self.ids[kind] += 1
        return self.ids[kind]

    # ------------------------------------------------------------------ contacts

    def create_contact(self, account, email, *, lists, is_blacklisted, is_update):
        if not set(lists) <= account.lists.keys():
            return INVALID
        known = account.by_email(email)
        if known is not None and not is_update:
            return Answer(400, "duplicate_parameter")
        if known is not None:
            self._change(known, lists, is_blacklisted)
            return DONE
        row = Contact(self.next_id("contact"), email)
        account.contacts[row.id] = row
        self._change(row, lists, is_blacklisted)
        return created(row.id)

    def update_contact(self, account, email, *, lists, unlinked, is_blacklisted):
        row = account.by_email(email)
        if row is None:
            return UNKNOWN
        if not set(lists) | set(unlinked) <= account.lists.keys():
            return INVALID
        self._change(row, lists, is_blacklisted)
        row.lists = [number for number in row.lists if number not in unlinked]
        return DONE

    @staticmethod
    def _change(row, lists, is_blacklisted):
        row.lists += [number for number in lists if number not in row.lists]
        if is_blacklisted is not None:
            row.is_blacklisted = is_blacklisted

    def delete_contact(self, account, email):
        row = account.by_email(email)
        if row is None:
            return UNKNOWN
        del account.contacts[row.id]
        return DONE

    def get_contact(self, account, email):
        row = account.by_email(email)
        if row is None:
            return UNKNOWN
        body = {"id": row.id, "email": email, "emailBlacklisted": row.is_blacklisted, "listIds": row.lists}
        return Answer(200, body={**body, "attributes": {"FIRSTNAME": row.attributes.get("FIRSTNAME")}})

    # ------------------------------------------------------------------ lists

    def create_list(self, account, name):
        number = self.next_id("contact_list")
        account.lists[number] = name
        return created(number)

    def delete_list(self, account, number):
        if number not in account.lists:
            return UNKNOWN
        del account.lists[number]
        for row in account.members(number):
            row.lists.remove(number)
        return DONE

    def get_list(self, account, number):
        if number not in account.lists:
            return UNKNOWN
        members = account.members(number)
        blacklisted = sum(row.is_blacklisted for row in members)
        return Answer(
            200,
            body={
                "id": number,
                "name": account.lists[number],
                "uniqueSubscribers": len(members),
                "totalBlacklisted": blacklisted,
                "totalSubscribers": len(members) - blacklisted,
            },
        )

    def add_to_list(self, account, number, emails):
        return self._move_members(account, number, emails, is_join=True)

    def remove_from_list(self, account, number, emails):
        return self._move_members(account, number, emails, is_join=False)

    @staticmethod
    def _move_members(account, number, emails, *, is_join):
        if number not in account.lists:
            return UNKNOWN
        rows = {email: account.by_email(email) for email in emails}
        moved = [email for email, row in rows.items() if row is not None and (number in row.lists) is not is_join]
        for email in moved:
            lists = rows[email].lists
            lists.append(number) if is_join else lists.remove(number)
        if not moved:
            return INVALID
        failed = [email for email in emails if email not in moved]
        return Answer(201, body={"contacts": {"success": moved, "failure": failed}})


class Marketing(Contacts):
    """Templates, campaigns, imports and credits as well, over time."""

    def __init__(self, accounts):
        super().__init__(accounts)
        self.now = 0
        #: All e-mails, the oldest first.
        self.mails = []
        #: What happens later, in the order of the moments and then of the machines and ids.
        self._timers = []

    def _later(self, after, act, *key):
        self._cancel(*key)
        self._timers.append((self.now + after, key, act))

    def _cancel(self, *key):
        self._timers = [row for row in self._timers if row[1] != key]

    def advance(self, by):
        end = self.now + by
        while due := [row for row in self._timers if row[0] <= end]:
            row = min(due, key=lambda row: row[:2])
            self._timers.remove(row)
            self.now = row[0]
            row[2]()
        self.now = end

    def _send(self, account, to, subject, contact=None):
        name = contact.attributes.get("FIRSTNAME", "") if contact else ""
        self.mails.append(Mail(account.name, to, subject.replace("{{ contact.FIRSTNAME }}", name)))

    # ------------------------------------------------------------------ transactional e-mails, blocked contacts

    def send_email(self, account, addresses, subject):
        if len(addresses) > account.credits:
            return Answer(402, "not_enough_credits")
        account.credits -= len(addresses)
        self._send(account, ", ".join(addresses), subject)
        return Answer(201)

    def unblock(self, account, email):
        if email not in account.blocked:
            return UNKNOWN
        account.blocked.remove(email)
        return DONE

    # ------------------------------------------------------------------ templates

    def create_template(self, account, name, subject, *, is_verified, is_active):
        if not is_verified:
            return INVALID
        number = self.next_id("campaign")
        account.templates[number] = Template(number, name, subject, is_active)
        return created(number)

    def get_template(self, account, number):
        row = account.templates.get(number)
        if row is None:
            return UNKNOWN
        body = {"id": number, "name": row.name, "subject": row.subject, "isActive": row.is_active}
        return Answer(200, body={**body, "testSent": row.is_tested})

    def list_templates(self, account, *, is_active):
        ids = [row.id for row in account.templates.values() if is_active is None or row.is_active is is_active]
        return Answer(200, body={"count": len(ids), "templates": [{"id": number} for number in reversed(ids)]})

    def update_template(self, account, number, *, name=None, is_active=None):
        row = account.templates.get(number)
        if row is None:
            return UNKNOWN
        row.name = row.name if name is None else name
        row.is_active = row.is_active if is_active is None else is_active
        return DONE

    def delete_template(self, account, number):
        row = account.templates.get(number)
        if row is None:
            return UNKNOWN
        if row.is_active:
            return Answer(405, "method_not_allowed")
        del account.templates[number]
        return DONE

    def send_tests(self, account, row, addresses):
        """Send tests of a template or campaign; None if it is unknown."""
        if row is None:
            return UNKNOWN
        found = [account.by_email(address) for address in addresses]
        if any(self._is_unfit(account, contact) for contact in found):
            return INVALID
        for contact in found:
            self._send(account, contact.email, row.subject, contact)
        row.is_tested = True
        return DONE

    @staticmethod
    def _is_unfit(account, contact):
        return contact is None or contact.is_blacklisted or contact.email in account.blocked or not contact.lists

    # ------------------------------------------------------------------ campaigns

    def create_campaign(self, account, name, subject, *, lists, excluded, scheduled_at, is_verified, template=None):
        row = Campaign(0, name, subject, lists, excluded)
        if template is not None:
            found = account.templates.get(template)
            if found is None or not found.is_active:
                return INVALID
            row.subject = found.subject if subject is None else subject
        if not is_verified or not set(lists) | set(excluded) <= account.lists.keys():
            return INVALID
        if scheduled_at is not None:
            refused = self._unfit(account, row) or self._past(scheduled_at)
            if refused:
                return refused
        row.id = self.next_id("campaign")
        account.campaigns[row.id] = row
        if scheduled_at is not None:
            self._schedule(account, row, scheduled_at)
        return created(row.id)

    def update_campaign(self, account, number, *, name=None, lists=None, scheduled_at=None):
        row = account.campaigns.get(number)
        if row is None:
            return UNKNOWN
        if row.state not in UNSENT:
            return self._refusal(row)
        if name is None and lists is None and scheduled_at is None:
            return Answer(400, "missing_parameter")
        if lists is not None and not set(lists) <= account.lists.keys():
            return INVALID
        changed = replace(row, lists=row.lists if lists is None else lists)
        if scheduled_at is not None or row.state == "queued":
            refused = self._unfit(account, changed) or (scheduled_at is not None and self._past(scheduled_at))
            if refused:
                return refused
        row.name = row.name if name is None else name
        if lists is not None and (lists, []) != (row.lists, row.excluded):
            row.lists, row.excluded = lists, []
            self._take_again(account, row)
        if scheduled_at is not None:
            self._schedule(account, row, scheduled_at)
        return DONE

    def delete_campaign(self, account, number):
        row = account.campaigns.get(number)
        if row is None:
            return UNKNOWN
        if row.state == "in_process":
            return Answer(400, "campaign_processing")
        if row.state == "queued":
            return Answer(403, "permission_denied")
        del account.campaigns[number]
        return DONE

    def send_now(self, account, number):
        row = account.campaigns.get(number)
        if row is None:
            return UNKNOWN
        if row.state not in UNSENT:
            return self._refusal(row)
        refused = self._unfit(account, row)
        if refused:
            return refused
        if self._needed(account, row) > account.credits:
            return Answer(402, "not_enough_credits")
        if row.state == "queued":
            self._withdraw(row)
        row.scheduled_at = self.now
        self._begin(account, row)
        return DONE

    def set_status(self, account, number, status):
        row = account.campaigns.get(number)
        if status == "replicateTemplate":
            return self._copy_template(account, number)
        if row is None:
            return UNKNOWN
        if status in ("replicate", "sent"):
            return self._copy(account, row) if status == "replicate" else self.send_now(account, number)
        return self._move(account, row, status)

    def _copy(self, account, row):
        copy = Campaign(self.next_id("campaign"), row.name, row.subject, [*row.lists], [*row.excluded])
        account.campaigns[copy.id] = copy
        return DONE

    def _move(self, account, row, status):
        if row.state not in {
            "suspended": ("queued", "in_process"), "archive": ("draft", "sent", "suspended"), "darchive": ("archive",),
            "queued": ("draft", "suspended"), "draft": ("queued", "suspended"),
        }[status]:  # fmt: skip
            return self._refusal(row)
        if status == "queued":
            return self._queue(account, row)
        self._cancel("campaign", row.id)
        if status == "draft":
            self._withdraw(row)
        is_sent = status == "darchive" and row.sent_at is not None
        row.state = "sent" if is_sent else {"darchive": "draft"}.get(status, status)
        return DONE

    def _copy_template(self, account, number):
        template = account.templates.get(number)
        if template is None:
            return INVALID if number in account.campaigns else UNKNOWN
        copy = replace(template, id=self.next_id("campaign"), is_tested=False)
        account.templates[copy.id] = copy
        return DONE

    def _queue(self, account, row):
        is_ahead = row.scheduled_at is not None and row.scheduled_at > self.now
        if row.state == "suspended" and not is_ahead:
            return self.send_now(account, row.id)
        refused = self._unfit(account, row)
        if refused:
            return refused
        if not is_ahead:
            return INVALID if row.scheduled_at is not None else Answer(400, "missing_parameter")
        self._schedule(account, row, row.scheduled_at)
        return DONE

    def _unfit(self, account, row):
        """The refusal of a campaign that has no list, or None."""
        return None if set(row.lists) & account.lists.keys() else Answer(400, "missing_parameter")

    def _past(self, moment):
        return INVALID if moment <= self.now else None

    @staticmethod
    def _refusal(row):
        if row.state == "in_process":
            return Answer(400, "campaign_processing")
        return Answer(400, "campaign_sent") if row.is_over else INVALID

    # ------------------------------------------------------------------ sending

    @staticmethod
    def _withdraw(row):
        """Forget the recipients and the events, so that they are taken again, unless some had their turn."""
        if not row.turns:
            row.recipients, row.events = [], []

    def _take_again(self, account, row):
        """Take those who are left from the changed lists, but nobody twice."""
        self._withdraw(row)
        if row.turns:
            had = row.recipients[: row.turns]
            numbers = {number for number, _ in had}
            row.recipients = had + [pair for pair in self._found(account, row) if pair[0] not in numbers]

    def _schedule(self, account, row, moment):
        if row.state != "draft":
            self._withdraw(row)
        row.state, row.scheduled_at = "queued", moment
        self._later(moment - self.now, lambda: self._fall_due(account, row), "campaign", row.id)

    def _fall_due(self, account, row):
        if self._needed(account, row) > account.credits:
            row.state = "suspended"
        else:
            self._begin(account, row)

    def _needed(self, account, row):
        return len(row.recipients) - row.turns if row.turns else len(self._found(account, row))

    def _found(self, account, row):
        """The recipients at this moment, each with the first of the campaign's lists that it is in."""
        return [
            (contact.id, next(number for number in row.lists if number in contact.lists))
            for contact in sorted(account.contacts.values(), key=lambda contact: contact.id)
            if set(contact.lists) & set(row.lists)
            and not set(contact.lists) & set(row.excluded)
            and self._may_get(account, contact)
        ]

    @staticmethod
    def _may_get(account, contact):
        return not contact.is_blacklisted and contact.email not in account.blocked

    def _begin(self, account, row):
        if not row.turns:
            row.recipients = self._found(account, row)
        row.state = "in_process"
        self._later(PROCESSING, lambda: self._leave(account, row), "campaign", row.id)

    def _leave(self, account, row):
        """Send to all; a campaign without credits is suspended, and continues later with the others."""
        for number, list_id in row.recipients[row.turns :]:
            contact = account.contacts.get(number)
            if contact is not None and self._may_get(account, contact):
                if not account.credits:
                    row.state = "suspended"
                    return
                account.credits -= 1
                self._send(account, contact.email, row.subject, contact)
                row.copies.append(Copy(number, list_id, self.now))
            row.turns += 1
        row.state, row.sent_at = "sent", self.now

    @staticmethod
    def last_campaign(account, email):
        """The id of the campaign that a contact got last, or None."""
        contact = account.by_email(email)
        got = [
            (copy.at, number)
            for number, row in account.campaigns.items()
            for copy in row.copies
            if contact and copy.contact == contact.id
        ]
        return max(got)[1] if got else None

    def raise_event(self, account, number, event, email):
        """An event of a campaign's e-mail, raised by hand."""
        row, contact = account.campaigns[number], account.by_email(email)
        list_id = next((copy.list for copy in row.copies if contact and copy.contact == contact.id), 0)
        row.events.append((event, list_id, contact.id if contact else email))
        if event in ("unsubscribed", "spam") and contact is not None:
            contact.is_blacklisted = True
        if event == "hardBounce":
            account.blocked.add(email)

    # ------------------------------------------------------------------ reads of campaigns

    def get_campaign(self, account, number, statistics):
        """Read a campaign with one of its statistics: globalStats, statsByDomain or linksStats."""
        row = account.campaigns.get(number)
        if row is None:
            return UNKNOWN
        lists = {copy.list for copy in row.copies} | {list_id for _, list_id, _ in row.events if list_id}
        counts, clicks = self._counts(row, None), sum(event == "click" for event, _, _ in row.events)
        shown = {
            "globalStats": counts,
            "statsByDomain": {DOMAIN: counts} if row.copies or row.events else {},
            "linksStats": {LINK: clicks} if clicks else {},
        }
        return Answer(
            200,
            body={
                "id": number,
                "name": row.name,
                "subject": row.subject,
                "status": row.state,
                "testSent": row.is_tested,
                "recipients": {"lists": row.lists, "exclusionLists": row.excluded},
                "statistics": {
                    statistics: shown[statistics],
                    "remaining": 0 if row.is_over else len(row.recipients) - row.turns,
                    "campaignStats": [{"listId": list_id, **self._counts(row, list_id)} for list_id in sorted(lists)],
                },
            },
        )

    def _counts(self, row, list_id):
        """The statistics of one list, or of all recipients."""
        copies = [copy for copy in row.copies if list_id in (None, copy.list)]
        events = [event for event in row.events if list_id in (None, event[1])]
        counts = {"sent": len(copies), "delivered": sum(copy.at + UNDERWAY <= self.now for copy in copies)}
        counts |= {member: sum(event[0] == name for event in events) for name, member in EACH.items()}
        # The first event of each recipient counts, in the list in which it was found then.
        first = {(name, who): place for name, place, who in reversed(row.events)}
        for name, member in ONCE.items():
            counts[member] = sum(event == name and list_id in (None, place) for (event, _), place in first.items())
        delivered, views = counts["delivered"], counts["uniqueViews"]
        rate = min(views / delivered, 1) if delivered else 0
        rates = {"opensRate": round(100 * rate, 2), "estimatedViews": round(delivered * rate)}
        return {**counts, **rates, "trackableViews": views}

    def list_campaigns(self, account, status):
        state = {"inProcess": "in_process"}.get(status, status)
        ids = [row.id for row in account.campaigns.values() if status is None or row.state == state]
        return Answer(200, body={"count": len(ids), "campaigns": [{"id": number} for number in reversed(ids)]})

    # ------------------------------------------------------------------ imports of contacts

    def import_contacts(self, account, rows, lists, **options):
        if not set(lists) <= account.lists.keys():
            return INVALID
        row = Import(self.next_id("process"), rows, lists, **options)
        account.imports[row.id] = row
        self._later(WAITING, lambda: self._import(account, row), "process", row.id)
        return Answer(202, body={"processId": row.id})

    def _import(self, account, row):
        row.state, known = "processing", set()
        for email, name in row.rows:
            if "@" not in email:
                row.invalid += 1
                continue
            contact = account.by_email(email)
            row.duplicates += contact is not None and contact.id in known
            if contact is None or row.is_update:
                contact = self._imported(account, contact, row, email, name)
            contact.lists += [number for number in row.lists if number in account.lists and number not in contact.lists]
            known.add(contact.id)
        self._later(IMPORTING - WAITING, lambda: self._finish_import(account, row), "process", row.id)

    def _imported(self, account, contact, row, email, name):
        """Return a new contact, or one that is changed."""
        if contact is None:
            contact = Contact(self.next_id("contact"), email)
            account.contacts[contact.id] = contact
        if name:
            contact.attributes["FIRSTNAME"] = name
        elif row.is_erasing:
            contact.attributes.pop("FIRSTNAME", None)
        contact.is_blacklisted = contact.is_blacklisted or row.is_blacklisting
        return contact

    def _finish_import(self, account, row):
        row.state = "completed"
        if not row.is_silent:
            self._send(account, f"owner@{account.name}.test", "Your import is completed")

    def get_process(self, account, number):
        row = account.imports.get(number)
        if row is None:
            return UNKNOWN
        counts = {"invalid_emails": row.invalid, "duplicate_email_id": row.duplicates}
        info = {"import": counts} if row.state == "completed" else None
        return Answer(200, body={"id": number, "status": row.state, "info": info})
