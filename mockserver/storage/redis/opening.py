"""What a server of Redis has to be for a store."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Any

from mockserver.storage.errors import EngineError

#: The oldest version that knows all that the scripts call, in the manner in which they call it.
_OLDEST = (6, 2)
_VERSION = re.compile(r"([0-9]{1,4})\.([0-9]{1,4})")

_LOG = logging.getLogger(__name__)


def check(place: str, about: Mapping[str, Any]) -> None:
    """Refuse a server that cannot keep a store, by what it tells of itself.

    Raises:
        EngineError: it is too old, a replica, part of a cluster, or drops what it has to keep.
    """
    version = str(about.get("redis_version", ""))
    found = _VERSION.match(version)
    if found is None or (int(found[1]), int(found[2])) < _OLDEST:
        raise EngineError(f"{place} is Redis {version or 'of no version'}: a store needs 6.2 or newer, or Valkey")
    if about.get("cluster_enabled"):
        raise EngineError(f"{place} is part of a cluster, and a store is kept by one server")
    if about.get("role") == "slave":
        raise EngineError(f"{place} is a replica, which cannot be written: name the primary")
    _check_policy(place, str(about.get("maxmemory_policy", "")), has_limit=bool(about.get("maxmemory")))


def _check_policy(place: str, policy: str, *, has_limit: bool) -> None:
    """Refuse a server that makes room by dropping keys; which no server does without a limit."""
    if not has_limit or policy in ("", "noeviction"):
        return
    if policy.startswith("allkeys"):
        raise EngineError(f"{place} drops keys when it is full: set its maxmemory-policy to noeviction, not {policy}")
    _LOG.warning("%s may take living servers for dead when it is full: its maxmemory-policy is %s", place, policy)
