"""Drift: ask an account of the service and a workspace of the mock the same questions, and compare the answers' shapes.

Only GET is sent, and no value of the account is kept in a verdict, an exception or a log.
"""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from http.client import HTTPException
from socket import gaierror
from typing import Any, NamedTuple
from urllib.error import URLError
from urllib.parse import quote, urlencode
from urllib.request import (
    BaseHandler,
    HTTPErrorProcessor,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    build_opener,
)

from mockserver.evidence.shape import Shapes, unseen
from mockserver.testing.client import Client, body_of, path_of, trusting

#: The most calls of the service, and the least seconds from one to the next: the limits that users are promised.
MOST_CALLS, PACE_S = 40, 1.0
#: The most rows that a question asks for.
_ROWS = 2
#: How long an answer may take, in seconds.
_TIMEOUT_S = 30.0
#: An id that no row has: the largest of 32 bits.
_NO_ID = 2**31 - 1
#: The content types that are shown; the name of another one could be anything.
_SHOWN_TYPES = ("application/json", "application/problem+json", "text/html", "text/plain", "application/xml", "none")
SAME, DIFFERENT, NOT_COMPARABLE = "same", "different", "not comparable"


class NoAnswer(Exception):
    """A call without an answer; the message contains no account data."""


class Answer(NamedTuple):
    status: int
    type: str
    text: str
    #: The JSON value; None if the text is not JSON.
    body: Any
    is_json: bool

    @property
    def shown_type(self) -> str:
        return self.type if self.type in _SHOWN_TYPES else "another content type"


# ------------------------------------------------------------------ transport


class _OnlyGet(BaseHandler):
    """Refuses to send whatever could change something."""

    handler_order = 0

    def http_request(self, request: Request) -> Request:
        if request.get_method() != "GET" or request.data is not None:
            raise NoAnswer(f"{request.get_method()} is never sent")
        return request

    https_request = http_request


class _AnyStatus(HTTPErrorProcessor):
    """Returns answers of every status, and follows no redirect: the key is for the given address only."""

    def http_response(self, request: Request, response: Any) -> Any:
        return response

    https_response = http_response


class Asker:
    """Asks one server by GET, at a pace and up to a number of calls.

    Args:
        root: The root address, without `/v3`.
        key: The API key.
        pace: The least seconds from one call to the next; the default is `PACE_S`.
        clock, sleep: Tell the time and wait, in seconds.
        proxies: The proxies by scheme; None: those of the environment.

    Raises:
        ValueError: The file of MOCKSERVER_CA cannot be read.
    """

    def __init__(
        self,
        root: str,
        key: str,
        *,
        pace: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        proxies: dict[str, str] | None = None,
    ) -> None:
        self._root, self._headers = root, {"api-key": key, "Accept": "application/json", "User-Agent": "mockserver"}
        self._pace, self._clock, self._sleep = PACE_S if pace is None else pace, clock, sleep
        self._calls, self._next = 0, 0.0
        handlers = (_OnlyGet, _AnyStatus, ProxyHandler(proxies), HTTPSHandler(context=trusting()))
        self.opener: OpenerDirector = build_opener(*handlers)

    def __call__(self, path: str) -> Answer:
        """Ask for a path, such as `/v3/account`.

        Raises:
            NoAnswer: Nothing answers, or there were too many calls.
        """
        if self._calls >= MOST_CALLS:
            raise NoAnswer(f"{MOST_CALLS} calls were made, the most of a run")
        if (seconds := self._next - self._clock()) > 0 and self._calls:
            self._sleep(seconds)
        self._calls, self._next = self._calls + 1, self._clock() + self._pace
        try:
            return self._answer(Request(f"{self._root}{path}", headers=self._headers))  # noqa: S310  # checked before
        except (OSError, HTTPException, ValueError) as error:
            raise NoAnswer(_reason(error)) from None  # the cause may quote what the server has sent

    def _answer(self, request: Request) -> Answer:
        with self.opener.open(request, timeout=_TIMEOUT_S) as found:
            status, headers, content = found.status, found.headers, body_of(found)
        type_ = headers.get_content_type() if headers["Content-Type"] else "none"
        return answer_of(status, type_, content)


