"""Where the parts of a server meet: application, workspaces, effects, and the runtime that starts and stops them.

No rule lives here.
"""

from mockserver.web.schemas.late_patterns import late_patterns

# Before all that follows imports them.
with late_patterns("marshmallow.validate", "yaml.reader"):
    import marshmallow as marshmallow
    import yaml as yaml

from mockserver.app.application import create_app as create_app
