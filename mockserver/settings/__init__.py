"""Server settings from flags, `MOCKSERVER_*` variables or programs, and the shipped data folders."""

from mockserver.settings.declaration import without_secrets as without_secrets
from mockserver.settings.declaration import without_version as without_version
from mockserver.settings.distribution import ServerMissingError as ServerMissingError
from mockserver.settings.distribution import needing_server as needing_server
from mockserver.settings.distribution import version as version
from mockserver.settings.files import data_folder as data_folder
from mockserver.settings.settings import Settings as Settings
from mockserver.settings.settings import declared as declared
