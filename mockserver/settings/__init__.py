"""Settings of a server, from MOCKSERVER_* and flags; and where the shipped data lie."""

from mockserver.settings.places import data_folder as data_folder
from mockserver.settings.places import without_version as without_version
from mockserver.settings.settings import Settings as Settings
from mockserver.settings.settings import declared as declared
