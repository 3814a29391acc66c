"""OAuth 2.0: apps, grants and tokens, and the pages on which users sign in and consent."""

from mockserver.core.time.transition import Changed
from mockserver.resources.oauth.model import GRANT
from mockserver.resources.oauth.removal import forget_apps_of_deleted
from mockserver.resources.oauth.routes import OAUTH
from mockserver.resources.oauth.sections.apps import WORKSPACE
from mockserver.resources.oauth.sections.grants import SECTION
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
