"""OAuth 2.0: apps, grants and tokens, and the pages on which users sign in and consent."""

from mockserver.core.time.transition import Changed
from mockserver.resources.oauth.model import GRANT
from mockserver.resources.oauth.routes import OAUTH
from mockserver.resources.oauth.section import SECTION, WORLD
from mockserver.resources.oauth.tokens.exchange import forget_apps_of_deleted
from mockserver.resources.resource import Room

ROOM = Room(
    "oauth",
    OAUTH.operations,
    lifecycles=(GRANT,),
    listeners={Changed: forget_apps_of_deleted},
    section=SECTION,
    world=WORLD,
    is_counted=False,
)
