"""`/_mock/report`: what went wrong in a workspace, for the failure report of a test."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from http import HTTPStatus
from itertools import takewhile
from typing import Any, NamedTuple, get_args
from urllib.parse import urlencode

from flask import Response, request
from marshmallow import fields

from mockserver.control.framework import inputs
from mockserver.control.framework.call import ControlResource
from mockserver.control.framework.problem import unknown
from mockserver.control.traffic.findings import show_findings
from mockserver.core.text.messages import counted
from mockserver.core.traffic.exchange import Exchange
from mockserver.core.traffic.mail import Mail
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.deliveries.delivery import DROPPED, RETRYING, Delivery
from mockserver.resources.deliveries.model import DeliveryCriteria, select
from mockserver.resources.section import Item, about
from mockserver.views import redaction
from mockserver.views.traffic_records import Finding, Report, Trouble, TroubleKind
from mockserver.web.routing.address import server_url
from mockserver.web.server import loop

REPORT = ControlResource("report", "/_mock/report")

_KINDS = get_args(TroubleKind)
#: Requests of these kinds are the same trouble if operation and reason are the same, whatever their path.
_BY_REASON = ("refused-request", "fault")
_MEDIA = {"json": "application/json", "text": "text/plain"}
#: How many troubles a report has by default: with the summary and the count of the others, it has ten lines.
_SHOWN = 8


class ReportForm(Item):
    since = fields.String(**about("the id of a request; only what came after it is reported"))
    limit = inputs.limit(_SHOWN)
    format = inputs.form(_MEDIA)


@REPORT.call("GET", query=ReportForm, answer=Report, media=tuple(_MEDIA.values()))
def show(workspace: Workspace, query: dict[str, Any]) -> Report | Response:
    """What went wrong: refused requests, failed deliveries, faults that applied, findings; `text/plain` in ten lines.

    With `since`, only what came after the request; of e-mails, deliveries and timers, what is not older than it.
    """
    loop.leave_if_long(row.size for row in workspace.journal)
    report = report_of(workspace, query.get("since"), query["limit"])
    media = inputs.media_type(query, _MEDIA)
    return Response(f"{report}\n", content_type=f"{media}; charset=utf-8") if media == _MEDIA["text"] else report


class _Happened(NamedTuple):
    """What has happened in a workspace, or since a request; oldest first."""

    requests: Sequence[Exchange]
    mails: Sequence[Mail]
    deliveries: Sequence[Delivery]
    timers: int
    #: How many requests, e-mails and deliveries were evicted.
    evicted: tuple[int, int, int]


def report_of(workspace: Workspace, since: str | None = None, limit: int = _SHOWN) -> Report:
    """Report what went wrong in a workspace, or since a request. The workspace is open."""
    happened = _happened(workspace, since)
    # The newest of each trouble.
    found: dict[tuple[TroubleKind, Hashable], Trouble] = {}
    for kind, told, same, identifier in _troubles(workspace, happened):
        earlier = found.pop((kind, same), None)
        times = earlier.times + 1 if earlier else 1
        found[kind, same] = Trouble(kind, redaction.plain(told), times, identifier)
    troubles = sorted(found.values(), key=lambda row: _KINDS.index(row.kind))
    newest = workspace.journal.newest
    last = newest.id if newest else None
    return Report(workspace.name, _summary(happened), _chosen(troubles, limit), len(troubles), last)


def _happened(workspace: Workspace, since: str | None) -> _Happened:
    journal, mailbox = workspace.journal, workspace.state.mailbox
    deliveries = [row for _, row in select(workspace, DeliveryCriteria())][::-1]
    if since is None:
        evicted = journal.evicted, mailbox.evicted, workspace.state.evicted_deliveries
        fired = len(workspace.fired) + workspace.fired.evicted
        return _Happened(list(journal)[::-1], list(mailbox)[::-1], deliveries, fired, evicted)
    found = journal.find(since)
    if found is None and not journal.evicted:
        raise unknown("request", since, "GET /_mock/requests lists the journal")
    requests = list(takewhile(lambda row: row is not found, journal))[::-1]
    begin = found.at if found else min((row.at for row in requests), default=workspace.state.clock.now())
    mails = [row for row in mailbox if row.at >= begin][::-1]
    fired = sum(row.timer.moment >= begin for row in workspace.fired)
    return _Happened(requests, mails, [row for row in deliveries if row.created_at >= begin], fired, (0, 0, 0))


def _summary(happened: _Happened) -> str:
    requests, failed = happened.requests, len(list(_failed(happened.deliveries)))
    rows = (requests, happened.mails, happened.deliveries)
    all_requests, all_mails, all_deliveries = (
        len(kept) + evicted for kept, evicted in zip(rows, happened.evicted, strict=True)
    )
    refused = sum((row.status or 0) >= HTTPStatus.BAD_REQUEST for row in requests)
    silent = sum(row.status is None for row in requests)
    found = [
        _with(counted(all_requests, "request"), (refused, "refused"), (silent, "without an answer")),
        counted(all_mails, "e-mail"),
        _with(counted(all_deliveries, "webhook call"), (failed, "failed")),
        f"{counted(happened.timers, 'timer')} fired",
        counted(sum(row.fault is not None for row in requests), "fault hit"),
    ]
    return ", ".join(part for part in found if not part.startswith("0 "))


def _with(words: str, *parts: tuple[int, str]) -> str:
    details = ", ".join(f"{number:,} {what}" for number, what in parts if number)
    return f"{words} ({details})" if details else words


def _chosen(troubles: Sequence[Trouble], limit: int) -> list[Trouble]:
    """Return at most `limit` troubles: the last of each kind first, so that no kind hides another."""
    ranks: dict[str, int] = {}
    ranked = []
    for index in reversed(range(len(troubles))):
        rank = ranks[troubles[index].kind] = ranks.get(troubles[index].kind, 0) + 1
        ranked.append((rank, index))
    return [troubles[index] for _, index in sorted(sorted(ranked)[:limit], key=lambda pair: pair[1])]


# ---------------------------------------------------------------------- troubles


def _troubles(workspace: Workspace, happened: _Happened) -> Iterator[tuple[TroubleKind, str, Hashable, str | None]]:
    """Yield kind, text, sameness and id of each trouble; of each kind the newest last."""
    for row in happened.requests:
        if (found := _trouble(row)) is not None:
            kind, told = found
            same = (row.operation, row.status, row.fault, row.reason) if kind in _BY_REASON and row.operation else told
            yield kind, told, same, row.id
        if row.is_held:
            yield "held-request", (told := _target(row)), told, row.id
        for warning in row.warnings:
            yield "warning", warning, warning, row.id
    for delivery in _failed(happened.deliveries):
        yield "failed-delivery", (told := _of_delivery(delivery)), told, str(delivery.id)
    for mail in happened.mails:
        sending = workspace.state.mailbox.sending(mail)
        if sending is not None and sending.error:
            told = f"to {mail.to}: {mail.subject}: {sending.error}"
            yield "failed-mail", told, told, mail.id
    for finding in _findings(workspace, happened):
        newest = [*finding.requests, *finding.deliveries][-1:]
        told = f"{finding.rule}: {finding.message}"
        yield "finding", told, told, str(newest[0]) if newest else None


def _trouble(row: Exchange) -> tuple[TroubleKind, str] | None:
    """Return a request's trouble with its sentence, or None."""
    if row.beyond == "refused" or (row.operation is None and not row.beyond):
        return "unanswered-request", _of_request(row)
    if row.fault is not None:
        return "fault", f"{row.fault_kind} ({row.fault}): {_target(row)} {row.status or 'no answer'}"
    if row.status is None or row.status < HTTPStatus.BAD_REQUEST:
        return None
    if row.stub is not None and row.status >= HTTPStatus.INTERNAL_SERVER_ERROR and row.reason:
        return "failed-stub", f"{_of_request(row)} ({row.stub})"
    return "refused-request", _of_request(row)


