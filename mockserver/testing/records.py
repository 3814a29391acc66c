"""The records that the handles return: one class per answer of the control API."""

# A record is exported where it is defined, by `__all__`.
from mockserver.views.server_records import Total as Total
from mockserver.views.traffic_records import *  # noqa: F403  # see above
from mockserver.views.workspace_records import *  # noqa: F403  # see above
