"""Contact attributes, which the API deletes, and stubs add (contract/attributes)."""

from __future__ import annotations

from dataclasses import dataclass

from mockserver.core.contract.errors import ATTRIBUTE_NOT_FOUND, DOCUMENT_NOT_FOUND
from mockserver.core.state import reasons
from mockserver.core.state.account import Account
from mockserver.core.workspaces.caller import Caller

CATEGORIES = ("normal", "transactional", "category", "calculated", "global")


@dataclass(slots=True, eq=False)
class Attribute:
    """An attribute of contacts; the key of its row is the pair of category and name."""

    category: str
    name: str


def is_there(account: Account, category: str, name: str) -> bool:
    """Whether an account has an attribute of this name in a category."""
    return (category, name) in account.rows_of(Attribute)


def add(account: Account, category: str, name: str) -> None:
    """Add an attribute that is not there yet."""
    account.table(Attribute)[category, name] = Attribute(category, name)


def delete(caller: Caller, category: str, name: str) -> None:
    """Delete an attribute.

    Raises:
        ServiceError: 404; the category has no such attribute.
    """
    if caller.account.table(Attribute).pop((category, name), None) is None:
        raise DOCUMENT_NOT_FOUND(sentence=ATTRIBUTE_NOT_FOUND).because(_why_none(caller.account, category, name))


def _why_none(account: Account, category: str, name: str) -> str:
    known = account.rows_of(Attribute)
    elsewhere = [other.category for other in known.values() if other.name == name]
    instead = f"it has {reasons.listed(other.name for other in known.values() if other.category == category)}"
    if elsewhere:
        instead = f"category {reasons.listed(elsewhere)} has it"
    return f"category {category} of account {account.name} has no attribute {reasons.shown(name)} ({instead})"
