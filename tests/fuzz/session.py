"""A fuzzing session: an application, mutated requests one after the other, and what must hold in between."""

from __future__ import annotations

import io
import json
import logging
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import unquote_to_bytes

from fuzz import corpus, mutation
from fuzz.corpus import Draft, Sent, write

from mockserver import Settings, create_app
from mockserver.web.server.waiting import SUSPENDED, SuspendedRequest

#: How many bytes a body may have.
BODY_LIMIT = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        """The value of the body; None if that is no JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None


class Target:
    """An application whose limits are small, so that they are reached; nothing leaves it but to loopback."""

    def __init__(self, scenario: str | dict[str, Any], keys: str) -> None:
        self.app = create_app(
            Settings(
                scenario=scenario,
                keys=keys,
                egress="loopback",
                workspaces_limit=8,
                journal_limit=200,
                mailbox_limit=20,
                snapshots_limit=4,
                deliveries_limit=50,
                rows_limit=3_000,
                body_limit=BODY_LIMIT,
            )
        )

    @property
    def workspaces(self) -> Any:
        return self.app.store.loaded()

    def send(self, sent: Sent) -> Answer:
        """The answer; a request that waits is answered by what it would say when its time is up."""
        started: list[Any] = []

        def start_response(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            started[:] = [int(status[:3]), {name.lower(): value for name, value in headers}]
            return io.BytesIO().write

        chunks = self.app(_environ(sent), start_response)
        try:
            body = b"".join(chunks)
        finally:
            if hasattr(chunks, "close"):
                chunks.close()
        return Answer(started[0], started[1], body)

    def get(self, path: str, **headers: str) -> Answer:
        return self.send(Sent("GET", path, "", headers, b""))

    def close(self) -> None:
        self.app.effects.close()


def _environ(sent: Sent) -> dict[str, Any]:
    """The WSGI environment of a request, PEP 3333, as the bridge makes it."""
    found: dict[str, Any] = {
        "REQUEST_METHOD": sent.method, "SCRIPT_NAME": "", "PATH_INFO": unquote_to_bytes(sent.path).decode("latin-1"),
        "QUERY_STRING": sent.query, "REQUEST_URI": sent.path, "SERVER_NAME": "127.0.0.1", "SERVER_PORT": "8003",
        "SERVER_PROTOCOL": "HTTP/1.1", "REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "localhost:8003",
        "CONTENT_LENGTH": str(len(sent.body)), "wsgi.version": (1, 0), "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(sent.body), "wsgi.errors": sys.stderr, "wsgi.multithread": False,
        "wsgi.multiprocess": False, "wsgi.run_once": False, "wsgi.input_terminated": True,
        SUSPENDED: SuspendedRequest(),
    }  # fmt: skip
    for name, value in sent.headers.items():
        key = name.upper().replace("-", "_")
        found[key if key == "CONTENT_TYPE" else f"HTTP_{key}"] = value.encode().decode("latin-1")
    return found


#: What a page or an answer must not show of the program behind it.
_TRACES = (b"Traceback (most recent", b'File "/', b"marshmallow.", b"werkzeug.", b"jinja2.")
#: What can be read of every workspace, and must answer well.
_READABLE = (
    "requests?limit=1000", "mailbox?limit=1000", "deliveries?limit=1000", "receivers", "faults", "coverage", "machines",
    "snapshots", "clock", "oauth/apps", "faults/catalogue",
)  # fmt: skip
#: How long a call that is under way may take, in seconds: nobody listens where it goes, and that is refused at once.
_PATIENCE_S = 20.0


def answer_problem(sent: Sent, answer: Answer, *, stubs_fail: bool = True) -> str | None:
    """What is wrong with an answer, whatever was asked; a stub of a caller's own may answer, and fail, as it likes."""
    if stubs_fail and answer.headers.get("x-mock-answered") == "stubbed":
        return None
    if answer.status >= 500 and "x-mock-fault" not in answer.headers and not _is_odd_receiver(sent):
        return f"a {answer.status} that nobody asked for"
    if any(trace in answer.body for trace in _TRACES) and answer.status >= 400:
        return "the answer shows the program behind it"
    kind = answer.headers.get("content-type", "")
    if "json" in kind and sent.method != "HEAD" and answer.json() is None and answer.body.strip() not in (b"null", b""):
        return None if "x-mock-fault" in answer.headers else "the answer says that it is JSON, and is none"
    if sent.path.startswith("/v3") and answer.status >= 400 and sent.method not in ("HEAD", "OPTIONS"):
        return _of_refusal(answer)
    return None


