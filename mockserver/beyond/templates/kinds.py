"""The tests of templates: `is defined`, `is mapping`, `is email`."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from marshmallow import ValidationError

from mockserver.beyond.templates import operators
from mockserver.beyond.templates.budget import Budget
from mockserver.beyond.templates.values import TemplateError, Undefined, whole
from mockserver.core.text import header_form
from mockserver.resources.section import parse_instant
from mockserver.web.schemas.fields import Email, Url

_EMAIL, _URL = Email(), Url()
#: The longest text that is looked at as an address, a UUID or a moment, in characters. Chosen: all of them are shorter.
_LONGEST = 10_000


def _kind(*kinds: type, but: type | None = None) -> Callable[[Budget, Any], bool]:
    def of(_: Budget, value: Any) -> bool:
        return isinstance(operators.defined(value), kinds) and not (but is not None and isinstance(value, but))

    return of


def _form(check: Callable[[str], object]) -> Callable[[Budget, Any], bool]:
    """A test of texts by a function that raises an error for those that are not of its form."""

    def of(budget: Budget, value: Any) -> bool:
        if not isinstance(operators.defined(value), str) or len(value) > _LONGEST:
            return False
        budget.look(len(value))
        try:
            check(value)
        except (ValueError, ValidationError):
            return False
        return True

    return of


def _check_uuid(value: str) -> None:
    if str(UUID(value)) != value.lower():
        raise ValueError("not a UUID as it is usually written")


def _check_token(value: str) -> None:
    if not header_form.is_name(value):
        raise ValueError("not the name of a header")


def is_base64(budget: Budget, value: Any) -> bool:
    """Whether a value is a text in base64."""
    if not isinstance(operators.defined(value), str):
        return False
    budget.look(len(value))
    try:
        b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def divisible_by(_: Budget, value: Any, by: int) -> bool:
    """Whether a whole number is a multiple of another one."""
    if not whole(by):
        raise TemplateError("a number is divided by zero")
    return whole(value) % by == 0


#: Operators as tests, for `select` and the like, with the names that Jinja gives the operators themselves.
_COMPARED = {"eq": "eq", "ne": "ne", "lt": "lt", "le": "lteq", "gt": "gt", "ge": "gteq"}

TESTS: Mapping[str, Callable[..., bool]] = {
    "defined": lambda _, value: not isinstance(value, Undefined),
    "undefined": lambda _, value: isinstance(value, Undefined),
    "none": lambda _, value: operators.defined(value) is None,
    "true": lambda _, value: operators.defined(value) is True,
    "false": lambda _, value: operators.defined(value) is False,
    "boolean": _kind(bool),
    "integer": _kind(int, but=bool),
    "float": _kind(float),
    "number": _kind(int, float, but=bool),
    "string": _kind(str),
    "mapping": _kind(dict),
    "list": _kind(list),
    "sequence": _kind(list, str),
    "even": lambda _, value: whole(value) % 2 == 0,
    "odd": lambda _, value: whole(value) % 2 == 1,
    "divisibleby": divisible_by,
    "in": operators.contains,
    **{name: operators.COMPARISONS[sign] for name, sign in _COMPARED.items()},
    "email": _form(_EMAIL.deserialize),
    "url": _form(_URL.deserialize),
    "uuid": _form(_check_uuid),
    "instant": _form(parse_instant),
    "base64": is_base64,
    "token": _form(_check_token),
}
