"""Contact attributes in a scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from marshmallow import fields

from mockserver.core.state.account import Account
from mockserver.core.text.given import shown
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.attributes.model import CATEGORIES, Attribute
from mockserver.resources.resource import Section
from mockserver.resources.section import Item, SectionError, TakenError, about
from mockserver.web.schemas.fields import List

AttributesItem = Item.from_dict(
    {
        category: List(fields.String(), **about(f"names of attributes of the category {category}"))
        for category in CATEGORIES
    },
    name="AttributesItem",
)


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    table = account.table(Attribute)
    for category, names in data.get("attributes", {}).items():
        for index, name in enumerate(names):
            if (category, name) in table:
                yield TakenError(("attributes", category, index), f"duplicate {category} attribute {shown(name)}")
            table[category, name] = Attribute(category, name)


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    named: dict[str, list[str]] = {}
    for row in account.rows_of(Attribute).values():
        named.setdefault(row.category, []).append(row.name)
    return {"attributes": named} if named else {}


SECTION = Section(
    fields={"attributes": fields.Nested(AttributesItem, **about("attributes of contacts, by category"))},
    load=_load,
    dump=_dump,
)
