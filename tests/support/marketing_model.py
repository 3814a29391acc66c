"""What becomes of contacts, lists, templates, campaigns and credits, in plain Python: the documents, not the code.

Each method does what an operation does, and returns the `Answer` that the API should give. The clock is a number of
milliseconds since the start. New ids are drawn as the service draws them: one more than the last of their kind, for
all accounts of a workspace together.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any


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


@dataclass
class Account:
    """An account with everything that belongs to it."""

    name: str
    credits: int
    contacts: dict[int, Contact] = field(default_factory=dict)
    #: Names by id.
    lists: dict[int, str] = field(default_factory=dict)
    #: Addresses that are blocked for each sender, and the others with the sender.
    blocked: set[str] = field(default_factory=set)

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
        return Answer(
            200, body={"id": row.id, "email": email, "emailBlacklisted": row.is_blacklisted, "listIds": row.lists}
        )

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
        return self._move(account, number, emails, is_join=True)

    def remove_from_list(self, account, number, emails):
        return self._move(account, number, emails, is_join=False)

    @staticmethod
    def _move(account, number, emails, *, is_join):
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
