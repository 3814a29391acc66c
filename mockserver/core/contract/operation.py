"""Declarations of operations for routes, validation, documents and evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cache, partial
from types import MappingProxyType
from typing import Any, NamedTuple

from mockserver.core.contract.errors import ErrorCode


class Mark(StrEnum):
    """How certain a fact is, the most certain first; docs/truth/ledger.md defines each mark."""

    #: The specification, another document or a client library of the service says it.
    DOCUMENTED = "documented"
    #: A recorded request, answer or webhook call shows it.
    OBSERVED = "observed"
    #: Public programs that use the service expect or handle it.
    OBSERVED_IN_CODE = "observed_in_code"
    #: No source shows it: a sensible guess.
    PROPOSED = "proposed"


class Role(StrEnum):
    """An account's role, which limits its operations."""

    STANDALONE = "standalone"
    MASTER = "master"
    ADMIN = "admin"
    SUB_ACCOUNT = "sub_account"


class Audience(StrEnum):
    """The callers of an operation, which decide the formats of requests, answers and errors."""

    #: Programs with a key or a token: JSON.
    API = "api"
    #: Apps that request tokens: forms in, JSON out, errors of RFC 6749.
    OAUTH = "oauth"
    #: People with a browser: pages.
    PAGE = "page"


#: The OAuth scope that includes all others (contract/oauth#scopes).
ALL_SCOPES = "all"
#: The path prefixes of OAuth scopes by resource, from the page oauth-scopes of developers.brevo.com. The page names
#: neither /corporate nor /smtp/emailStatus: their scopes are proposed (contract/oauth#scopes).
SCOPE_PATHS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "account": ("/account", "/senders", "/senders/domains", "/inbound", "/feeds", "/processes"),
        "organization": ("/organization", "/corporate"),
        "webhooks": ("/webhooks",),
        "campaigns.email": ("/emailCampaigns",),
        "contacts": ("/contacts",),
        "transactional.email": (
            "/smtp/email", "/smtp/templates", "/smtp/emails", "/smtp/statistics", "/smtp/blockedContacts",
            "/smtp/blockedDomains", "/smtp/emailStatus",
        ),
    }
)  # fmt: skip
#: The roles of operations that not every account may call.
MASTER_ONLY = frozenset({Role.MASTER})
MASTER_OR_ADMIN = frozenset({Role.MASTER, Role.ADMIN})


class DocumentedError(NamedTuple):
    """An operation's error, with condition and evidence."""

    code: ErrorCode
    when: str
    mark: Mark
    #: Empty if the source is the place of the operation in docs/contract.
    source: str
    status: int
    #: The number of public programs that show the error, if the mark is OBSERVED_IN_CODE.
    programs: int = 0
    #: Whether only a choice of `behaviour.sentence_codes` gives this code.
    is_chosen: bool = False


def _error(
    mark: Mark, code: ErrorCode, when: str, source: str = "", *, programs: int = 0, status: int | None = None
) -> DocumentedError:
    return DocumentedError(code, when, mark, source, status or code.status, programs)


documented_error = partial(_error, Mark.DOCUMENTED)
observed_error = partial(_error, Mark.OBSERVED)
error_observed_in_code = partial(_error, Mark.OBSERVED_IN_CODE)
proposed_error = partial(_error, Mark.PROPOSED)


def chosen_error(code: ErrorCode, choice: str, mark: Mark, source: str = "") -> DocumentedError:
    """Return an error code that `behaviour.sentence_codes` chooses instead of another."""
    when = f"with `behaviour.sentence_codes: {choice}`"
    listed = "specification 7.3, contract/errors#codes"
    return DocumentedError(code, when, mark, source or listed, code.status, is_chosen=True)


class OtherStatus(NamedTuple):
    """An operation's result with an unusual success status."""

    status: int
    result: Any = None


class Operation(NamedTuple):
    """The contract of one service method and path.

    The schemas are classes of marshmallow, which only the web layer reads.
    """

    id: str
    method: str
    path: str
    tag: str
    summary: str
    #: Sections of the specification, or documents, and the place in docs/contract.
    source: str
    status: int
    view: Callable[..., Any]
    path_schema: Any = None
    query_schema: Any = None
    body_schema: Any = None
    answer_schema: Any = None
    #: The media type of an answer that is not JSON.
    media: str = ""
    #: Whether a request without a body is refused, even if no member is required.
    body_required: bool = False
    errors: tuple[DocumentedError, ...] = ()
    #: Further statuses of success, for `OtherStatus`.
    other_statuses: tuple[int, ...] = ()
    #: The roles that may call it, or None for any account.
    roles: frozenset[Role] | None = None
    notes: tuple[str, ...] = ()
    audience: Audience = Audience.API
    #: Whether it is outside the 34 of the specification: percentages do not count it by default.
    is_further: bool = False
    #: Whether it adds rows, and is refused in a full workspace.
    adds: bool = False
    #: Whether it reads all rows of a type, or the query parameter with which it does. If many, in a thread.
    sweeps: bool | str = False
    #: Whether it may write the file of an export of webhook events. With many events it runs in a thread.
    exports: bool = False
    #: Whether it asks DNS before it answers (`behaviour.dns: resolver`).
    looks_up: bool = False
    #: The form member and its value that distinguish operations of the same address.
    discriminator: tuple[str, str] | None = None
    #: Makes the answer to an error, or returns None for the default of its audience.
    refuse: Callable[..., Any] | None = None

    @property
    def successes(self) -> tuple[int, ...]:
        """The statuses of success, the usual one first."""
        return (self.status, *self.other_statuses)

    @property
    def needs(self) -> str:
        """The OAuth scope of the operation: `:read` for GET, `:write` otherwise (contract/oauth#scopes)."""
        return f"{_scope_of(self.path)}:{'read' if self.method == 'GET' else 'write'}"


@cache
def _scope_of(path: str) -> str:
    """Return the resource of the OAuth scope of an API path; prefixes end with a whole segment."""
    path = f"{path.removeprefix('/v3')}/"
    (found,) = (name for name, prefixes in SCOPE_PATHS.items() if any(path.startswith(f"{each}/") for each in prefixes))
    return found
