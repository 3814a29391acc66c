"""Declarations of operations, above their functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict, Unpack

from marshmallow import Schema

from mockserver.core.contract.operation import Audience, DocumentedError, Operation, Role

View = Callable[..., Any]


class Options(TypedDict, total=False):
    """Optional members of `Operation`, as a declaration names them."""

    summary: str
    media: str
    body_required: bool
    errors: tuple[DocumentedError, ...]
    other_statuses: tuple[int, ...]
    roles: frozenset[Role] | None
    notes: tuple[str, ...]
    audience: Audience
    adds: bool
    sweeps: bool | str
    exports: bool
    looks_up: bool
    discriminator: tuple[str, str]
    refuse: Callable[..., Any]


class Operations:
    """A resource's operations, in declared order.

    Args:
        tag: The name of the resource.
        document: The document that describes the operations; by default their `source`, with their place.
        page: The page of docs/contract; by default the tag.
        roles: The default roles of callers; None: all roles.
        audience: The default audience.
        are_further: Whether the operations are none of the specification's 34.
    """

    def __init__(
        self,
        tag: str,
        document: str = "",
        *,
        page: str = "",
        roles: frozenset[Role] | None = None,
        audience: Audience = Audience.API,
        are_further: bool = False,
    ) -> None:
        self.tag = tag
        self.document = document
        self.page = page or tag
        self.defaults: dict[str, Any] = {"roles": roles, "audience": audience}
        self.are_further = are_further
        self.operations: list[Operation] = []

    def operation(  # noqa: PLR0913  # a declaration names each part by keyword
        self,
        id: str,  # noqa: A002  # the contract's own word
        method: str,
        path: str,
        *,
        source: str = "",
        status: int = 200,
        params: type[Schema] | None = None,
        query: type[Schema] | None = None,
        body: type[Schema] | None = None,
        answer: type[Schema] | None = None,
        **options: Unpack[Options],
    ) -> Callable[[View], View]:
        """Return a decorator that declares a function as operation; `Operation` describes the arguments.

        The function is called with `caller`, with the parameters of the path by name, with `query` and `body` if the
        operation has them, and for anonymous callers with `request` and `form`.
        """

        def declare(view: View) -> View:
            schemas: Any = {"path_schema": params, "query_schema": query, "body_schema": body, "answer_schema": answer}
            row = Operation(
                id,
                method,
                path,
                self.tag,
                source=source or ", ".join(filter(None, (self.document, f"contract/{self.page}#{id}"))),
                status=status,
                view=view,
                is_further=self.are_further,
                **schemas,
                **{**self.defaults, **options},
            )
            self.operations.append(row)
            return view

        return declare