def answer_of(status: int, type_: str, content: bytes) -> Answer:
    text = content.decode(errors="replace")
    try:
        return Answer(status, type_, text, json.loads(text), is_json=True)
    except (ValueError, RecursionError):
        return Answer(status, type_, text, None, is_json=False)


def _reason(error: Exception) -> str:
    cause = error.reason if isinstance(error, URLError) else error
    for kind, why in (
        (gaierror, "the host name is unknown"),
        (TimeoutError, f"no answer within {_TIMEOUT_S:.0f} seconds"),
        (ssl.SSLCertVerificationError, "the certificate is not trusted"),
        (ConnectionRefusedError, "the connection was refused"),
        (ConnectionResetError, "the connection was closed without an answer"),
        (HTTPException, "the answer is cut off or not HTTP"),
    ):
        if isinstance(cause, kind):
            return why
    return f"the connection failed ({type(cause).__name__})"


# ------------------------------------------------------------------ questions


class Source(NamedTuple):
    """Where the value of a path parameter comes from: a member of the first row of a list that was asked before."""

    path: str
    rows: str
    member: str


class Question(NamedTuple):
    #: The path as our document has it.
    path: str
    #: Path parameters: a value, or where it comes from.
    given: Mapping[str, Source | str | int] = {}
    query: Mapping[str, str | int] = {}

    @property
    def title(self) -> str:
        query = f"?{urlencode(self.query)}" if self.query else ""
        unknown = " (an unknown one)" if any(not isinstance(row, Source) for row in self.given.values()) else ""
        return f"GET {self.path}{query}{unknown}"

    def address(self, answers: Mapping[str, Answer]) -> str | None:
        """Return path and query, or None if no row tells an id."""
        path = self.path
        for name, value in self.given.items():
            found = _first(answers, value) if isinstance(value, Source) else value
            if found is None:
                return None
            path = path.replace(f"{{{name}}}", quote(str(found), safe=""))
        return f"{path}?{urlencode(self.query)}" if self.query else path


def _first(answers: Mapping[str, Answer], source: Source) -> str | int | None:
    for title, answer in answers.items():
        if title.removeprefix("GET ").partition("?")[0] == source.path and isinstance(answer.body, dict):
            rows = answer.body.get(source.rows)
            row = rows[0] if isinstance(rows, list) and rows else None
            found = row.get(source.member) if isinstance(row, dict) else None
            if isinstance(found, str | int) and found != "":
                return found
    return None


_ACCOUNT, _MASTER = Question("/v3/account"), Question("/v3/corporate/masterAccount")
_PAGE = {"limit": _ROWS, "offset": 0}
_SUB_ACCOUNT = Source("/v3/corporate/subAccount", "subAccounts", "id")
_PLAN = Question("/v3/corporate/subAccount/{id}", {"id": _SUB_ACCOUNT})
_DOMAIN = Source("/v3/senders/domains", "domains", "domain_name")
_SENDER = Source("/v3/senders", "senders", "id")
_WEBHOOK = Source("/v3/webhooks", "webhooks", "id")
_CONTACT = Source("/v3/contacts", "contacts", "id")
_LIST = Source("/v3/contacts/lists", "lists", "id")
_FOLDER = Source("/v3/contacts/folders", "folders", "id")

