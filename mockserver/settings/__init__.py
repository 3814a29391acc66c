"""The settings of a server, taken from flags, `MOCKSERVER_*` variables or a program; and where the shipped data are."""

from mockserver.settings.distribution import ServerMissingError as ServerMissingError
from mockserver.settings.distribution import needing_server as needing_server
from mockserver.settings.distribution import version as version
from mockserver.settings.locations import data_folder as data_folder
from mockserver.settings.locations import without_version as without_version
from mockserver.settings.settings import Settings as Settings
from mockserver.settings.settings import declared as declared
