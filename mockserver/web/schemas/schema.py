"""What goes over the wire: the base of all schemas, their mistakes, and the evidence that each field carries."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar

from marshmallow import EXCLUDE, RAISE, Schema, ValidationError, fields, missing, validate
from marshmallow.exceptions import SCHEMA
from marshmallow.schema import SchemaMeta

from mockserver.core.contract.errors import INVALID_PARAMETER, MISSING_PARAMETER, ErrorCode, ServiceError
from mockserver.core.contract.operation import Mark
from mockserver.core.state import reasons
from mockserver.core.text.spelling import nearest

# ---------------------------------------------------------------------- evidence


#: Titles of the documents that show what the specification leaves open; docs/ledger.md tells where each can be read.
OPENAPI = "OpenAPI document of February 2026"
OPENAPI_NEWEST = "OpenAPI document of September 2026"
OPENAPI_OLDER = "OpenAPI document of 2024/25"


def documented(note: str = "", *, source: str = "", bounds: str = "", **form: Any) -> dict[str, Any]:
    """Evidence of a field: the specification, an official document or an official client library shows it.

    `source` says which, where it is not that of the schema. `bounds` says which document has the field's least and
    greatest values, lengths or patterns; without it these are proposed.
    `form` is what its JSON schema says besides what the field itself tells: a bound that a rule checks later, say.
    """
    return _evidence(Mark.DOCUMENTED, note, source, {**({"x-bounds-source": bounds} if bounds else {}), **form})


def observed(note: str = "", *, source: str = "") -> dict[str, Any]:
    """Evidence of a field: somebody's captured traffic shows it."""
    return _evidence(Mark.OBSERVED, note, source, {})


def observed_in_code(note: str = "", *, programs: int, source: str = "") -> dict[str, Any]:
    """Evidence of a field: so many public programs that use the service expect or handle it."""
    return _evidence(Mark.OBSERVED_IN_CODE, note, source, {"x-programs": programs})


def proposed(note: str = "", *, source: str = "") -> dict[str, Any]:
    """Evidence of a field: no source shows it, and this is what the real service would sensibly do."""
    return _evidence(Mark.PROPOSED, note, source, {})


def _evidence(mark: Mark, note: str, source: str, form: Mapping[str, Any]) -> dict[str, Any]:
    metadata: dict[str, Any] = {"x-fidelity": str(mark), **form}
    if note:
        metadata["description"] = note
    if source:
        metadata["x-source"] = source
    return {"metadata": metadata}


# ---------------------------------------------------------------------- mistakes


#: The way to a value: names of members and numbers of items.
Keys = tuple[str | int, ...]


class FieldError:
    """What is wrong with one value: marshmallow carries it to the place of the value, as it does texts."""

    def __init__(self, code: ErrorCode, text: str) -> None:
        self.code, self.text = code, text

    def __repr__(self) -> str:
        return self.text


def invalid(text: str) -> ValidationError:
    return ValidationError([FieldError(INVALID_PARAMETER, text)])


def _too_long(value: str | list[Any], longest: int) -> ValidationError:
    return invalid(f"Longer than {longest:,} {'characters' if isinstance(value, str) else 'items'}")


class Longest(validate.Length):
    """A member's own bound, in the place of that of all texts and lists."""

    def __init__(self, longest: int) -> None:
        super().__init__(max=longest)
        self.longest = longest

    def __call__(self, value: Any) -> Any:
        if len(value) > self.longest:
            raise _too_long(value, self.longest)
        return value


#: The one number in a body that nobody else may see.
_CODE = ("otp",)
#: How much of a flaw's text is told; the longest list of choices is shorter.
_LONGEST = 500

_MISSING = FieldError(MISSING_PARAMETER, "Missing data for required field.")


#: How many flaws of a list or a mapping are looked for.
MOST_FIELD_ERRORS = 100


