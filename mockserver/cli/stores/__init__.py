"""`store`: the file in which a server keeps its workspaces, looked at and tended while no server uses it."""

from mockserver.cli.framework import group
from mockserver.cli.stores.documents import export, import_
from mockserver.cli.stores.files import info, vacuum

store = group(
    "store", info, export, import_, vacuum, help="The file in which a server keeps workspaces, while no server uses it."
)
