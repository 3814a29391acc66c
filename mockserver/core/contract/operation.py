"""What an operation promises: one declaration that route, validation, documents and evidence all read."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, NamedTuple

from mockserver.core.contract.errors import ErrorCode


class Mark(StrEnum):
    """How sure a fact is, the surest first; docs/ledger.md says what stands behind each."""

    #: The specification, a document of the service's own, or one of its client libraries says it.
    DOCUMENTED = "documented"
    #: A recorded request, answer or webhook call shows it.
    OBSERVED = "observed"
    #: Public programs that use the service expect or handle it.
    OBSERVED_IN_CODE = "observed_in_code"
    #: No source shows it: what the real service would sensibly do.
    PROPOSED = "proposed"


class Role(StrEnum):
    """What an account is."""

    STANDALONE = "standalone"
    MASTER = "master"
    ADMIN = "admin"
    SUB_ACCOUNT = "sub_account"


class Audience(StrEnum):
    """Whom an operation speaks with, and so in which form it takes and refuses."""

    #: Programs with a key or a token: JSON.
    API = "api"
    #: Apps that want tokens: forms in, JSON out, errors of RFC 6749.
    OAUTH = "oauth"
    #: People with a browser: pages.
    PAGE = "page"


#: The scope that holds all others (contract/oauth#scopes).
ALL_SCOPES = "all"


#: The roles that may call an operation, where it is not open to all.
MASTER_ONLY = frozenset({Role.MASTER})
MASTER_OR_ADMIN = frozenset({Role.MASTER, Role.ADMIN})


class DocumentedError(NamedTuple):
    """One error that an operation gives, when it does, and how sure that is."""

    code: ErrorCode
    when: str
    mark: Mark
    #: Empty where it stands at the operation's own place in docs/contract.
    source: str
    status: int
    #: How many public programs show it, where the mark is OBSERVED_IN_CODE.
    programs: int = 0


def documented_error(code: ErrorCode, when: str, source: str = "", *, status: int | None = None) -> DocumentedError:
    return DocumentedError(code, when, Mark.DOCUMENTED, source, status or code.status)


def observed_error(code: ErrorCode, when: str, source: str = "", *, status: int | None = None) -> DocumentedError:
    return DocumentedError(code, when, Mark.OBSERVED, source, status or code.status)


def error_observed_in_code(
    code: ErrorCode, when: str, source: str = "", *, programs: int, status: int | None = None
) -> DocumentedError:
    return DocumentedError(code, when, Mark.OBSERVED_IN_CODE, source, status or code.status, programs)


def proposed_error(code: ErrorCode, when: str, source: str = "", *, status: int | None = None) -> DocumentedError:
    return DocumentedError(code, when, Mark.PROPOSED, source, status or code.status)


class Operation(NamedTuple):
    """One of the service's method-and-path pairs, with its contract.

    The schemas are classes, opaque here: the core carries the declaration, the web layer reads it.
    """

    id: str
    method: str
    path: str
    tag: str
    summary: str
    #: Sections of the specification, or documents, and the place in docs/contract where the facts stand.
    source: str
    status: int
    view: Callable[..., Any]
    path_schema: Any = None
    query_schema: Any = None
    body_schema: Any = None
    answer_schema: Any = None
    #: Whether a request without a body is refused, even if no member is required.
    body_required: bool = False
    errors: tuple[DocumentedError, ...] = ()
    #: None: any account may call it.
    roles: frozenset[Role] | None = None
    #: The resource of the OAuth scope; reads need `:read`, the rest `:write`.
    scope: str = "account"
    notes: tuple[str, ...] = ()
    audience: Audience = Audience.API
    #: Whether it adds rows, and so is refused where a workspace is full.
    adds: bool = False
    #: Whether it goes through all rows of a kind, or the parameter of the query with which it does: where there are
    #: many, it is run beside the event loop.
    sweeps: bool | str = False
    #: Whether it may write a file of the history of webhook calls while it answers: where there are many, that is done
    #: beside the event loop.
    exports: bool = False
    #: The member of the form, and its value, that tell an operation from others of the same address.
    discriminator: tuple[str, str] | None = None
    #: Tells a refusal in a way of its own, or leaves it with None to that of its audience.
    refuse: Callable[..., Any] | None = None

    @property
    def needs(self) -> str:
        """The OAuth scope that a token has to have: reading and writing are two (contract/oauth#scopes)."""
        return f"{self.scope}:{'read' if self.method == 'GET' else 'write'}"