def _failed(deliveries: Iterable[Delivery]) -> Iterator[Delivery]:
    return (row for row in deliveries if row.state in (RETRYING, DROPPED))


def _findings(workspace: Workspace, happened: _Happened) -> Iterator[Finding]:
    """Yield the findings in what has happened."""
    requests = {row.id for row in happened.requests}
    deliveries = {row.id for row in happened.deliveries}
    for row in show_findings(workspace, server_url(request.environ)):
        if requests.intersection(row.requests) or deliveries.intersection(row.deliveries):
            yield row


def _of_request(row: Exchange) -> str:
    status = "" if row.status is None else f" {row.status}"
    return f"{_target(row)}{status}: {row.reason}" if row.reason else f"{_target(row)}{status}"


def _target(row: Exchange) -> str:
    query = f"?{urlencode(redaction.parameters(row.query), doseq=True)}" if row.query else ""
    return f"{row.method} {row.path}{query}"


def _of_delivery(row: Delivery) -> str:
    last = row.attempts[-1] if row.attempts else None
    outcome = "never tried" if last is None else last.error or f"answered with {last.status}"
    tries = counted(len(row.attempts) + row.attempts_evicted, "attempt")
    return f"{', '.join(row.events)} to {row.target.url}: {outcome}, {row.state} after {tries}"
