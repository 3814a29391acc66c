"""A store of workspaces in one file, by SQLite of the standard library."""

from mockserver.storage.batch import Batch as Batch
from mockserver.storage.errors import DamagedError as DamagedError
from mockserver.storage.errors import EngineError as EngineError
from mockserver.storage.sqlite.engine import Engine as Engine
