"""The declarations of a resource's operations, each above the function that does what the operation is for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from marshmallow import Schema

from mockserver.core.contract.operation import Audience, DocumentedError, Operation, Role

View = Callable[..., Any]


class Operations:
    """The operations of one resource, in the order of their declaration.

    Args:
        tag: The name of the resource.
        document: The document that describes the operations; their `source` by default, with their place in
            docs/contract.
        scope: The resource of the OAuth scope for all operations that name no other.
        page: The page of docs/contract; by default the tag.
        roles: The roles of callers that may call the operations; None: all roles.
        audience: The callers of all operations.
        are_further: Whether the operations are none of the specification's 34.
    """

    def __init__(
        self,
        tag: str,
        document: str = "",
        *,
        page: str = "",
        scope: str = "account",
        roles: frozenset[Role] | None = None,
        audience: Audience = Audience.API,
        are_further: bool = False,
    ) -> None:
        self.tag = tag
        self.document = document
        self.page = page or tag
        self.scope = scope
        self.roles = roles
        self.audience = audience
        self.are_further = are_further
        self.operations: list[Operation] = []

    def operation(  # noqa: PLR0913  # a declaration names all that it knows, by keyword
        self,
        id: str,  # noqa: A002  # the contract's own word
        method: str,
        path: str,
        *,
        summary: str,
        source: str = "",
        status: int = 200,
        other_statuses: tuple[int, ...] = (),
        params: type[Schema] | None = None,
        query: type[Schema] | None = None,
        body: type[Schema] | None = None,
        answer: type[Schema] | None = None,
        errors: tuple[DocumentedError, ...] = (),
        body_required: bool = False,
        roles: frozenset[Role] | None = None,
        scope: str = "",
        notes: tuple[str, ...] = (),
        audience: Audience | None = None,
        adds: bool = False,
        sweeps: bool | str = False,
        exports: bool = False,
        looks_up: bool = False,
        discriminator: tuple[str, str] | None = None,
        refuse: View | None = None,
    ) -> Callable[[View], View]:
        """A decorator that declares a function as an operation of the service; `Operation` describes the arguments.

        The function is called with `caller`, with the parameters of the path by name, with `query` and `body` if the
        operation has them, and for anonymous callers with `request` and `form`.
        """

        def declare(view: View) -> View:
            self.operations.append(
                Operation(
                    id=id,
                    method=method,
                    path=path,
                    tag=self.tag,
                    summary=summary,
                    source=source or ", ".join(filter(None, (self.document, f"contract/{self.page}#{id}"))),
                    status=status,
                    other_statuses=other_statuses,
                    view=view,
                    path_schema=params,
                    query_schema=query,
                    body_schema=body,
                    answer_schema=answer,
                    body_required=body_required,
                    errors=errors,
                    roles=roles or self.roles,
                    scope=scope or self.scope,
                    notes=notes,
                    audience=audience or self.audience,
                    is_further=self.are_further,
                    adds=adds,
                    sweeps=sweeps,
                    exports=exports,
                    looks_up=looks_up,
                    discriminator=discriminator,
                    refuse=refuse,
                )
            )
            return view

        return declare
