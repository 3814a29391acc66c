"""The endpoints of all operations: which one a request comes to, and what is said where there is none."""

from __future__ import annotations

from collections.abc import Iterable

from flask import Request
from werkzeug.exceptions import RequestEntityTooLarge

from mockserver.core.contract.errors import METHOD_NOT_ALLOWED, NOT_FOUND, ServiceError
from mockserver.core.contract.operation import Audience, Operation
from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.workspaces.caller import AnonymousCaller
from mockserver.web.service import public_endpoint
from mockserver.web.service.application import Segment, ServiceFlask, routed, rule_of, shown_path
from mockserver.web.service.operation import Endpoint
from mockserver.web.service.public_endpoint import PublicEndpoint


class EndpointTable:
    """All operations, by name and by address."""

    def __init__(self, app: ServiceFlask, operations: Iterable[Operation]) -> None:
        operations = list(operations)
        self._endpoints: dict[str, Endpoint] = {row.id: _door(row) for row in operations}
        #: Those that share an address with an earlier one, by the earlier one.
        self._others: dict[str, list[Operation]] = {}
        app.url_map.converters["segment"] = Segment
        app.url_map.merge_slashes = False
        at: dict[tuple[str, str], str] = {}
        for operation in operations:
            first = at.setdefault((operation.method, operation.path), operation.id)
            if first != operation.id:
                self._others.setdefault(first, []).append(operation)
                continue
            rule = rule_of(operation, operations)
            app.add_url_rule(rule, operation.id, methods=[operation.method], provide_automatic_options=False)

    def __contains__(self, name: str) -> bool:
        return name in self._endpoints

    def __getitem__(self, name: str) -> Endpoint:
        return self._endpoints[name]

    def called(self, request: Request) -> str | None:
        """The operation that is called: what the address says, or the form, where several share one."""
        if request.url_rule is None:
            return None
        first: str = request.url_rule.endpoint
        if others := self._others.get(first):
            try:
                members = public_endpoint.read_form(request).items()
            except (ServiceError, RequestEntityTooLarge):
                return first
            return next((row.id for row in others if row.discriminator and row.discriminator in members), first)
        return first

    def audience(self, operation: str | None, path: str) -> Audience:
        """Whom an operation speaks with or, without one, an address that leads nowhere."""
        return public_endpoint.audience_of(path) if operation is None else self._endpoints[operation].operation.audience

    def nowhere(self, request: Request, exchange: Exchange) -> Reply:
        """The answer at an address that leads nowhere, or not with this method."""
        path = routed(request)
        same = [endpoint.operation for endpoint in self._endpoints.values() if _leads(endpoint.operation.path, path)]
        shown = shown_path(request)
        reason = f"no operation has the address {shown}"
        if same:
            methods = ", ".join(f"{operation.method} ({operation.id})" for operation in same)
            reason = f"{shown} does not take {exchange.method}; it takes {methods}"
        if self.audience(exchange.operation, exchange.path) is Audience.API:
            # The API says the same of both (ledger 1.3).
            return Reply(404, error=NOT_FOUND().because(reason))
        if not same:
            return Reply(404, error=NOT_FOUND("There is nothing at this address").because(reason))
        allowed = list(dict.fromkeys(operation.method for operation in same))
        error = METHOD_NOT_ALLOWED(f"This address takes {' or '.join(allowed)}, not {exchange.method}").because(reason)
        return Reply(405, error=error, headers=(("Allow", ", ".join(allowed)),))

    def refusal(self, error: ServiceError, caller: AnonymousCaller, exchange: Exchange) -> Reply:
        """What a caller is told instead: by the operation, or in the form that fits the address."""
        endpoint = self._endpoints.get(exchange.operation or "")
        if isinstance(endpoint, PublicEndpoint):
            return endpoint.refuse(error, caller, exchange)
        return public_endpoint.refusal(error, self.audience(exchange.operation, exchange.path), caller, exchange)


def _door(operation: Operation) -> Endpoint:
    return Endpoint(operation) if operation.audience is Audience.API else PublicEndpoint(operation)


def _leads(template: str, path: str) -> bool:
    """Whether an operation's path can be this one."""
    parts, segments = template.split("/"), path.split("/")
    return len(parts) == len(segments) and all(
        part == segment or (part[:1] == "{" and segment) for part, segment in zip(parts, segments, strict=True)
    )
