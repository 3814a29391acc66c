"""The operations on sender domains, contract/domains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.core.contract import errors
from mockserver.core.contract.operation import Mark, chosen_error, documented_error, proposed_error
from mockserver.core.lazy import lazy
from mockserver.core.state.state import Account
from mockserver.core.workspaces.caller import Caller
from mockserver.web.endpoints.operations import Operations

if TYPE_CHECKING:
    from mockserver.resources.domains import model, schemas
    from mockserver.resources.domains.domain import Domain
else:
    model, schemas = lazy(__package__, "model", "schemas")

DOMAINS = Operations("domains", "specification 4.2")

#: The messages of the documents: for a new authentication, and for a repeated one.
_DONE = "Domain has been authenticated successfully."
_READY = "Domain authentication completed. Your domain is now ready for sending."
_UNKNOWN = documented_error(
    errors.DOCUMENT_NOT_FOUND, "the domain is not in the account", "specification 4.2, contract/errors#codes"
)
_NO_DOMAIN = chosen_error(errors.DOMAIN_DOES_NOT_EXIST, "sentences", Mark.DOCUMENTED)
_PATH = schemas.DomainPath


@DOMAINS.operation(
    "getDomains", "GET", "/v3/senders/domains",
    summary="List domains",
    answer=schemas.Domains,
    notes=("There is no pagination parameter: everything is on one page.",),
)  # fmt: skip
def get_domains(caller: Caller) -> dict[str, Any]:
    ips = model.dedicated_ips(caller.account)
    rows = [_listed(caller.account, row, ips.get(row.name)) for row in model.select(caller)]
    return {"domains": rows, "count": len(rows), "current_page": 1, "total_pages": 1}


def _listed(account: Account, row: Domain, ip: str | None) -> dict[str, Any]:
    user = f"64{account.user_id:022d}"
    return {
        "id": row.id,
        "domain_name": row.name,
        "authenticated": row.authenticated,
        "verified": row.verified,
        "ip": ip,
        "provider": row.provider,
        "creator": {"id": user, "email": row.creator, "creationDate": row.created_at},
    }


@DOMAINS.operation(
    "createDomain", "POST", "/v3/senders/domains",
    summary="Create a domain",
    adds=True, body=schemas.NewDomain, answer=schemas.DomainCreated,
    errors=(
        documented_error(errors.DOMAIN_EXISTS, "the account has the domain already", "specification 7.3"),
        proposed_error(errors.MISSING_PARAMETER, "name is absent"),
        proposed_error(errors.INVALID_PARAMETER, "name is not a host name"),
    ),
    notes=("Success is 200, not 201.",),
)  # fmt: skip
def create_domain(caller: Caller, body: dict[str, Any]) -> dict[str, Any]:
    domain = model.create(caller, body["name"])
    is_hex = caller.workspace.state.behaviour.domain_id == "hex"
    return {
        "id": domain.id if is_hex else domain.number,
        "name": domain.name,
        "provider": domain.provider,
        "message": "Domain added successfully. To authenticate it, add following DNS records",
        "dns_records": _records(caller, domain),
    }


def _records(caller: Caller, domain: Domain) -> dict[str, Any]:
    """Return DNS records; with CNAME records, `dkim_record` is null (recorded)."""
    return {"dkim_record": None, **model.records(caller.workspace, domain)}


@DOMAINS.operation(
    "getDomainConfiguration", "GET", "/v3/senders/domains/{domainName}",
    summary="Read a domain's configuration",
    params=_PATH, answer=schemas.DomainConfiguration,
    errors=(_UNKNOWN, _NO_DOMAIN),
)  # fmt: skip
def get_domain_configuration(caller: Caller, domain_name: str) -> dict[str, Any]:
    domain = model.get(caller, domain_name)
    return {
        "domain": domain.name,
        "verified": domain.verified,
        "authenticated": domain.authenticated,
        "dns_records": _records(caller, domain),
    }


@DOMAINS.operation(
    "deleteDomain", "DELETE", "/v3/senders/domains/{domainName}",
    summary="Delete a domain",
    sweeps=True, params=_PATH, answer=schemas.DomainDeleted,
    errors=(_UNKNOWN, _NO_DOMAIN),
)  # fmt: skip
def delete_domain(caller: Caller, domain_name: str) -> dict[str, str]:
    model.delete(caller, domain_name)
    return {"message": "Domain deleted successfully"}


@DOMAINS.operation(
    "authenticateDomain", "PUT", "/v3/senders/domains/{domainName}/authenticate",
    summary="Authenticate a domain",
    sweeps=True, looks_up=True, params=_PATH, answer=schemas.DomainAuthenticated,
    errors=(
        documented_error(errors.DNS_NOT_CONFIGURED, "a record is not right in DNS; free mailboxes",
            "specification 7.3, contract/domains#authenticateDomain"),
        proposed_error(errors.DMARC_POLICY, "listed by the specification without a condition: by a fault only",
            "contract/errors#codes"),
        chosen_error(errors.BAD_REQUEST, "observed", Mark.OBSERVED, "contract/domains#authenticateDomain"),
        _UNKNOWN, _NO_DOMAIN,
    ),
)  # fmt: skip
def authenticate_domain(caller: Caller, domain_name: str) -> dict[str, str]:
    domain, was_authenticated = model.authenticate(caller, domain_name)
    return {"name": domain.name, "message": _READY if was_authenticated else _DONE}
