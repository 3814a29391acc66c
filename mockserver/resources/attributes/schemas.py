"""Contact attributes on the wire."""

from __future__ import annotations

from marshmallow import ValidationError, fields

from mockserver.core.contract.errors import INVALID_PARAMETER
from mockserver.resources.contacts.attribute import CATEGORIES, LONGEST_OPTION, TYPES
from mockserver.web.schemas.errors import Longest, Sentence
from mockserver.web.schemas.evidence import CLIENT, OPENAPI, documented
from mockserver.web.schemas.fields import Choice, Flag, Int64, List, Stated, Text, TextOrNumber
from mockserver.web.schemas.schema import Compact, Input, Output

#: Maximum characters of a new attribute's name (proposed).
_LONGEST_NAME = 50
_OPTION = Longest(LONGEST_OPTION)


class AttributePath(Input):
    category = Choice(*CATEGORIES, data_key="attributeCategory", required=True, **documented())
    name = Text(data_key="attributeName", required=True, **documented("upper case by convention"))


def _check_name(name: str) -> None:
    if len(name) > _LONGEST_NAME:
        raise ValidationError([Sentence(INVALID_PARAMETER, "attributeName is too long")])


class NewAttributePath(AttributePath):
    name = Text(
        data_key="attributeName",
        required=True,
        validate=_check_name,
        **documented("upper case by convention", maxLength=_LONGEST_NAME),
    )


class ChoiceIn(Input):
    value = TextOrNumber(required=True, validate=_OPTION, **documented("a number; a text if it is old", bounds=OPENAPI))
    label = Text(required=True, validate=_OPTION, **documented(bounds=OPENAPI))


class _Enumeration(Stated, List):
    """The values of an attribute."""


class AttributeChanges(Compact):
    value = Text(**documented("the formula of a calculated or global attribute"))
    enumeration = _Enumeration(
        fields.Nested(ChoiceIn),
        sentence="enumeration must be a list of values with labels",
        **documented("of the category `category`"),
    )
    options = _Enumeration(
        Text(validate=_OPTION),
        data_key="multiCategoryOptions",
        sentence="multiCategoryOptions must be a list of texts",
        **documented("of the type multiple-choice"),
    )


class NewAttribute(AttributeChanges):
    type = Text(
        **documented(
            "by the category; text if left out",
            enum=list(dict.fromkeys(name for row in TYPES.values() for name in row)),
        )
    )
    isRecurring = Flag(**documented("not looked at (proposed)"))


class ChoiceOut(Output):
    value = Int64(attribute="number", required=True, **documented("0 if the value is no number", source=CLIENT))
    label = Text(required=True, **documented())
    valueStr = Text(attribute="text", required=True, **documented("the value as it was written", source=CLIENT))


class AttributeOut(Output):
    name = Text(required=True, **documented())
    category = Choice(*CATEGORIES, required=True, **documented())
    type = Text(attribute="shown_type", **documented("of the categories normal and transactional"))
    calculatedValue = Text(attribute="value", **documented("of the categories calculated and global"))
    enumeration = fields.List(fields.Nested(ChoiceOut), **documented("of the category `category`"))
    multiCategoryOptions = fields.List(Text, attribute="options", **documented("of the type multiple-choice"))


class Attributes(Output):
    attributes = fields.List(fields.Nested(AttributeOut), required=True, **documented())
