"""The apps, clock, coverage, DNS, state machines, state and snapshots of a workspace."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from types import NoneType
from typing import Any, Self, Unpack

from mockserver.testing.arguments import AppChange, AppMembers, DnsRecords, Units, refuse_unknown
from mockserver.testing.client import path_of
from mockserver.testing.handles.link import Handle, Link, asks, given
from mockserver.testing.names import MachineEvent, MachineName
from mockserver.testing.records import (
    App,
    Fired,
    Instance,
    KnownName,
    Moment,
    Policy,
    Records,
    Timer,
    Total,
    Transition,
)
from mockserver.testing.scenario import NamingFile, Scenario, YamlText, sendable
from mockserver.views.record import read, read_all

__tracebackhide__ = True  # pytest shows the line of the test instead

#: The members that the instances of all machines have.
_COMMON = frozenset({"key", "account", "state", "allowed"})


class Apps(Handle):
    """The OAuth apps of one workspace."""

    def create(self, **members: Unpack[AppMembers]) -> App:
        """Register an app: `create(name="CRM", redirect_uris=["http://127.0.0.1:5000/cb"], scopes=["account:read"])`.

        Missing credentials are drawn; missing scopes are those of contacts and CRM. A public app needs
        `behaviour.oauth_public_apps`.

        Raises:
            MockServerError: 400, a member is not valid, and `errors` names every mistake; 409, the client id is taken.
        """
        return read(App, self._link.post("/oauth/apps", members))

    def get(self, client_id: str) -> App:
        """Return the app with a client id."""
        return read(App, self._link.get(path_of("oauth", "apps", client_id)))

    def list(self) -> list[App]:
        """Return all apps, in registration order."""
        return read_all(App, self._link.items("/oauth/apps"))

    def update(self, client_id: str, **members: Unpack[AppChange]) -> App:
        """Change the given members of an app; `client_secret=None` gives the app a new secret.

        Raises:
            MockServerError: 400, a member is not valid, and `errors` names every mistake; 404, the app does not exist.
        """
        return read(App, self._link.put(path_of("oauth", "apps", client_id), members))

    def delete(self, client_id: str) -> None:
        """Delete an app, and end its grants and tokens."""
        self._link.delete(path_of("oauth", "apps", client_id))


class Clock(Handle):
    """The virtual clock of one workspace. All moments are aware (UTC)."""

    @property
    @asks
    def now(self) -> datetime:
        """The present time in the workspace."""
        return read(Moment, self._link.get("/clock")).now

    @property
    @asks
    def frozen(self) -> bool:
        """Whether only `advance` and `set` move the clock."""
        return read(Moment, self._link.get("/clock")).frozen

    def advance(
        self, by: timedelta | str | None = None, *, to: Timer | str | None = None, **units: Unpack[Units]
    ) -> list[Fired]:
        """Move the clock forward, fire each due timer at its own moment, and return the events in order.

        Give one of: `advance(minutes=20)`, with the arguments of `timedelta`; `advance(timedelta(minutes=20))`;
        `advance("20m")` or `advance("PT20M")`; `advance(to="next")`, until the next timer is due; `advance(to=timer)`,
        until one of `timers()` is due, given as it is or by its id. Waits for due webhook calls, whose retries may
        become due as well. A frozen clock stays frozen.

        Raises:
            TypeError: None of these arguments is given, more than one, or an unknown unit.
            MockServerError: 400, the duration is negative or too long, or the timer does not exist.
        """
        refuse_unknown("advance", units, Units.__annotations__)
        bodies: list[dict[str, Any]] = [{"seconds": timedelta(**units).total_seconds()}] if units else []
        if by is not None:
            bodies.append({"seconds": by.total_seconds()} if isinstance(by, timedelta) else {"by": by})
        if to is not None:
            bodies.append({"to": to.id if isinstance(to, Timer) else to})
        if len(bodies) != 1 or not isinstance(by, (timedelta, str, NoneType)):
            raise TypeError("advance takes one of: a timedelta, a text such as 20m, units such as minutes=20, to=...")
        return read_all(Fired, self._link.post("/clock/advance", bodies[0])["fired"])

    def timers(self, *, limit: int = 1000) -> list[Timer]:
        """Return the clock's timers, soonest first; `limit` ranges from 1 to 1000."""
        return read_all(Timer, self._link.items("/clock/timers", limit=limit))

    def set(self, now: datetime | str) -> None:
        """Move the clock forward to a moment (RFC 3339 text or aware datetime), and fire timers that become due.

        Raises:
            MockServerError: The moment is before the present time of the workspace; only `reset` moves a clock back.
        """
        self._link.put("/clock", {"now": now})

    def freeze(self) -> None:
        """Freeze the clock until `advance`, `set` or `thaw`."""
        self._link.put("/clock", {"frozen": True})

    def thaw(self) -> None:
        """Let a frozen clock move with real time again."""
        self._link.put("/clock", {"frozen": False})


