"""Operations as declarations, which routes, validation, documents and evidence read."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, NamedTuple

from mockserver.core.contract.errors import ErrorCode


class Mark(StrEnum):
    """How sure a fact is, the surest first; docs/truth/ledger.md says what stands behind each."""

    #: The specification, a document of the service's own, or one of its client libraries says it.
    DOCUMENTED = "documented"
    #: A recorded request, answer or webhook call shows it.
    OBSERVED = "observed"
    #: Public programs that use the service expect or handle it.
    OBSERVED_IN_CODE = "observed_in_code"
    #: No source shows it: what the real service would sensibly do.
    PROPOSED = "proposed"


class Role(StrEnum):
    """The role of an account, which decides which operations it may call."""

    STANDALONE = "standalone"
    MASTER = "master"
    ADMIN = "admin"
    SUB_ACCOUNT = "sub_account"


class Audience(StrEnum):
    """Who calls an operation, which decides the formats of its requests, answers and errors."""

    #: Programs with a key or a token: JSON.
    API = "api"
    #: Apps that want tokens: forms in, JSON out, errors of RFC 6749.
    OAUTH = "oauth"
    #: People with a browser: pages.
    PAGE = "page"


#: The OAuth scope that includes all others (contract/oauth#scopes).
ALL_SCOPES = "all"


#: The roles of operations that not every account may call.
MASTER_ONLY = frozenset({Role.MASTER})
MASTER_OR_ADMIN = frozenset({Role.MASTER, Role.ADMIN})


class DocumentedError(NamedTuple):
    """An error that an operation gives, with the condition, and how sure that is."""

    code: ErrorCode
    when: str
    mark: Mark
    #: Empty where it stands at the operation's own place in docs/contract.
    source: str
    status: int
    #: How many public programs show the error; 0 unless the mark is OBSERVED_IN_CODE.
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


class OtherStatus(NamedTuple):
    """What an operation's function returns to answer with another status of success than usual."""

    status: int
    result: Any = None


class Operation(NamedTuple):
    """One pair of method and path of the service, with its contract.

    The schemas are classes of marshmallow, which the core carries without knowing them; the web layer reads them.
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
    #: Further statuses of success, which its function chooses by `OtherStatus`.
    other_statuses: tuple[int, ...] = ()
    #: None: any account may call it.
    roles: frozenset[Role] | None = None
    #: The resource of the OAuth scope; reads need `:read`, the rest `:write`.
    scope: str = "account"
    notes: tuple[str, ...] = ()
    audience: Audience = Audience.API
    #: Whether it is none of the specification's 34: sending and contacts, which percentages do not count by default.
    is_further: bool = False
    #: Whether it adds rows, and so is refused in a workspace that has as many as it may.
    adds: bool = False
    #: Whether it reads all rows of a type, or the name of the query parameter with which it does. Where there are many
    #: rows, it then runs in a thread instead of on the event loop.
    sweeps: bool | str = False
    #: Whether it may write the file of an export of webhook events while it answers. Where there are many, it then runs
    #: in a thread instead of on the event loop.
    exports: bool = False
    #: Whether it asks DNS before it answers, where the workspace has a real resolver (`behaviour.dns: resolver`).
    looks_up: bool = False
    #: The member of the form, and its value, that tell an operation from others of the same address.
    discriminator: tuple[str, str] | None = None
    #: Makes the answer to an error, or returns None to leave that to the handler of its audience.
    refuse: Callable[..., Any] | None = None

    @property
    def successes(self) -> tuple[int, ...]:
        """The statuses of success, the usual one first."""
        return (self.status, *self.other_statuses)

    @property
    def needs(self) -> str:
        """The OAuth scope that a token needs: `:read` for GET, `:write` for the rest (contract/oauth#scopes)."""
        return f"{self.scope}:{'read' if self.method == 'GET' else 'write'}"
