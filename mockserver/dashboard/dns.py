"""What DNS says about a domain, and what that means for authenticateDomain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.domains.domain import OK, RECORDS, Domain, dns_view
from mockserver.resources.domains.model import records, too_early


def outlook(workspace: Workspace, name: str, domain: Domain | None) -> str:
    """Return a sentence: how authenticateDomain would answer for an account's domain, or a name that nobody has.

    The workspace is open.
    """
    view = dns_view(workspace, name)
    wrong = [f"{record} is {answer}" for record in RECORDS if (answer := getattr(view, record)) != OK]
    if view.free_mail:
        return "A provider of free mailboxes owns it, so nobody can authenticate it."
    if wrong:
        return f"authenticateDomain would answer 400: {', '.join(wrong)}."
    if domain is None or domain.authenticated:
        return "All three records are right."
    if early := too_early(workspace, domain):
        return f"authenticateDomain would answer 400: {early}."
    return "All three records are right: authenticateDomain would succeed."


def shown_records(workspace: Workspace, domain: Domain) -> Mapping[str, Any]:
    """Return the DNS records of a domain with expected values and answers. The workspace is open."""
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
        "meaning": outlook(workspace, domain.name, domain),
        "is_right": view.published,
        "is_free_mail": view.free_mail,
        "members": RECORDS,
    }
