"""What a workspace's DNS says."""

from __future__ import annotations

from typing import Literal, NamedTuple

from mockserver.testing.handles.link import Link, part
from mockserver.testing.handles.reading import read

__tracebackhide__ = True  # pytest shows the line of the test instead

State = Literal["ok", "missing", "wrong", "timeout"]
Policy = Literal["none", "quarantine", "reject"]


class Records(NamedTuple):
    """The state of a domain's records."""

    brevo_code: State
    dkim_record: State
    dmarc_record: State


class Dns:
    """The DNS of one workspace, also of domains that nobody has added."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def get(self, domain: str) -> Records:
        """How the records of a domain are.

        Raises:
            MockServerError: 400; that is no host name.
        """
        return read(Records, self._link.get(f"/dns/{part(domain)}"))

    def policy(self, domain: str) -> Policy:
        """What the domain's DMARC record asks for; a sub-domain without a policy has that of its registrable domain.

        Raises:
            MockServerError: 400; that is no host name.
        """
        policy: Policy = self._link.get(f"/dns/{part(domain)}")["dmarc_policy"]
        return policy

    def set(self, domain: str, *, dmarc_policy: Policy | None = None, **records: State) -> Records:
        """Let records of a domain be so from now on: `set("acme.test", dkim_record="wrong")`; the others stay.

        Raises:
            MockServerError: 400; no host name, no such record, or no such state.
        """
        policy = {} if dmarc_policy is None else {"dmarc_policy": dmarc_policy}
        return read(Records, self._link.put(f"/dns/{part(domain)}", {**records, **policy}))
