"""OAuth 2.0: apps, grants and tokens, and the pages on which users sign in and consent."""

from mockserver.core.late import late
from mockserver.resources.oauth.routes import OAUTH
from mockserver.resources.resource import Resource

_model, _section = late(__package__, "model", "section")

RESOURCE = Resource(
    "oauth",
    OAUTH.operations,
    late_lifecycles={"oauth_grant": _model.GRANT},
    listeners={("sub_account_plan", "delete"): _model.remove_apps_of_sub_account},
    late_section=_section.SECTION,
    late_workspace=_section.WORKSPACE,
    members=frozenset({"oauth_grants"}),
    workspace_members=frozenset({"oauth_apps"}),
    is_counted=False,
)
