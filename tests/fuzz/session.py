"""One session: an application, some hundred mutated requests one after the other, and what must hold in between."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any

from fuzz import corpus, invariants, mutation
from fuzz.drafts import Draft, Sent, write
from fuzz.target import Answer, Target

#: How many requests come between two looks at the invariants.
BETWEEN = 100
SCENARIOS = (
    "standard",
    "onboarding",
    "corporate-v2",
    "corporate-v1",
    "oauth",
    "enterprise",
    "dedicated-ip",
    "low-credits",
    "empty",
)
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
            problem = invariants.of_answer(sent, answer, stubs_fail=self._stubs_fail) or log.first()
            if problem is None and looks:
                problem = invariants.of_workspaces(self._target) or log.first()
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
