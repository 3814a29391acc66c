"""What DNS says about a domain, and what that means for authenticateDomain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.domains.domain import OK, RECORDS, Domain, dns_view
from mockserver.resources.domains.model import records


class Answers(Protocol):
    """The answers about the three records of a domain."""

    @property
    def brevo_code(self) -> str: ...

    @property
    def dkim_record(self) -> str: ...

    @property
    def dmarc_record(self) -> str: ...


def meaning(answers: Answers, *, is_free_mail: bool) -> str:
    """Return a sentence: how authenticateDomain would answer."""
    wrong = [f"{record} is {answer}" for record in RECORDS if (answer := getattr(answers, record)) != OK]
    if is_free_mail:
        return "A provider of free mailboxes owns it, so nobody can authenticate it."
    if not wrong:
        return "All three records are right."
    return f"authenticateDomain would answer 400: {', '.join(wrong)}."


def shown_records(workspace: Workspace, domain: Domain) -> Mapping[str, Any]:
    """Return the DNS records of a domain with expected values and answers. The caller holds the workspace's lock."""
    view = dns_view(workspace, domain.name)
    return {
        "domain": domain.name,
        "records": [
            {
                "name": name,
                "type": row.type,
                "full_name": row.full_name,
                "value": row.value,
                "answer": view.answer(name),
            }
            for name, row in records(workspace, domain).items()
        ],
        "meaning": meaning(view, is_free_mail=view.free_mail),
        "is_right": view.published and not view.free_mail,
        "members": RECORDS,
    }
