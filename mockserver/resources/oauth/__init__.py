"""OAuth 2.0: apps, grants and tokens, and the pages on which users sign in and consent."""

from mockserver.core.time.transition import Changed
from mockserver.resources.oauth.model import GRANT
from mockserver.resources.oauth.routes import OAUTH
from mockserver.resources.oauth.section import SECTION, WORKSPACE
from mockserver.resources.oauth.tokens.exchange import forget_apps_of_deleted
from mockserver.resources.resource import Resource

RESOURCE = Resource(
    "oauth",
    OAUTH.operations,
    lifecycles=(GRANT,),
    listeners={Changed: forget_apps_of_deleted},
    section=SECTION,
    workspace=WORKSPACE,
    is_counted=False,
)
