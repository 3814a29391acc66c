"""Bases of schemas, for input and output."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

from marshmallow import EXCLUDE, INCLUDE, RAISE, Schema, ValidationError, fields, missing, pre_load
from marshmallow.exceptions import SCHEMA
from marshmallow.schema import SchemaMeta

from mockserver.core.contract.errors import INVALID_PARAMETER
from mockserver.web.schemas.errors import MISSING, MOST_FIELD_ERRORS, FieldError, Longest, Unknown, Unread
from mockserver.web.schemas.evidence import OPENAPI
from mockserver.web.schemas.fields import at_most, check_given

#: The methods that marshmallow calls before and after a schema is loaded or dumped, by the occasion.
Hooks = dict[str, list[tuple[str, bool, dict[str, Any]]]]


class _Meta(SchemaMeta):
    """Lets a class without own hooks keep its base's hooks.

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

    #: The document that shows the names of the schema's documented members, or "" if the operation's own source does.
    names_from: ClassVar[str] = ""
    #: Whether rows are plain data in the right order, and are dumped as they are.
    as_given: ClassVar[bool] = False

    def load(self, data: Any, **options: Any) -> Any:
        try:
            return super().load(data, **options)
        except ValidationError as error:
            # marshmallow's own frame holds the error: with that frame, only a collection would free what was loaded.
            raise error.with_traceback(None)  # noqa: B904  # the same error, without its traceback


class Closed(Base):
    """A schema that refuses unknown members: the first hundred, each with the nearest known name."""

    class Meta:
        unknown = RAISE

    def load(self, data: Any, **options: Any) -> Any:
        unknown = self._unknown(data)
        if not unknown:
            return super().load(data, **options)
        shown, left_out = unknown[:MOST_FIELD_ERRORS], set(unknown[MOST_FIELD_ERRORS:])
        try:
            # This raises in any case: the unknown members that are shown are loaded, too.
            return super().load({name: value for name, value in data.items() if name not in left_out}, **options)
        except ValidationError as error:
            messages: dict[Any, Any] = error.messages  # type: ignore[assignment]  # those of a mapping are a mapping
            for name in shown:
                messages.pop(name, None)  # marshmallow has them in any order
                messages[name] = [Unknown(str(name), self._names)]
            if left_out:
                messages[SCHEMA] = [*messages.get(SCHEMA, ()), Unread(len(left_out))]
            raise

    def _unknown(self, data: Any) -> list[Any]:
        if self.unknown != RAISE or not isinstance(data, Mapping) or data.keys() <= self._names:
            return []
        return [name for name in data if name not in self._names]

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(field.data_key or name for name, field in self.load_fields.items())


class Input(Base):
    """A schema of a path, query or body, which ignores unknown members like the service."""

    class Meta:
        unknown = EXCLUDE

    error_messages: dict[str, Any] = {"type": [FieldError(INVALID_PARAMETER, "Not an object")]}  # noqa: RUF012  # marshmallow's own contract

    #: The most characters of a text and the most items of a list that have no bound of their own. Proposed: far above
    #: what honest clients send; and what is taken is kept, so that there has to be a bound.
    longest: ClassVar[int] = 10_000

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        field_obj.error_messages["required"] = [MISSING]
        if isinstance(field_obj, fields.String | fields.List) and not _is_bounded(field_obj):
            field_obj.validators = [at_most(self.longest), *field_obj.validators]
        if isinstance(field_obj, fields.String) and field_obj.required:
            field_obj.validators = [check_given, *field_obj.validators]


class Described(Input):
    """A body whose members are checked by the operation's rule, with the service's own messages and order.

    The schema tells types, bounds and evidence; it loads an object unchanged.
    """

    class Meta:
        unknown = INCLUDE  # so that compiled loading asks `load`, too

    def load(self, data: Any, **options: Any) -> Any:
        return data


class Compact(Input):
    """A body schema that treats null as absent."""

    @pre_load
    def _compact(self, data: Any, **_: Any) -> Any:
        is_object = isinstance(data, Mapping)
        return {name: value for name, value in data.items() if value is not None} if is_object else data


def _is_bounded(field: fields.Field[Any]) -> bool:
    return any(isinstance(validator, Longest) for validator in field.validators)


class Output(Closed):
    """The schema of an answer, without empty optional members.

    The specification leaves most member names of answers open; a schema whose names it shows sets `names_from`.
    """

    names_from = OPENAPI

    def get_attribute(self, obj: Any, attr: str, default: Any) -> Any:
        value = super().get_attribute(obj, attr, default)
        return missing if value is None and attr in self._optional() else value

    def _optional(self) -> frozenset[str]:
        # Requests are served by compiled dumping (`web.schemas.dump`); this is its slow and obvious counterpart.
        return frozenset(
            field.attribute or name
            for name, field in self.dump_fields.items()
            if not field.required and not field.allow_none
        )