class Unknown:
    """The flaw of a member that a schema does not know; its advice is made when it is told."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self._name, self._known = name, known

    def __str__(self) -> str:
        return f"unknown key; {nearest(self._name, self._known)}"


class BadName:
    """What is wrong with the name of a member, where any names may stand."""

    def __init__(self, flaw: object) -> None:
        self.flaw = flaw

    def __str__(self) -> str:
        return f"as a name: {self.flaw}"


class Unread:
    """Stands beside the flaws of a list or a mapping that has too many: so many of its parts were not looked at."""

    def __init__(self, count: int) -> None:
        self.count = count


def field_errors_in(errors: Any) -> int:
    """How many flaws marshmallow has found."""
    if isinstance(errors, Mapping):
        return sum(map(field_errors_in, errors.values()))
    return sum(map(field_errors_in, errors)) if isinstance(errors, list) else 1


class Part(StrEnum):
    """What a schema reads, and how a reason calls what stands in it."""

    PATH = "path's parameter"
    QUERY = "query's parameter"
    BODY = "body's member"


def refusal(errors: Mapping[Any, Any], part: Part, data: Mapping[str, Any]) -> ServiceError:
    """The one error that the service gives for what marshmallow found: a missing member first, else the first flaw."""
    flaws = list(_flaws(errors, ()))
    keys, flaw = next((found for found in flaws if found[1].code is MISSING_PARAMETER), flaws[0])
    others = [_path(other) for other, _ in flaws if other != keys]
    also = f"; also wrong: {reasons.listed(dict.fromkeys(others))}" if others else ""
    return _error(_path(keys), flaw).because(f"the {part} {_told(keys, flaw, part, data)}{also}")


def _error(path: str, flaw: FieldError) -> ServiceError:
    if flaw is _MISSING:
        # The words of the documented example, contract/corporate#createSubAccount.
        return MISSING_PARAMETER(f"Missing {path} attribute in the request")
    return flaw.code(flaw.text if isinstance(flaw, Sentence) or not path else f"{path}: {flaw.text}")


def _told(keys: Keys, flaw: FieldError, part: Part, data: Mapping[str, Any]) -> str:
    """What is wrong with a value; of a body only its kind is told, as it may hold secrets."""
    path = reasons.shown(_path(keys))
    if flaw is _MISSING:
        beside = _at(keys[:-1], data)
        return f"{path} is missing; there {'is nothing' if not beside else 'stands ' + reasons.listed(beside)}"
    value = _at(keys, data)
    given = reasons.shown(value) if part is not Part.BODY else kind(value, secret=keys[-1:] == _CODE)
    return f"{path} is {given}: {reasons.shown(flaw.text, _LONGEST)}"


def _at(keys: Keys, data: Any) -> Any:
    """The value at a place; None where there is none."""
    try:
        for key in keys:
            data = data[key]
    except (LookupError, TypeError):
        return None
    return data


def kind(value: object, *, secret: bool = False) -> str:
    """What kind of JSON value it is; a number is told, unless it is secret."""
    match value:
        case None | bool():
            return json.dumps(value)
        case int() | float():
            return f"a number of {len(str(value))} characters" if secret else f"the number {value}"
        case str():
            return f"a string of {len(value)} characters"
        case list():
            return f"an array of {len(value)}"
    return "an object"


class Sentence(FieldError):
    """A flaw whose text is a whole documented message, to be given as it stands."""


def _flaws(errors: Any, keys: Keys) -> list[tuple[Keys, FieldError]]:
    if isinstance(errors, FieldError):
        return [(keys, errors)]
    if isinstance(errors, str):
        return [(keys, FieldError(INVALID_PARAMETER, errors.removesuffix(".")))]
    if isinstance(errors, Mapping):
        return [
            found
            for key, inner in errors.items()
            for found in _flaws(inner, keys if key == "_schema" else (*keys, key))
        ]
    if isinstance(errors, Unread):
        return []
    return [found for inner in errors for found in _flaws(inner, keys)]


def _path(keys: Keys) -> str:
    """`ips[0].weight`."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys).removeprefix(".")


# ---------------------------------------------------------------------- schemas


#: What marshmallow calls before and after a schema is loaded or dumped: by the occasion, the names of methods.
Hooks = dict[str, list[tuple[str, bool, dict[str, Any]]]]


