"""A fuzzing session: an application, mutated requests one after the other, and what must hold in between."""

from __future__ import annotations

import json
import logging
import time
from collections import Counter
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from urllib.parse import unquote_to_bytes

from fuzz import corpus, mutation
from werkzeug.test import EnvironBuilder, run_wsgi_app

from mockserver import Settings, create_app
from mockserver.web.server.waiting import SUSPENDED, SuspendedRequest

BODY_LIMIT = 1024 * 1024
#: How many requests come between two checks of the workspaces.
BETWEEN = 100
SCENARIOS = [
    "standard", "onboarding", "corporate-v2", "corporate-v1", "oauth", "enterprise", "dedicated-ip", "low-credits",
    "empty",
]  # fmt: skip
#: How many values of answers are kept, to be sent back.
_KEPT = 200
#: How long an outgoing call may be under way, in seconds: nobody listens at its address, which refuses it at once.
_PATIENCE_S = 20.0
#: What an answer must not show of the program behind it.
_TRACES = (b"Traceback (most recent", b'File "/', b"marshmallow.", b"werkzeug.", b"jinja2.")
#: What can be read of every workspace.
_READABLE = (
    "requests?limit=1000", "mailbox?limit=1000", "deliveries?limit=1000", "receivers", "faults", "coverage", "machines",
    "snapshots", "clock", "oauth/apps", "faults/catalogue",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """A response."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self):
        """Return the value of the body, or None if it is not JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None


class Target:
    """An application without a socket. Its limits are small, so that they are reached; it calls loopback only."""

    def __init__(self, scenario, keys):
        limits = {
            "workspaces_limit": 8, "journal_limit": 200, "mailbox_limit": 20, "snapshots_limit": 4,
            "deliveries_limit": 50, "rows_limit": 3_000, "body_limit": BODY_LIMIT,
        }  # fmt: skip
        self.app = create_app(Settings(scenario=scenario, keys=keys, egress="loopback", **limits))

    @property
    def workspaces(self):
        return self.app.store.loaded()

    def send(self, sent):
        """Return the answer. A request that waits is answered as if its time was up."""
        environ = EnvironBuilder(method=sent.method, data=sent.body).get_environ()
        environ |= {
            "PATH_INFO": unquote_to_bytes(sent.path).decode("latin-1"), "QUERY_STRING": sent.query,
            "REQUEST_URI": sent.path, "HTTP_HOST": "localhost:8003", "wsgi.input_terminated": True,
            SUSPENDED: SuspendedRequest(),
        }  # fmt: skip
        for name, value in sent.headers.items():
            key = name.upper().replace("-", "_")
            environ[key if key == "CONTENT_TYPE" else f"HTTP_{key}"] = value.encode().decode("latin-1")
        chunks, status, headers = self.app.store.storage.run(lambda: run_wsgi_app(self.app, environ))
        try:
            return Answer(int(status[:3]), {name.lower(): value for name, value in headers}, b"".join(chunks))
        finally:
            getattr(chunks, "close", lambda: None)()

    def get(self, path, query="", **headers):
        return self.send(corpus.Sent("GET", path, query, headers, b""))


# ---------------------------------------------------------------------- what holds


def answer_problem(sent, answer, *, stubs_fail=True):
    """Return what is wrong with an answer, or None. The answer of a caller's own stub may be anything."""
    is_fault = "x-mock-fault" in answer.headers
    if stubs_fail and answer.headers.get("x-mock-answered") == "stubbed":
        return None
    if answer.status >= 500 and not is_fault and "/_mock/receiver/" not in sent.path:
        return f"a {answer.status} that nobody asked for"
    if any(trace in answer.body for trace in _TRACES) and answer.status >= 400:
        return "the answer shows the program behind it"
    is_json = "json" in answer.headers.get("content-type", "") and sent.method != "HEAD"
    if is_json and answer.json() is None and answer.body.strip() not in (b"null", b""):
        return None if is_fault else "the answer says that it is JSON, and is none"
    is_refused = sent.path.startswith("/v3") and answer.status >= 400 and sent.method not in ("HEAD", "OPTIONS")
    if is_refused and not is_fault and not _is_refusal(answer.json()):
        return "a refusal that is not in the service's form"
    return None


def _is_refusal(found):
    """Whether a body is an error of the service. Refusals of contacts and of test e-mails name more."""
    more = {"metadata", "unexistingEmails", "withoutListEmails", "blackListedEmails"}
    if not isinstance(found, dict) or found.keys() - more != {"code", "message"}:
        return False
    return isinstance(found["code"], str) and isinstance(found["message"], str)


def workspace_problem(target):
    """Return what is wrong with the workspaces of an application, or None."""
    return next(_problems(target), None)


def _problems(target):
    listing = target.get("/_mock/workspaces")
    if listing.status != 200:
        yield f"the workspaces cannot be listed: {listing.status} {listing.body[:300]!r}"
        return
    for workspace in target.workspaces:
        root = f"/w/{workspace.name}"
        with _frozen(workspace):
            deadline = time.monotonic() + _PATIENCE_S
            while len(workspace.jobs) and time.monotonic() < deadline:
                time.sleep(0.002)  # another thread makes the call; nothing tells when the last one is over
            if len(workspace.jobs):
                yield f"{len(workspace.jobs)} calls of {workspace.name} are under way for ever"
            for name in _READABLE:
                answer = target.get(f"{root}/_mock/{name.partition('?')[0]}", name.partition("?")[2])
                if answer.status != 200:
                    yield f"{root}/_mock/{name} cannot be read: {answer.status} {answer.body[:500]!r}"
            yield from _state_problems(target, f"{root}/_mock/state")


@contextmanager
def _frozen(workspace):
    """Freeze the clock of a workspace, so that nothing falls due meanwhile."""

    def freeze():
        workspace.open()
        is_running = not workspace.state.clock.frozen
        workspace.state.clock.freeze()
        workspace.catch_up()
        return is_running

    def thaw():
        workspace.open()
        workspace.state.clock.thaw()

    is_running = workspace.run(freeze)
    yield
    if is_running:
        workspace.run(thaw)


def _state_problems(target, path):
    """Yield states that cannot be read or put back, or that differ after they were put back."""
    before, yaml = target.get(path), target.get(path, Accept="application/yaml")
    if (before.status, yaml.status) != (200, 200):
        yield f"{path} cannot be read: {before.status} {before.body[:500]!r}, YAML {yaml.status}"
        return
    yield from _overspent(before.json().get("accounts", []))
    for body, media in ((before.body, "application/json"), (yaml.body, "application/yaml")):
        put = target.send(corpus.Sent("PUT", path, "", {"Content-Type": media}, body))
        if len(body) > BODY_LIMIT and put.status == 413:
            continue
        if put.status != 200:
            yield f"{path} cannot be put back as {media}: {put.status} {put.body[:1_000]!r}"
            return
        one, other = _comparable(before.json()), _comparable(target.get(path).json())
        if one != other:
            at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
            near = slice(max(0, at - 200), at + 200)
            yield f"{path} differs after {media}: {one[near]!r} became {other[near]!r}"


def _comparable(state):
    """Return a state as text, without the moment of a clock that runs."""
    clock = state.get("clock", {})
    known = {"frozen": clock.get("frozen"), **({"start": clock.get("start")} if clock.get("frozen") else {})}
    return json.dumps({**state, "clock": known}, sort_keys=True)


def _overspent(accounts):
    """Yield masters whose sub-accounts have been given more than there is."""
    for master in accounts:
        subs = [row for row in accounts if row.get("role") == "sub_account" and row.get("of") == master["name"]]
        for part in ("credits", "features"):
            for name, held in master.get("pool", {}).get(part, {}).items():
                given = [row.get("assigned", {}).get(part, {}).get(name, 0) for row in subs]
                if held >= 0 and sum(amount for amount in given if amount > 0) > held:
                    yield f"{master['name']} has {held} of {part}.{name}, and its sub-accounts hold {given}"


# ---------------------------------------------------------------------- a session


@dataclass
class Finding:
    """Something that must not be, and the request after which it was seen."""

    what: str
    seed: str
    number: int
    sent: corpus.Sent
    answer: Answer | None

    def __str__(self):
        shown = "" if self.answer is None else f"\n-> {self.answer.status} {self.answer.body[:1_000]!r}"
        return f"{self.what}\nsession {self.seed}, request {self.number}\n{self.sent}{shown}"


@dataclass
class Report:
    """The results of a session."""

    requests: int = 0
    statuses: Counter = field(default_factory=Counter)
    slowest_s: float = 0.0
    slowest: corpus.Sent | None = None
    findings: list[Finding] = field(default_factory=list)


class Session:
    """The requests that follow from a seed: of all, or of some alone, with a scenario whose stubs may not fail."""

    def __init__(self, seed, drafts=(), scenario=""):
        self._stubs_fail = not drafts
        self._seed = seed
        self._random = Random(seed)
        self._seen = []
        self._drafts = tuple(drafts) or corpus.drafts()
        scenario = scenario or self._random.choice(SCENARIOS)
        self._target = Target(scenario, self._random.choice(("any", "any", "known", "isolate")))
        self._keys = [key for workspace in self._target.workspaces for key in workspace.state.keys]

    def run(self, requests, between=BETWEEN):
        """Send so many requests, and check the workspaces after each `between` of them. Stop at the first finding."""
        report, log = Report(), _Log()
        logging.getLogger().addHandler(log)
        try:
            for number in range(1, requests + 1):
                try:
                    sent = self._draw()
                except RecursionError:
                    continue  # deeper than what writes JSON can go
                self._send(sent, report, log, number, checks=number % between == 0)
                if report.findings:
                    break
        finally:
            logging.getLogger().removeHandler(log)
            self._target.app.effects.close()
        return report

    def _draw(self):
        random = self._random
        draft = deepcopy(random.choice(self._drafts))
        if draft.path.startswith("/v3") and "api-key" not in draft.headers:
            draft.headers["api-key"] = random.choice((*self._keys[:1] * 4, *self._keys, "any"))
        mutation.fill(draft, random, self._seen)
        for _ in range(random.choices((0, 1, 2, 3, 6), (2, 6, 3, 2, 1))[0]):
            mutation.mutate(draft, random, self._drafts, self._seen)
        sent = corpus.write(draft)
        return mutation.spoil(sent, random) if random.random() < 0.12 else sent

    def _send(self, sent, report, log, number, *, checks):
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
            report.statuses[answer.status] += 1
            self._learn(answer)
            problem = answer_problem(sent, answer, stubs_fail=self._stubs_fail) or log.first()
            if problem is None and checks:
                problem = workspace_problem(self._target) or log.first()
        if problem is not None:
            report.findings.append(Finding(problem, self._seed, number, sent, answer))

    def _learn(self, answer):
        """Keep some values of an answer."""
        if answer.status < 300 and len(answer.body) < 20_000:
            values = [value for value in _leaves(answer.json()) if value is not None and len(str(value)) < 200]
            self._seen += self._random.sample(values, min(len(values), 5))
            del self._seen[:-_KEPT]


def _leaves(value):
    if isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _leaves(inner)
    else:
        yield value


class _Log(logging.Handler):
    """Keeps what no request may cause: errors, and tracebacks of any level."""

    def __init__(self):
        super().__init__()
        self._lines = []

    def emit(self, record):
        if record.levelno >= logging.ERROR or record.exc_info:
            self._lines.append(logging.Formatter().format(record))

    def first(self):
        return f"the log says: {self._lines[0]}" if self._lines else None
