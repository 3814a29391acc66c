"""Requests, control calls, deliveries, receivers and e-mails."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Unpack

from mockserver.core.text.messages import counted
from mockserver.testing.arguments import Filter, Pattern
from mockserver.testing.client import path_of
from mockserver.testing.handles.link import Handle, Link, given
from mockserver.testing.names import WebhookEvent
from mockserver.testing.records import Call, ControlCall, Delivery, DeliveryState, Exchange, Mail, Page, SentAs
from mockserver.views.record import read, read_all

__tracebackhide__ = True  # pytest shows the line of the test instead


class Requests(Handle):
    """The journal of one workspace, newest exchange first."""

    def all(self, *, limit: int = 1000, wait: float = 0, **filter_by: Unpack[Filter]) -> list[Exchange]:
        """Return matching exchanges, newest first; `limit` ranges from 1 to 1000.

        If none matches yet, wait up to `wait` seconds (at most 30). The body that was sent is `request.body`.

        Raises:
            MockServerError: 400, a filter or an operation is unknown.
        """
        return list(self.page(limit=limit, wait=wait, **filter_by).items)

    def page(self, *, limit: int = 100, offset: int = 0, wait: float = 0, **filter_by: Unpack[Filter]) -> Page:
        """Return a page of matching exchanges: skip the `offset` newest, then at most `limit` (from 1 to 1000).

        If none matches yet, wait up to `wait` seconds (at most 30).

        Raises:
            MockServerError: 400, a filter or an operation is unknown.
        """
        found = self._link.get("/requests", limit=limit, offset=offset, wait=wait or None, **filter_by)
        return read(Page, found)

    def har(self, **filter_by: Unpack[Filter]) -> dict[str, Any]:
        """Return all matching exchanges as HAR 1.2, oldest first and with secrets redacted, for `json.dump`.

        Raises:
            MockServerError: 400, a filter or an operation is unknown.
        """
        found: dict[str, Any] = self._link.get("/requests", format="har", **filter_by)
        return found

    def get(self, identifier: str) -> Exchange:
        """Return the exchange with an id (header `sib-request-id` of its answer)."""
        return read(Exchange, self._link.get(path_of("requests", identifier)))

    def answer(self, identifier: str) -> Exchange:
        """Release an answer held by a fault, and return the request after sending.

        A request that a `hang` holds gets its answer without the fault.

        Raises:
            MockServerError: 404, the exchange does not exist; 409, no fault holds its answer, or it has to wait.
        """
        return read(Exchange, self._link.post(path_of("requests", identifier, "answer")))

    def latest(self, **filter_by: Unpack[Filter]) -> Exchange:
        """Return the newest matching exchange.

        Raises:
            LookupError: No exchange passes; the message shows the ten newest exchanges of the journal.
            MockServerError: 400, a filter or an operation is unknown.
        """
        return self.wait(0, **filter_by)

    def wait(self, seconds: float, **filter_by: Unpack[Filter]) -> Exchange:
        """Return the newest matching exchange, waiting up to `seconds` (from 0 to 30) for the first match.

        Raises:
            LookupError: No exchange has passed in time; the message shows the ten newest exchanges of the journal.
            MockServerError: 400, a filter or an operation is unknown.
        """
        wanted = given(filter_by)
        found = self._link.items("/requests", limit=1, wait=seconds, **wanted)
        if not found:
            after = f" after {seconds:g} s" if seconds else ""
            raise LookupError(f"no request{_with(wanted)}{after}; {self._last()}")
        return read(Exchange, found[0])

    def verify(
        self,
        *,
        count: int | None = None,
        at_least: int | None = None,
        at_most: int | None = None,
        **match: Unpack[Pattern],
    ) -> list[str]:
        """Check the number of matching requests, and return their ids.

        Either `count` requests have to match, or from `at_least` to `at_most`; by default, at least one. `json` is a
        part of the body, `json_exactly` the whole. Secrets are matched before they are redacted.

        Raises:
            AssertionError: More or fewer requests match; the message shows the closest ones and how they differ.
            TypeError: Both `count` and a bound are given.
            MockServerError: 400, the pattern is not valid.
        """
        pattern = {name: value for name, value in match.items() if name != "operation" or value is not None}
        bounds = given({"at_least": at_least, "at_most": at_most})
        if count is not None and bounds:
            raise TypeError("verify takes either count, or at_least and at_most")
        wanted = count if count is not None else bounds or {"at_least": 1}
        found = self._link.post("/requests/verify", {"match": pattern, "count": wanted})
        if not found["satisfied"]:
            raise AssertionError(self._unsatisfied(wanted, pattern, found))
        return list(found["ids"])

    def clear(self) -> None:
        """Empty the journal."""
        self._link.delete("/requests")

    def _unsatisfied(self, wanted: int | dict[str, int], match: Mapping[str, Any], found: Mapping[str, Any]) -> str:
        if isinstance(wanted, int):
            many = counted(wanted, "request")
        else:
            bounds = [f"{name} {number}".replace("_", " ") for name, number in wanted.items()]
            many = f"{' and '.join(bounds)} requests"
        summary = f"expected {many}{_with(match)}, found {found['matched']}"
        if found["near_misses"]:
            return "\n".join([f"{summary}; closest are", *map(_near_miss, found["near_misses"])])
        return summary if found["matched"] else f"{summary}; {self._last()}"

    def _last(self) -> str:
        lines = [f"\n  {row.method} {row.path} {row.status}" for row in self.all(limit=10)]
        return f"the journal {'shows' if lines else 'is empty'}{''.join(lines)}"


def _with(match: Mapping[str, Any]) -> str:
    return f" with {', '.join(f'{name}={value!r}' for name, value in match.items())}" if match else ""


def _near_miss(miss: Mapping[str, Any]) -> str:
    lines = [f"  {miss['method']} {miss['path']} ({miss['operation'] or 'no operation'})"]
    rows = miss["differences"]
    lines += [f"    {row['path']}: wanted {_shown(row['wanted'])}, got {_shown(row['got'])}" for row in rows]
    if "further" in miss:
        lines.append(f"    and {miss['further']:,} more")
    return "\n".join(lines)


def _shown(value: Any) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)


class Calls(Handle):
    """State-changing control calls of one workspace since creation or the last reset, newest first."""

    def all(self, *, limit: int = 1000) -> list[ControlCall]:
        """Return the calls, newest first, at most `limit` (from 1 to 1000)."""
        return read_all(ControlCall, self._link.items("/calls", limit=limit))

    def get(self, identifier: str) -> ControlCall:
        """Return the call with an id."""
        return read(ControlCall, self._link.get(path_of("calls", identifier)))


class Deliveries(Handle):
    """The deliveries of one workspace, newest first: calls to webhooks, and calls of exports."""

    def all(
        self,
        *,
        webhook: int | None = None,
        state: DeliveryState | None = None,
        event: WebhookEvent | None = None,
        wait: float = 0,
    ) -> list[Delivery]:
        """Return at most 1000 deliveries, newest first, optionally filtered by webhook, state or event.

        If there is none yet, wait up to `wait` seconds (at most 30).

        Raises:
            MockServerError: 400, the state is unknown, or `wait` is out of range.
        """
        query = {"webhook": webhook, "state": state, "event": event, "wait": wait or None, "limit": 1000}
        return read_all(Delivery, self._link.items("/deliveries", **query))

    def get(self, identifier: int) -> Delivery:
        """Return the delivery with an id."""
        return read(Delivery, self._link.get(path_of("deliveries", identifier)))

    def redeliver(self, identifier: int, *, as_: SentAs | None = None) -> Delivery:
        """Repeat a call now, retrying on failure, and return the delivery after the first attempt.

        `as_` puts the receiver on trial, in a new delivery without retries. `forged` makes two attempts: without the
        `auth` and `headers` of the webhook, and with wrong ones. `duplicated` sends the payload twice, `late` once
        more, after newer ones and with its old timestamps. `reordered` sends the payloads of the two newest deliveries,
        the newer one first, and returns that of the older one.

        Raises:
            MockServerError: 404, the delivery does not exist; 409, an attempt is under way or not due yet, or there
                is nothing to forge or to reorder.
        """
        found = self._link.post(path_of("deliveries", identifier, "redeliver"), given({"as": as_}))
        return read(Delivery, found)


class Receiver(Handle):
    """One receiver of a workspace, which answers 200 unless `answer` is called."""

    def __init__(self, link: Link, root: str, name: str) -> None:
        super().__init__(link)
        self._path = path_of("receivers", name)
        self.name: str = name
        #: The address for a webhook; the server must be able to reach itself at it.
        self.url: str = f"{root}/_mock{path_of('receiver', name)}"

    def __repr__(self) -> str:
        return f"Receiver({self.name!r})"

    def calls(self, *, count: int | None = None, wait: float = 0) -> list[Call]:
        """Return received calls, newest first, at most 1000.

        Wait up to `wait` seconds (at most 30) for `count` calls, or for one.

        Raises:
            LookupError: There are fewer than `count` calls; the message shows the received calls.
        """
        found = self._link.get(self._path, count=count, wait=wait or None, limit=1000)
        calls = read_all(Call, found["items"])
        if count is not None and found["count"] < count:
            after = f" after {wait:g} s" if wait else ""
            rows = [f"\n  {row.method} {row.path} at {row.at:%Y-%m-%d %H:%M:%S}: {row.body!r:.200}" for row in calls]
            raise LookupError(f"{len(calls)} of {count} calls{after}{''.join(rows)}")
        return calls

    def answer(
        self, status: int = 200, *, delay_ms: float | None = None, reset: bool | None = None, times: int | None = None
    ) -> None:
        """Set the status for future calls; with `times`, only for a number of calls, then 200 again.

        `delay_ms` delays each answer; `reset` resets the connection instead of answering.

        Raises:
            MockServerError: 400, `status` is not from 200 to 599, or another number is out of range.
        """
        self._link.put(self._path, given({"status": status, "delay_ms": delay_ms, "reset": reset, "times": times}))

    def clear(self) -> None:
        """Remove all calls, and answer 200 again."""
        self._link.delete(self._path)


def unused_receiver(link: Link) -> str:
    """Create a receiver with an unused name; return the name."""
    taken = {item["name"] for item in link.items("/receivers")}
    name = next(name for number in range(1, len(taken) + 2) if (name := f"receiver-{number}") not in taken)
    link.put(path_of("receivers", name), {"status": 200})
    return name


class Mailbox(Handle):
    """The mailbox of one workspace, containing all e-mails sent by the service."""

    def all(self, *, to: str | None = None, subject: str | None = None, smtp: str | None = None) -> list[Mail]:
        """Return at most 1000 e-mails, newest first, optionally filtered.

        `to` is an address, `subject` a part of the subject, `smtp` the state of sending: `waiting`, `sent`, `failed`.
        """
        return read_all(Mail, self._link.items("/mailbox", to=to, subject=subject, smtp=smtp, limit=1000))

    def latest(
        self, *, to: str | None = None, subject: str | None = None, smtp: str | None = None, wait: float = 0
    ) -> Mail:
        """Return the newest matching e-mail, waiting up to `wait` seconds for the first match.

        The filters are those of `all`.

        Raises:
            LookupError: No e-mail matches; the message lists the newest e-mails of the mailbox.
        """
        found = self._link.items("/mailbox", to=to, subject=subject, smtp=smtp, limit=1, wait=wait)
        if found:
            return read(Mail, found[0])
        wanted = [f" to {to}"] if to else []
        wanted += [f" with {subject!r} in its subject"] if subject else []
        wanted += [f" that is {smtp}"] if smtp else []
        wanted += [f" after {wait:g} s"] if wait else []
        there = [f"\n  to {mail.to}: {mail.subject}" for mail in self.all()[:10]]
        holds = f"the mailbox {'holds' if there else 'is empty'}{''.join(there)}"
        raise LookupError(f"no e-mail{''.join(wanted)}; {holds}")

    def remove(self, identifier: str) -> None:
        """Remove one e-mail by its id."""
        self._link.delete(path_of("mailbox", identifier))

    def clear(self) -> None:
        """Remove all e-mails."""
        self._link.delete("/mailbox")