class Coverage(Handle):
    """Coverage of a workspace or a whole server (including dropped workspaces)."""

    def report(self, of: str = "specification") -> dict[str, Any]:
        """Return the report as plain data, with `percent`, `totals`, `operations`, `further`, `missing` and more.

        Args:
            of: What is counted: `specification`, the 34 operations; `all`, further operations, too; `used`, the
                operations that were called; or names of operations and state machines with commas between.

        Raises:
            MockServerError: A name is unknown.
        """
        found: dict[str, Any] = self._link.get("/coverage", of=of)
        return found

    @property
    @asks
    def percent(self) -> float:
        """The part of the contract that requests have met, in percent."""
        return float(self.report()["percent"])

    @property
    @asks
    def totals(self) -> Mapping[str, Total]:
        """The totals of `operations`, `statuses`, `codes`, `fields` and `transitions`, by these names."""
        return {name: read(Total, row) for name, row in self.report()["totals"].items()}

    @property
    @asks
    def missing(self) -> list[str]:
        """Sentences about unmet points, most important points first."""
        return list(self.report()["missing"])

    def text(self) -> str:
        """Return the report as terminal text."""
        return self._link.text("/coverage", accept="text/plain")

    def html(self) -> str:
        """Return the report as an HTML page."""
        return self._link.text("/coverage", accept="text/html")

    def junit(self) -> str:
        """Return the report as JUnit XML: one case per contract point, skipped if unmet."""
        return self._link.text("/coverage", accept="application/xml")

    def clear(self) -> None:
        """Set all counts to zero."""
        self._link.delete("/coverage")


class Dns(Handle):
    """The DNS of one workspace, including unregistered domains."""

    def get(self, domain: str) -> Records:
        """Return the record states of a domain.

        Raises:
            MockServerError: 400, `domain` is no host name.
        """
        return read(Records, self._link.get(path_of("dns", domain)))

    def all(self, name: str = "") -> list[KnownName]:
        """Return all known domains sorted by name, at most 1000.

        Args:
            name: A part of the names.
        """
        found = self._link.items("/dns", name=name or None, limit=1000)
        return [read(KnownName, item, records=read(Records, item)) for item in found]

    def policy(self, domain: str) -> Policy:
        """Return the DMARC policy of a domain; sub-domains inherit the policy of the registrable domain.

        Raises:
            MockServerError: 400, `domain` is no host name.
        """
        policy: Policy = self._link.get(path_of("dns", domain))["dmarc_policy"]
        return policy

    def set(self, domain: str, **records: Unpack[DnsRecords]) -> Records:
        """Change the given records of a domain: `set("acme.test", dkim_record="wrong")`; return the state of all three.

        Raises:
            MockServerError: 400, `domain` is no host name, or a record or state is unknown.
        """
        return read(Records, self._link.put(path_of("dns", domain), given(records)))


class Machines(Handle):
    """The state machines of one workspace: shows their instances, and fires events."""

    def instances(self, machine: MachineName) -> list[Instance]:
        """Return all instances of a state machine.

        Raises:
            MockServerError: 404, the machine is unknown, and the message lists the machines.
        """
        return [_instance(machine, item) for item in self._link.items(path_of("machines", machine))]

    def get(self, machine: MachineName, key: int | str) -> Instance:
        """Return one instance by its key: a sender's id, a domain's name, a sub-account's id."""
        return _instance(machine, self._link.get(path_of("machines", machine, key)))

    def history(self, machine: MachineName, key: int | str) -> list[Transition]:
        """Return an instance's transitions, newest first, at most 1,000; deleted instances keep theirs.

        Raises:
            MockServerError: 404, the machine is unknown, or the instance has never existed.
        """
        return read_all(Transition, self._link.items(path_of("machines", machine, key, "history"), limit=1000))

    def fire(self, machine: MachineName, key: int | str, event: MachineEvent) -> Instance:
        """Fire an event such as `expire_otp`, and return the instance (its last state, if the event deletes it).

        Raises:
            MockServerError: 404, the machine or the instance does not exist; 409, the event does not apply, and
                `members["allowed"]` lists the events that do.
        """
        return _instance(machine, self._link.post(path_of("machines", machine, key, event)))


def _instance(machine: MachineName, item: Mapping[str, Any]) -> Instance:
    secrets = {name: value for name, value in item.items() if name not in _COMMON}
    return read(Instance, item, machine=machine, secrets=secrets)


class State(Handle):
    """The readable and replaceable state of one workspace."""

    def get(self) -> dict[str, Any]:
        """Return the state as a scenario document that recreates it, without journal, coverage and mailbox."""
        found: dict[str, Any] = self._link.get("/state")
        return found

    def put(self, document: Mapping[str, Any] | Scenario) -> None:
        """Replace the state by a scenario; journal, coverage and mailbox stay.

        Raises:
            MockServerError: 400, the scenario is not valid, `errors` names every mistake, and nothing has changed.
            OSError: The file cannot be read.
            ValueError: The file is not YAML.
        """
        found = sendable(document)
        sent = {"yaml": found.text} if isinstance(found, YamlText) else {"body": found}
        with NamingFile(found):
            self._link.about = self._link.put("/state", **sent)

    def yaml(self) -> str:
        """Return the state as YAML scenario, without journal, coverage and mailbox."""
        return self._link.text("/state", accept="application/yaml")


class Snapshot(Handle):
    """A saved moment of a workspace. As a context manager, restores and deletes itself on exit."""

    def __init__(self, link: Link, name: str) -> None:
        super().__init__(link)
        self.name: str = name

    def __repr__(self) -> str:
        return f"Snapshot({self.name!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.restore()
        self.delete()

    def restore(self) -> None:
        """Return to the moment with state, clock, faults and mailbox, and keep journal and coverage."""
        self._link.about = self._link.post(path_of("snapshots", self.name, "restore"))

    def delete(self) -> None:
        """Delete the snapshot."""
        self._link.delete(path_of("snapshots", self.name))
