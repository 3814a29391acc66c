"""The DNS of a workspace, which answers for its domains."""

from __future__ import annotations

from typing import Literal, NamedTuple

from mockserver.testing.link import Link, path_segment
from mockserver.testing.records import read

__tracebackhide__ = True  # pytest shows the line of the test instead

State = Literal["ok", "missing", "wrong", "timeout"]
Policy = Literal["none", "quarantine", "reject"]


class Records(NamedTuple):
    """The state of each record of a domain."""

    brevo_code: State
    dkim_record: State
    dmarc_record: State


class Dns:
    """The DNS of one workspace, also of domains that nobody has added."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def get(self, domain: str) -> Records:
        """The state of the records of a domain.

        Raises:
            MockServerError: 400; `domain` is no host name.
        """
        return read(Records, self._link.get(f"/dns/{path_segment(domain)}"))

    def policy(self, domain: str) -> Policy:
        """The policy of a domain's DMARC record; a sub-domain without a policy has that of its registrable domain.

        Raises:
            MockServerError: 400; `domain` is no host name.
        """
        policy: Policy = self._link.get(f"/dns/{path_segment(domain)}")["dmarc_policy"]
        return policy

    def set(self, domain: str, *, dmarc_policy: Policy | None = None, **records: State) -> Records:
        """Change the given records of a domain: `set("acme.test", dkim_record="wrong")`; return the state of all three.

        Raises:
            MockServerError: 400; `domain` is no host name, or there is no such record or state.
        """
        policy = {} if dmarc_policy is None else {"dmarc_policy": dmarc_policy}
        return read(Records, self._link.put(f"/dns/{path_segment(domain)}", {**records, **policy}))
