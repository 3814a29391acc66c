"""The DNS of a workspace, which answers for its domains."""

from __future__ import annotations

from typing import Unpack

from mockserver.testing.arguments import DnsRecords
from mockserver.testing.client import path_segment
from mockserver.testing.handles.link import Handle, given
from mockserver.testing.records import KnownName, Policy, Records
from mockserver.views.record import read

__tracebackhide__ = True  # pytest shows the line of the test instead


class Dns(Handle):
    """The DNS of one workspace, also of domains that nobody has added."""

    def get(self, domain: str) -> Records:
        """The state of the records of a domain.

        Raises:
            MockServerError: 400; `domain` is no host name.
        """
        return read(Records, self._link.get(f"/dns/{path_segment(domain)}"))

    def all(self, name: str = "") -> list[KnownName]:
        """The domains of all accounts, and those that only DNS has, by name, at most 1000; `name` is a part of it."""
        found = self._link.items("/dns", name=name or None, limit=1000)
        return [read(KnownName, item, records=read(Records, item)) for item in found]

    def policy(self, domain: str) -> Policy:
        """The policy of a domain's DMARC record; a sub-domain without a policy has that of its registrable domain.

        Raises:
            MockServerError: 400; `domain` is no host name.
        """
        answer = self._link.get(f"/dns/{path_segment(domain)}")
        policy: Policy = answer["dmarc_policy"]
        return policy

    def set(self, domain: str, **records: Unpack[DnsRecords]) -> Records:
        """Change the given records of a domain: `set("acme.test", dkim_record="wrong")`; return the state of all three.

        Raises:
            MockServerError: 400; `domain` is no host name, or there is no such record or state.
        """
        return read(Records, self._link.put(f"/dns/{path_segment(domain)}", given(records)))