def _is_odd_receiver(sent: Sent) -> bool:
    """Whether a receiver answers as it was told to."""
    return "/_mock/receiver/" in sent.path


def _of_refusal(answer: Answer) -> str | None:
    if "x-mock-fault" in answer.headers:
        return None
    found = answer.json()
    if (
        not isinstance(found, dict)
        or set(found) - {"metadata"} != {"code", "message"}  # of a contact that is there already, it tells by what
        or not all(isinstance(found[name], str) for name in ("code", "message"))
    ):
        return "a refusal that is not in the service's form"
    return None


def workspace_problem(target: Target) -> str | None:
    """What is wrong with the workspaces of an application."""
    return next(_problems(target), None)


def _problems(target: Target) -> Iterator[str]:
    listing = target.get("/_mock/workspaces")
    if listing.status != 200:
        yield f"the workspaces cannot be listed: {listing.status} {listing.body[:300]!r}"
        return
    for workspace in target.workspaces:
        root = f"/w/{workspace.name}"
        with _standing_still(workspace):
            yield from _unsettled(workspace)
            yield from _unreadable(target, root)
            yield from _unwritable(target, root)


@contextmanager
def _standing_still(workspace: Any) -> Iterator[None]:
    """A workspace in which nothing falls due meanwhile: what did would make another state of it."""
    with workspace.lock:
        is_running = not workspace.state.clock.frozen
        workspace.state.clock.freeze()
        workspace.catch_up()
    yield
    with workspace.lock:
        if is_running:
            workspace.state.clock.thaw()


def _unsettled(workspace: Any) -> Iterator[str]:
    """Calls that are under way for ever."""
    deadline = time.monotonic() + _PATIENCE_S
    while len(workspace.jobs) and time.monotonic() < deadline:
        time.sleep(0.002)  # another thread makes the call; nothing tells when the last one is over
    if len(workspace.jobs):
        yield f"{len(workspace.jobs)} calls of {workspace.name} are under way for ever"


def _unreadable(target: Target, root: str) -> Iterator[str]:
    for name in _READABLE:
        path, _, query = name.partition("?")
        answer = target.send(Sent("GET", f"{root}/_mock/{path}", query, {}, b""))
        if answer.status != 200:
            yield f"{root}/_mock/{name} cannot be read: {answer.status} {answer.body[:500]!r}"


def _unwritable(target: Target, root: str) -> Iterator[str]:
    """States that cannot be read, or put back, or that are others when they are put back."""
    yaml = target.get(f"{root}/_mock/state", Accept="application/yaml")
    before = target.get(f"{root}/_mock/state")
    if (before.status, yaml.status) != (200, 200):
        yield f"the state of {root} cannot be read: {before.status} {before.body[:500]!r}, YAML {yaml.status}"
        return
    yield from _overspent(before.json())
    for body, media in ((before.body, "application/json"), (yaml.body, "application/yaml")):
        put = target.send(Sent("PUT", f"{root}/_mock/state", "", {"Content-Type": media}, body))
        if len(body) > BODY_LIMIT and put.status == 413:
            continue
        if put.status != 200:
            yield f"the state of {root} cannot be put back as {media}: {put.status} {put.body[:1_000]!r}"
            return
        after = target.get(f"{root}/_mock/state")
        if _comparable(after.json()) != _comparable(before.json()):
            yield f"the state of {root} is another one after {media}: {_first_difference(before, after)}"


def _comparable(state: dict[str, Any]) -> str:
    """A state without the moment of a clock that runs."""
    clock = state.get("clock", {})
    known = {"frozen": clock.get("frozen"), **({"start": clock.get("start")} if clock.get("frozen") else {})}
    return json.dumps({**state, "clock": known}, sort_keys=True)


def _first_difference(before: Answer, after: Answer) -> str:
    one, other = _comparable(before.json()), _comparable(after.json())
    at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return f"{one[max(0, at - 200) : at + 200]!r} became {other[max(0, at - 200) : at + 200]!r}"


def _overspent(state: dict[str, Any]) -> Iterator[str]:
    """Masters whose sub-accounts have been given more than there is."""
    accounts = state.get("accounts", [])
    for master in accounts:
        for part in ("credits", "features"):
            for name, held in master.get("pool", {}).get(part, {}).items():
                given = [
                    row.get("assigned", {}).get(part, {}).get(name, 0)
                    for row in accounts
                    if row.get("role") == "sub_account" and row.get("of") == master["name"]
                ]
                if held >= 0 and sum(amount for amount in given if amount > 0) > held:
                    yield f"{master['name']} has {held} of {part}.{name}, and its sub-accounts hold {given}"


