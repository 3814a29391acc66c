"""OAuth 2.0: apps, grants and tokens, and the pages on which users sign in and consent."""

from mockserver.core.lazy import lazy
from mockserver.resources.oauth.routes import OAUTH
from mockserver.resources.resource import Resource

_model, _section = lazy(__package__, "model", "section")

RESOURCE = Resource(
    "oauth",
    OAUTH.operations,
    lazy_lifecycles={"oauth_grant": _model.GRANT},
    listeners={("sub_account_plan", "delete"): _model.remove_apps_of_sub_account},
    lazy_section=_section.SECTION,
    lazy_workspace=_section.WORKSPACE,
    members=frozenset({"oauth_grants"}),
    workspace_members=frozenset({"oauth_apps"}),
    is_counted=False,
)