#: All questions in their order: lists come before what they tell the ids of.
QUESTIONS = (
    _ACCOUNT,
    _MASTER,
    Question("/v3/corporate/subAccount", query=_PAGE),
    _PLAN,
    Question("/v3/senders/domains"),
    Question("/v3/senders/domains/{domainName}", {"domainName": _DOMAIN}),
    Question("/v3/senders/domains/{domainName}", {"domainName": "unknown.invalid"}),
    Question("/v3/senders"),
    Question("/v3/senders/ips"),
    Question("/v3/senders/{senderId}/ips", {"senderId": _SENDER}),
    Question("/v3/senders/{senderId}/ips", {"senderId": _NO_ID}),
    *(Question("/v3/webhooks", query={"type": name}) for name in ("transactional", "marketing", "inbound")),
    Question("/v3/webhooks", query={"type": "unknown"}),
    Question("/v3/webhooks/{webhookId}", {"webhookId": _WEBHOOK}),
    Question("/v3/webhooks/{webhookId}", {"webhookId": _NO_ID}),
    Question("/v3/organization/activities", query=_PAGE),
    Question("/v3/inbound/events", query=_PAGE),
    Question("/v3/inbound/events", query={**_PAGE, "startDate": "unknown"}),
    Question("/v3/emailCampaigns/{campaignId}/sharedUrl", {"campaignId": _NO_ID}),  # of a known one it would make one
    Question("/v3/smtp/emailStatus/{identifier}", {"identifier": "00000000-0000-4000-8000-000000000000"}),
    Question("/v3/smtp/blockedContacts", query=_PAGE),
    Question("/v3/contacts/attributes"),
    Question("/v3/contacts", query=_PAGE),
    Question("/v3/contacts/{identifier}", {"identifier": _CONTACT}),
    Question("/v3/contacts/{identifier}", {"identifier": "nobody@unknown.invalid"}),
    Question("/v3/contacts/lists", query=_PAGE),
    Question("/v3/contacts/lists/{listId}", {"listId": _LIST}),
    Question("/v3/contacts/lists/{listId}", {"listId": _NO_ID}),
    Question("/v3/contacts/lists/{listId}/contacts", {"listId": _LIST}, _PAGE),
    Question("/v3/contacts/folders", query=_PAGE),
    Question("/v3/contacts/folders/{folderId}", {"folderId": _FOLDER}),
    Question("/v3/contacts/folders/{folderId}", {"folderId": _NO_ID}),
    Question("/v3/contacts/folders/{folderId}/lists", {"folderId": _FOLDER}, _PAGE),
)

Ask = Callable[[str], Answer]


class Asked(NamedTuple):
    """The answers of one side, by question title."""

    answers: dict[str, Answer]
    #: Why questions have no answer that can be compared.
    reasons: dict[str, str]


def ask_all(ask: Ask, questions: Sequence[Question] = QUESTIONS) -> Asked:
    """Ask the questions until an answer says that to go on is useless or impolite."""
    answers: dict[str, Answer] = {}
    reasons: dict[str, str] = {}
    end = ""
    for question in questions:
        address = None if end else question.address(answers)
        if address is None:
            reasons[question.title] = f"not asked: {end or 'no list has told an id'}"
            continue
        try:
            answer = ask(address)
        except NoAnswer as error:
            reasons[question.title] = end = str(error)
            continue
        is_api = question is not _ACCOUNT or (answer.status == HTTPStatus.OK and isinstance(answer.body, dict))
        if (reason := _refusal(answer.status)) or not is_api:
            reasons[question.title] = reason or f"this is not the service (status {answer.status}, {answer.shown_type})"
            if not is_api or answer.status == HTTPStatus.TOO_MANY_REQUESTS:
                end = reasons[question.title]
        else:
            answers[question.title] = answer
    return Asked(answers, reasons)


def _refusal(status: int) -> str:
    """Return the reason to ignore an answer with this status, or an empty text."""
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return "the rate limit is reached (status 429)"
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return f"the key may not ask this (status {status})"
    return f"the server has failed (status {status})" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else ""


# ------------------------------------------------------------------ the mock's side

#: What the account of the mock has, so that it is asked the same questions. The scenario has the account's kind.
_ROWS_OF_MOCK = {
    "domains": [{"name": "acme.test", "state": "authenticated"}],
    "senders": [{"name": "News", "email": "news@acme.test"}],
    "webhooks": [
        {"url": "https://acme.test/hook", "type": "transactional", "events": ["spam"]},
        {"url": "https://acme.test/hook", "type": "marketing", "events": ["unsubscribed"]},
        {"url": "https://acme.test/hook", "type": "inbound", "domain": "acme.test"},
    ],
    "activities": [{"date": "-PT1H", "action": "login-success", "user_email": "owner@acme.test"}],
    "contact_folders": [{"id": 2, "name": "News"}],
    "contact_lists": [{"id": 2, "name": "News", "folder_id": 2}],
    "contacts": [{"email": "bob@acme.test", "list_ids": [2]}],
    "blocked_contacts": [{"email": "carol@acme.test"}],
}