#: How many requests come between two looks at the invariants.
BETWEEN = 100
SCENARIOS = (
    "standard", "onboarding", "corporate-v2", "corporate-v1", "oauth", "enterprise", "dedicated-ip", "low-credits",
    "empty",
)  # fmt: skip
#: What of the answers is kept, to be sent back.
_KEPT = 200


@dataclass
class Finding:
    """Something that must not be, and the request after which it was seen."""

    what: str
    seed: str
    number: int
    sent: Sent | None
    answer: Answer | None

    def __str__(self) -> str:
        shown = "" if self.answer is None else f"\n-> {self.answer.status} {self.answer.body[:1_000]!r}"
        return f"{self.what}\nsession {self.seed}, request {self.number}\n{self.sent}{shown}"


@dataclass
class Report:
    """What came of a session."""

    requests: int = 0
    statuses: dict[int, int] = field(default_factory=dict)
    slowest_s: float = 0.0
    slowest: Sent | None = None
    findings: list[Finding] = field(default_factory=list)


class Session:
    """The requests that follow from a seed: of all, or of some alone, with a scenario whose stubs may not fail."""

    def __init__(self, seed: str, drafts: Sequence[Draft] = (), scenario: str | dict[str, Any] = "") -> None:
        self._stubs_fail = not drafts
        self._seed = seed
        self._random = Random(seed)
        self._seen: list[Any] = []
        self._drafts = tuple(drafts) or corpus.drafts()
        scenario = scenario or self._random.choice(SCENARIOS)
        self._target = Target(scenario, self._random.choice(("any", "any", "known", "isolate")))
        self._keys = [key for workspace in self._target.workspaces for key in workspace.state.keys]

    def run(self, requests: int, between: int = BETWEEN) -> Report:
        """Send so many requests, with `between` of them from one look at the invariants to the next.

        It ends early with the first thing that must not be.
        """
        report = Report()
        log = _Log()
        logging.getLogger().addHandler(log)
        try:
            for number, sent in enumerate(self._requests(requests), start=1):
                self._send(sent, report, log, number, looks=number % between == 0)
                if report.findings:
                    break
        finally:
            logging.getLogger().removeHandler(log)
            self._target.close()
        return report

    def _requests(self, number: int) -> Iterator[Sent]:
        for _ in range(number):
            try:
                yield self._draw()
            except RecursionError:
                continue  # deeper than what writes JSON can go

    def _draw(self) -> Sent:
        random = self._random
        draft: Draft = deepcopy(random.choice(self._drafts))
        if draft.path.startswith("/v3") and "api-key" not in draft.headers:
            draft.headers["api-key"] = random.choice((*self._keys[:1] * 4, *self._keys, "any"))
        mutation.fill(draft, random, self._seen)
        for _ in range(random.choices((0, 1, 2, 3, 6), (2, 6, 3, 2, 1))[0]):
            mutation.mutate(draft, random, self._drafts, self._seen)
        sent = write(draft)
        return mutation.spoil(sent, random) if random.random() < 0.12 else sent

    def _send(self, sent: Sent, report: Report, log: _Log, number: int, *, looks: bool) -> None:
        started = time.perf_counter()
        problem, answer = None, None
        try:
            answer = self._target.send(sent)
        except Exception as error:  # noqa: BLE001  # whatever comes out of the application is a finding
            problem = f"an exception left the application: {error!r}"
        seconds = time.perf_counter() - started
        if seconds > report.slowest_s:
            report.slowest_s, report.slowest = seconds, sent
        report.requests += 1
        if answer is not None:
            report.statuses[answer.status] = report.statuses.get(answer.status, 0) + 1
            self._learn(answer)
            problem = answer_problem(sent, answer, stubs_fail=self._stubs_fail) or log.first()
            if problem is None and looks:
                problem = workspace_problem(self._target) or log.first()
        if problem is not None:
            report.findings.append(Finding(problem, self._seed, number, sent, answer))

    def _learn(self, answer: Answer) -> None:
        """Keep some values of an answer."""
        if answer.status < 300 and len(answer.body) < 20_000:
            values = [value for value in _leaves(answer.json()) if value is not None and len(str(value)) < 200]
            self._seen += self._random.sample(values, min(len(values), 5))
            del self._seen[:-_KEPT]


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _leaves(inner)
    else:
        yield value


class _Log(logging.Handler):
    """Keeps what no request may cause: errors, and tracebacks at whatever level."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.ERROR or record.exc_info:
            self._lines.append(logging.Formatter().format(record))

    def first(self) -> str | None:
        return f"the log says: {self._lines[0]}" if self._lines else None
