"""Contact attributes in a scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from marshmallow import ValidationError, fields, validate

from mockserver.core.state.state import Account
from mockserver.core.text.messages import shown
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.contacts.attribute import CATEGORIES, LONGEST_OPTION, TYPES, Attribute, Choice
from mockserver.resources.section import Item, Section, SectionError, TakenError, about
from mockserver.web.schemas.fields import List

TYPE_NAMES = list(dict.fromkeys(name for row in TYPES.values() for name in row))
_OPTION = fields.String(validate=validate.Length(max=LONGEST_OPTION))


class ChoiceItem(Item):
    value = fields.String(
        attribute="text", required=True, validate=validate.Length(max=LONGEST_OPTION), **about("the value")
    )
    label = fields.String(required=True, validate=validate.Length(max=LONGEST_OPTION), **about("its label"))


class AttributeItem(Item):
    name = fields.String(required=True, **about("its name"))
    type = fields.String(validate=validate.OneOf(TYPE_NAMES), **about("its type; text if left out"))
    value = fields.String(**about("its formula"))
    enumeration = List(fields.Nested(ChoiceItem), **about("its values"))
    options = List(_OPTION, **about("its options"))


class NameOrAttribute(fields.Field[Any]):
    """An attribute: name, or mapping with `name`."""

    item = AttributeItem()

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> dict[str, Any]:
        if isinstance(value, str):
            return {"name": value}
        if not isinstance(value, Mapping):
            raise ValidationError("must be the name of an attribute, or have a name")
        found: dict[str, Any] = self.item.load(value)
        if "enumeration" in found:
            found["enumeration"] = [Choice(row["text"], row["label"]) for row in found["enumeration"]]
        return found

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        members = {name: found for name, found in self.item.dump(value).items() if found is not None}
        return members if len(members) > 1 else value.name


AttributesItem = Item.from_dict(
    {category: List(NameOrAttribute(), **about("by name, or with members")) for category in CATEGORIES},
    name="AttributesItem",
)


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    table = account.table(Attribute)
    for category, items in data.get("attributes", {}).items():
        for index, item in enumerate(items):
            name = item["name"]
            if (category, name) in table:
                yield TakenError(("attributes", category, index), f"duplicate {category} attribute {shown(name)}")
            table[category, name] = Attribute(category, **item)


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    named: dict[str, list[Attribute]] = {}
    for row in account.rows_of(Attribute).values():
        named.setdefault(row.category, []).append(row)
    return {"attributes": _ATTRIBUTES_ITEM.dump(named)} if named else {}


_ATTRIBUTES_ITEM = AttributesItem()

SECTION = Section(
    fields={"attributes": fields.Nested(AttributesItem, **about("attributes of contacts, by category"))},
    load=_load,
    dump=_dump,
)