def scenario_of(answers: Mapping[str, Answer]) -> dict[str, Any]:
    """Return the scenario of an account of the same kind: corporate on v1 or v2, enterprise, or neither."""
    base = "standard"
    if (master := answers.get(_MASTER.title)) is not None and master.status == HTTPStatus.OK:
        plan = answers.get(_PLAN.title)
        # Only v1 has landing pages (contract/corporate).
        base = "corporate-v1" if plan is not None and '"landingPage"' in plan.text else "corporate-v2"
    is_enterprise = answers[_ACCOUNT.title].body.get("enterprise") is True
    return {"extends": base, "accounts": [{"name": "acme", "enterprise": is_enterprise, **_ROWS_OF_MOCK}]}


@contextmanager
def workspace(client: Client, scenario: Any) -> Iterator[Ask]:
    """Make a temporary workspace on a mock server, which does not count in its coverage."""
    made = client.json("POST", "/_mock/workspaces", body={"scenario": scenario, "counted": False})
    try:
        yield Asker(f"{client.url}/w/{made['name']}", made["api_key"], pace=0, proxies={})
    finally:
        client.call("DELETE", f"/_mock{path_of('workspaces', made['name'])}")


# ------------------------------------------------------------------ verdicts


class Verdict(NamedTuple):
    question: str
    verdict: str
    #: Differences, or the reason why nothing could be compared, or lists whose rows were not seen.
    notes: list[str]


class MockSide(NamedTuple):
    """What the mock has answered."""

    #: Of the account of the same kind, and of a new account, which has no rows.
    kind: Asked
    new: Asked
    #: The OpenAPI document.
    document: Mapping[str, Any]


def ask_mock(client: Client, scenario: Mapping[str, Any]) -> MockSide:
    with workspace(client, scenario) as ask, workspace(client, "empty") as ask_new:
        lists = [question for question in QUESTIONS if not question.given]
        return MockSide(ask_all(ask), ask_all(ask_new, lists), client.json("GET", "/_mock/openapi.json"))


def drift(ask: Ask, client: Client) -> list[Verdict]:
    """Compare an account of the service with a workspace of the same kind on a mock server.

    Raises:
        MockServerError: The mock server does not answer.
    """
    asked = ask_all(ask)
    if not asked.answers:
        return [Verdict(title, NOT_COMPARABLE, [reason]) for title, reason in asked.reasons.items()]
    return compare(asked, ask_mock(client, scenario_of(asked.answers)))


def compare(asked: Asked, mock: MockSide) -> list[Verdict]:
    return [_compare(question, asked, mock) for question in QUESTIONS]


def _compare(question: Question, asked: Asked, mock: MockSide) -> Verdict:
    title = question.title
    if title in asked.reasons:
        return Verdict(title, NOT_COMPARABLE, [asked.reasons[title]])
    if title in mock.kind.reasons:
        return Verdict(title, NOT_COMPARABLE, [f"of the mock: {mock.kind.reasons[title]}"])
    answer, twin = asked.answers[title], mock.kind.answers[title]
    if answer.status not in (twin.status, HTTPStatus.OK):  # an account without webhooks is refused their list
        twin = mock.new.answers.get(title, twin)
    try:
        notes = list(_differences(mock.document, question.path, answer, twin))
        empty = [f"{path} is empty in the account" for path in unseen(answer.body, twin.body)]
    except RecursionError:
        return Verdict(title, NOT_COMPARABLE, ["the answer is nested too deeply"])
    return Verdict(title, DIFFERENT if notes else SAME, [*notes, *empty])


def _differences(document: Mapping[str, Any], path: str, answer: Answer, twin: Answer) -> Iterator[str]:
    if answer.status != twin.status:
        yield f"status {answer.status} instead of {twin.status}"
    if answer.type != twin.type:
        yield f"{answer.shown_type} instead of {twin.type}"
    if answer.status == twin.status:
        if answer.is_json != twin.is_json:
            yield "the body is not JSON"
            return
        responses = document["paths"][path]["get"]["responses"]
        content = responses.get(str(answer.status), {}).get("content", {}).get("application/json", {})
        yield from Shapes(document["components"]["schemas"], answer.body).differences(content.get("schema"), twin.body)
