"""A store of workspaces in one file, by SQLite of the standard library."""

from mockserver.storage.sqlite.batch import Batch as Batch
from mockserver.storage.sqlite.engine import Engine as Engine
from mockserver.storage.sqlite.errors import DamagedError as DamagedError
from mockserver.storage.sqlite.errors import EngineError as EngineError
