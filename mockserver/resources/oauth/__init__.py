"""OAuth 2.0: apps, grants and tokens, and the pages on which users sign in and consent."""

from mockserver.core.late import late
from mockserver.resources.oauth.routes import OAUTH
from mockserver.resources.resource import Resource

_model, _removal = late(__package__, "model", "removal")
_apps, _grants = late(f"{__package__}.sections", "apps", "grants")

RESOURCE = Resource(
    "oauth",
    OAUTH.operations,
    late_lifecycles={"oauth_grant": _model.GRANT},
    listeners={("sub_account_plan", "delete"): _removal.forget_apps_of_deleted},
    late_section=_grants.SECTION,
    late_workspace=_apps.WORKSPACE,
    members=frozenset({"oauth_grants"}),
    workspace_members=frozenset({"oauth_apps"}),
    is_counted=False,
)
