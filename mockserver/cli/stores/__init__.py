"""`store`: commands that look at the file or the database of a store."""

from mockserver.cli.framework import group
from mockserver.cli.stores.documents import export, import_
from mockserver.cli.stores.info import info

store = group(
    "store",
    info,
    export,
    import_,
    help="Inspect, export and import a store: a SQLite file or a Redis database.",
)
