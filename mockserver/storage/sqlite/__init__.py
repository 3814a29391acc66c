"""A store of workspaces in one file, by SQLite of the standard library."""

from mockserver.storage.sqlite.engine import Engine as Engine
