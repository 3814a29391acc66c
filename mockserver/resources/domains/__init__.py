"""Sender domains: created, proved by DNS records, authenticated."""

from mockserver.core.lazy import lazy
from mockserver.resources.domains.routes import DOMAINS
from mockserver.resources.resource import Resource

_model, _section = lazy(__package__, "model", "section")

RESOURCE = Resource(
    "domains",
    DOMAINS.operations,
    lazy_lifecycles={"domain": _model.DOMAIN},
    listeners={("sub_account_plan", "delete"): _model.forget_sub_account},
    lazy_section=_section.SECTION,
    lazy_workspace=_section.WORKSPACE,
    members=frozenset({"brevo_code", "domains"}),
    workspace_members=frozenset({"dns"}),
)
