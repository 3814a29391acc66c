"""Functions that make the records of workspaces, timers and domains."""

from __future__ import annotations

from collections.abc import Mapping
from heapq import nsmallest
from itertools import islice
from typing import Any, cast

from mockserver.core.state.state import Account as AccountRow
from mockserver.core.text.addresses import unicode_form
from mockserver.core.time import clock as model
from mockserver.core.time.clock import Clock
from mockserver.core.traffic.causes import TIMER, FiredTimer
from mockserver.core.traffic.exchange import Exchange
from mockserver.core.workspaces.store import DEFAULT
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.deliveries.delivery import Delivery
from mockserver.resources.domains.domain import dmarc_policy, dns_view, known_names, named
from mockserver.views import redaction
from mockserver.views import workspace_records as records
from mockserver.views.record import made, plain
from mockserver.views.traffic import linked, real, show_transition

#: Up to this part of a list, rows are found one by one; beyond it, sorting all is faster. Measured: sorting takes an
#: eighth of the time per row.
_FEW = 8

# ---------------------------------------------------------------------- workspaces

# The workspaces need not be open: a list of many workspaces does not wait for each of them.


def show_workspace(workspace: Workspace, root: str) -> records.WorkspaceSummary:
    """Return the record of a workspace; `root` is the server address without a final slash."""
    return records.WorkspaceSummary(**_summary(workspace, root))


def show_workspace_in_use(workspace: Workspace, root: str) -> records.WorkspaceInUse:
    """Return the record of a workspace with its use; `root` is the server address without a final slash."""
    return records.WorkspaceInUse(**_summary(workspace, root), use=_use(workspace))


def show_workspace_line(workspace: Workspace, root: str) -> dict[str, Any]:
    """Return a workspace without accounts as plain data."""
    use: dict[str, Any] = plain(_use(workspace))
    return {
        "label": None,
        "outcome": None,
        **use,
        "name": workspace.name,
        "scenario": workspace.origin.title,
        "url": _url(workspace, root),
    }


def _summary(workspace: Workspace, root: str) -> dict[str, Any]:
    accounts = list(map(show_account, tuple(workspace.state.accounts.values())))
    return {
        "name": workspace.name,
        "api_key": accounts[0].api_key,
        "scenario": workspace.origin.title,
        "url": _url(workspace, root),
        "accounts": accounts,
    }


def _url(workspace: Workspace, root: str) -> str:
    return f"{root}/v3" if workspace.name == DEFAULT else f"{root}/w/{workspace.name}/v3"


def show_account(row: AccountRow) -> records.Account:
    return records.Account(row.name, row.role.value, next(iter(row.api_keys), None))


def _use(workspace: Workspace) -> records.Use:
    state, newest = workspace.state, workspace.journal.newest
    counts = records.Counts(
        requests=len(workspace.journal),
        mails=len(state.mailbox),
        deliveries=sum(len(account.rows_of(Delivery)) for account in tuple(state.accounts.values())),
        faults=len(state.faults),
        stubs=len(state.stubs),
        snapshots=len(workspace.snapshots),
        rows=state.kept(),
    )
    return records.Use(
        workspace.made_at, show_clock(state.clock), None if newest is None else _last_request(newest), counts,
        workspace.label or None, cast("records.Outcome | None", workspace.outcome or None),
    )  # fmt: skip


def _last_request(row: Exchange) -> records.LastRequest:
    return made(records.LastRequest, row, real_at=real(row.real_at), path=redaction.plain(row.path))


# ---------------------------------------------------------------------- clock and timers


def show_clock(clock: Clock) -> records.Moment:
    return records.Moment(clock.now(), clock.frozen, round(clock.offset.total_seconds(), 3))


def show_timer(workspace: Workspace, timer: model.Timer, fired: FiredTimer | None = None) -> records.Timer:
    """Return the record of a timer of a workspace, pending or fired."""
    account = workspace.state.accounts.get(timer.account)
    return made(
        records.Timer,
        timer,
        state="pending" if fired is None else "fired",
        at=timer.moment,
        real_at=None if fired is None else real(fired.real_at),
        account=None if account is None else account.name,
        transitions=[] if fired is None else list(map(show_transition, fired.transitions)),
        **linked(TIMER, timer, workspace.links),
    )


def pending(workspace: Workspace, offset: int, limit: int) -> list[model.Timer]:
    """Return the pending timers of a workspace from `offset` on, soonest first."""
    found = workspace.state.timers
    is_far = (offset + limit) * _FEW > found.count
    return list(islice(found if is_far else found.soonest(), offset, offset + limit))


# ---------------------------------------------------------------------- DNS


def show_dns(workspace: Workspace, domain: str) -> records.Dns:
    return records.Dns(**_dns(workspace, domain), domain=domain)


def _dns(workspace: Workspace, domain: str) -> Mapping[str, Any]:
    found = dns_view(workspace, domain)
    policy = dmarc_policy(workspace, domain)
    return {"records": made(records.Records, found), "dmarc_policy": policy, "free_mail": found.free_mail or None}


def known(workspace: Workspace, part: str, offset: int, limit: int) -> tuple[list[records.KnownName], int]:
    """Return known names containing `part`, sorted, from `offset` on; and the total number."""
    names, end = known_names(workspace, part), offset + limit
    first = nsmallest(end, names) if end * _FEW < len(names) else sorted(names)
    owned: dict[str, list[records.OwnedDomain]] = {name: [] for name in first[offset:end]}
    for account, domain in named(workspace, owned.keys()):
        owned[domain.name].append(records.OwnedDomain(account.name, domain.state))
    rows = [
        records.KnownName(**_dns(workspace, name), name=name, shown_as=unicode_form(name), accounts=accounts)
        for name, accounts in owned.items()
    ]
    return rows, len(names)
