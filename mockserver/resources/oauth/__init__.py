"""OAuth 2.0: apps, grants and tokens, and the pages on which users sign in and consent."""

from mockserver.core.lazy import lazy
from mockserver.resources.oauth.routes import OAUTH
from mockserver.resources.resource import Resource

_model, _removal, _section = lazy(__package__, "model", "removal", "section")

RESOURCE = Resource(
    "oauth",
    OAUTH.operations,
    late_lifecycles={"oauth_grant": _model.GRANT},
    listeners={("sub_account_plan", "delete"): _removal.forget_apps_of_deleted},
    late_section=_section.SECTION,
    late_workspace=_section.WORKSPACE,
    members=frozenset({"oauth_grants"}),
    workspace_members=frozenset({"oauth_apps"}),
    is_counted=False,
)