class _Meta(SchemaMeta):
    """Lets a class without hooks of its own keep those of its base.

    Marshmallow 4.4 looks for hooks through every attribute of a class and of all its bases: 0.1 ms for each of the 180
    schemas that are made before the first answer, 13 ms of 600 altogether.
    """

    def resolve_hooks(cls) -> Hooks:  # noqa: N805  # a class is its self
        parent, *others = cls.__bases__
        has_own = any(hasattr(value, "__marshmallow_hook__") for value in vars(cls).values())
        if has_own or others or not isinstance(parent, _Meta):
            return super().resolve_hooks()
        return parent._hooks  # noqa: SLF001  # made by this class


class Base(Schema, metaclass=_Meta):
    """The base of all schemas."""

    #: The document that shows the names of its documented members; empty where the operation's own source does.
    names_from: ClassVar[str] = ""
    #: Whether rows are plain data already, in an order of their own, so that they are dumped as they are.
    as_given: ClassVar[bool] = False

    def load(self, data: Any, **options: Any) -> Any:
        try:
            return super().load(data, **options)
        except ValidationError as error:
            # marshmallow's own frame holds the error: with that frame, only a collection would free what was read.
            raise error.with_traceback(None)  # noqa: B904  # it is the same error


class Closed(Base):
    """Refuses what it does not know: the first hundred members are told, each with what was probably meant."""

    class Meta:
        unknown = RAISE

    def load(self, data: Any, **options: Any) -> Any:
        strange = self._strange(data)
        if not strange:
            return super().load(data, **options)
        told, left = strange[:MOST_FIELD_ERRORS], set(strange[MOST_FIELD_ERRORS:])
        try:
            # In any case an error: the unknown members that are told stay in.
            return super().load({name: value for name, value in data.items() if name not in left}, **options)
        except ValidationError as error:
            flaws: dict[Any, Any] = error.messages  # type: ignore[assignment]  # of a mapping it is one
            for name in told:
                flaws.pop(name, None)  # marshmallow tells them in any order
                flaws[name] = [Unknown(str(name), self._names)]
            if left:
                flaws[SCHEMA] = [*flaws.get(SCHEMA, ()), Unread(len(left))]
            raise

    def _strange(self, data: Any) -> list[Any]:
        """The members that are unknown."""
        if self.unknown != RAISE or not isinstance(data, Mapping) or data.keys() <= self._names:
            return []
        return [name for name in data if name not in self._names]

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(field.data_key or name for name, field in self.load_fields.items())


class Input(Base):
    """A path, a query or a body: what it does not know it leaves aside, as the service does."""

    class Meta:
        unknown = EXCLUDE

    error_messages: dict[str, Any] = {"type": [FieldError(INVALID_PARAMETER, "Not an object")]}  # noqa: RUF012  # marshmallow's own contract

    #: The longest text and the longest list of a member without a bound of its own; proposed, as what is taken is kept.
    longest: ClassVar[int] = 10_000

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        field_obj.error_messages["required"] = [_MISSING]
        if isinstance(field_obj, fields.String | fields.List) and not _is_bounded(field_obj):
            field_obj.validators = [self._check_length, *field_obj.validators]

    def _check_length(self, value: str | list[Any]) -> None:
        """Refuse a text or a list that is longer than any that the service would take."""
        if len(value) > self.longest:
            raise _too_long(value, self.longest)


def _is_bounded(field: fields.Field[Any]) -> bool:
    return any(isinstance(validator, Longest) for validator in field.validators)


class Output(Closed):
    """An answer: an optional member that has no value is left out.

    The specification leaves most names of answers open; a schema whose names it shows says so.
    """

    names_from = OPENAPI

    def get_attribute(self, obj: Any, attr: str, default: Any) -> Any:
        value = super().get_attribute(obj, attr, default)
        return missing if value is None and attr in self._optional() else value

    def _optional(self) -> frozenset[str]:
        # Compiled dumping (web.dump) is what serves requests; this is its slow and obvious counterpart.
        return frozenset(
            field.attribute or name
            for name, field in self.dump_fields.items()
            if not field.required and not field.allow_none
        )
