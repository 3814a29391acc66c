"""`store`: commands that look at the file or the database of a store."""

from mockserver.cli.program import Group
from mockserver.cli.stores.documents import export, import_
from mockserver.cli.stores.info import info

store = Group("store", help="Inspect, export and import a store: a SQLite file or a Redis database.")
for command in (info, export, import_):
    store.add_command(command)
