"""`store`: the file or the database in which servers keep workspaces, looked at and tended."""

from mockserver.cli.framework import group
from mockserver.cli.stores.documents import export, import_
from mockserver.cli.stores.info import info
from mockserver.cli.stores.vacuum import vacuum

store = group(
    "store",
    info,
    export,
    import_,
    vacuum,
    help="Inspect, export and import a store: a SQLite file or a Redis database.",
)
