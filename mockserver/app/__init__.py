"""Where the parts of a server meet: application, workspaces, effects, and the runtime that starts and stops them.

No rule lives here.
"""

from mockserver.app.application import create_app as create_app
