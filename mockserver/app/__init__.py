"""The application: where the parts meet."""

from mockserver.app.application import create_app as create_app
