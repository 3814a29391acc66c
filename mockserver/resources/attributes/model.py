"""Contact attributes: creation, changes and deletion (contract/attributes)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mockserver.core.contract import errors
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.contacts.attribute import (
    CALCULATED,
    CATEGORIES,
    CATEGORY,
    GLOBAL,
    MULTIPLE_CHOICE,
    NORMAL,
    TRANSACTIONAL,
    TYPES,
    Attribute,
    Choice,
)
from mockserver.resources.contacts.rows import check_bytes, drop_attribute


def exists(account: Account, category: str, name: str) -> bool:
    return (category, name) in account.rows_of(Attribute)


def create(caller: Caller, category: str, name: str, body: Mapping[str, Any]) -> None:
    """Create an attribute."""
    account, types = caller.account, TYPES.get(category, ())
    if not body:
        raise errors.MISSING_PARAMETER("No inputs in the body").because("the body of createAttribute has no field")
    if exists(account, category, name):
        reason = f"category {category} of account {account.name} has an attribute {reasons.shown(name)}"
        raise errors.INVALID_PARAMETER("Attribute name must be unique").because(reason)
    given = body.get("type")
    if types and given and given not in types:
        reason = f"type {reasons.shown(given)}: not a type of the category {category}, expected {', '.join(types)}"
        raise errors.INVALID_PARAMETER(f"type: Must be one of: {', '.join(types)}").because(reason)
    if category in (CALCULATED, GLOBAL) and not body.get("value"):
        reason = f"missing or empty field `value` in the body: attributes of the category {category} require a formula"
        raise errors.MISSING_PARAMETER("Attribute value is missing").because(reason)
    check_bytes(caller.workspace, dict(body))
    found = account.table(Attribute)[category, name] = Attribute(category, name)
    found.type = given if category in (NORMAL, TRANSACTIONAL) and given else None
    found.enumeration = [] if category == CATEGORY else None
    found.options = [] if found.type == MULTIPLE_CHOICE else None
    _apply(found, body)


def update(caller: Caller, category: str, name: str, body: Mapping[str, Any]) -> None:
    """Change formula, enumeration or options of an attribute, depending on its category."""
    account = caller.account
    if not exists(account, category, name):
        raise errors.DOCUMENT_NOT_FOUND(sentence=errors.ATTRIBUTE_NOT_FOUND).because(_absence(account, category, name))
    check_bytes(caller.workspace, dict(body))
    _apply(account.table(Attribute)[category, name], body)


def _apply(found: Attribute, body: Mapping[str, Any]) -> None:
    if found.category in (CALCULATED, GLOBAL):
        found.value = body.get("value", found.value)
    elif found.category == CATEGORY and "enumeration" in body:
        found.enumeration = [Choice(row["value"], row["label"]) for row in body["enumeration"]]
    elif found.shown_type == MULTIPLE_CHOICE:
        found.options = body.get("options", found.options)


def select(account: Account) -> Iterable[Attribute]:
    return account.rows_of(Attribute).values()


def delete(caller: Caller, category: str, name: str) -> None:
    """Delete an attribute; delete contact values unless another category has an attribute of the same name."""
    account = caller.account
    if account.table(Attribute).pop((category, name), None) is None:
        raise errors.DOCUMENT_NOT_FOUND(sentence=errors.ATTRIBUTE_NOT_FOUND).because(_absence(account, category, name))
    if not any(exists(account, other, name) for other in CATEGORIES):
        drop_attribute(account, name)


def _absence(account: Account, category: str, name: str) -> str:
    known = account.rows_of(Attribute)
    elsewhere = [other.category for other in known.values() if other.name == name]
    instead = f"it has {reasons.listed(other.name for other in known.values() if other.category == category)}"
    if elsewhere:
        instead = f"category {reasons.listed(elsewhere)} has it"
    return f"category {category} of account {account.name} has no attribute {reasons.shown(name)} ({instead})"
