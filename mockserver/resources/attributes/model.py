"""Contact attributes, as far as they can be deleted (SPEC 2.11)."""

from __future__ import annotations

from dataclasses import dataclass

from mockserver.core.caller import Caller
from mockserver.core.errors import DOCUMENT_NOT_FOUND

CATEGORIES = ("normal", "transactional", "category", "calculated", "global")


@dataclass(slots=True, eq=False)
class Attribute:
    """An attribute of contacts; its key is category and name."""

    category: str
    name: str


def delete(caller: Caller, category: str, name: str) -> None:
    """Delete an attribute.

    Raises:
        ServiceError: 404; the category has no such attribute.
    """
    if caller.account.table(Attribute).pop((category, name), None) is None:
        raise DOCUMENT_NOT_FOUND("Attribute not found")
